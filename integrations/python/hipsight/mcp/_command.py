"""`python -m hipsight mcp`."""

from __future__ import annotations

import argparse


def run(words: list[str]) -> None:
    parser = argparse.ArgumentParser("hipsight mcp", description="Serves the Model Context Protocol on stdin and stdout, "
                                     "for agents that write kernels (docs/mcp.md).")
    parser.parse_args(words)
    from ._server import server
    server.run()
