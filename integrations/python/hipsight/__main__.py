"""python -m hipsight: the command line, docs/configuration.md, which takes this process's place; and what needs torch or
mcp."""

import os
import sys

from ._compiler import HERE


WITH_TORCH = ("serve-report", "plan")


def main():
    if sys.argv[1:2] and sys.argv[1] in WITH_TORCH:
        try:
            import torch  # noqa: F401
        except ImportError:
            sys.exit(f"hipsight {sys.argv[1]}: it needs torch: pip install torch")
        from .torch import _commands
        sys.exit(_commands.run(sys.argv[1], sys.argv[2:]))
    if sys.argv[1:2] == ["mcp"]:
        try:
            import mcp  # noqa: F401
        except ImportError:
            sys.exit('hipsight mcp: it needs the mcp SDK: pip install "hipsight[mcp]"')
        from .mcp._command import run
        sys.exit(run(sys.argv[2:]))
    program = str(HERE / "bin/hipsight")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
