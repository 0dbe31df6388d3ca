"""python -m hipsight: the command line, docs/configuration.md. It takes this process's place."""

import os
import sys

from ._compiler import HERE


def main():
    program = str(HERE / "bin/hipsight")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
