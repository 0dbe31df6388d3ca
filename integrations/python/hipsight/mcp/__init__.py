"""`hipsight mcp`: the answers of hipsight for agents that write kernels (Model Context Protocol).

docs/mcp.md. It needs the `mcp` SDK: pip install "hipsight[mcp]".
"""

from ._server import server

__all__ = ["server"]
