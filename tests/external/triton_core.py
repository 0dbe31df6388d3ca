#!/usr/bin/env python3
"""Runs Triton's own language tests on emulated GPUs.

    tests/external/triton_core.py --source DIR [--gpu NAME]... [--cases N] [--from M] [--seed S] [PATTERN...]

DIR is a checkout of triton (github.com/triton-lang/triton, branch release/3.7.x) and build/triton-venv
what `./dev triton` makes. Of test_core.py's cases, N (0: all) are chosen by the seed: one of each test
function first, then any. The first M of those are left out: so the whole file can be run in parts.
PATTERNs, regular expressions of names, choose among them. Results go to build/external/triton, and a run
that is started again goes on where it ended (--fresh: from the beginning). Prints what failed and why, and
a table.
"""

import argparse
import re
from pathlib import Path

from programs import ROOT
from pytest_batches import TABLE, Suite, choose, row

GPUS = ["mi300x", "mi355x", "rx7900xtx", "rx9070xt"]
FOLDER = ROOT / "build/external/triton"
FILE = "python/test/unit/language/test_core.py"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--gpu", action="append", choices=GPUS, help="default: all four")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="M")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120, help="for one case")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("pattern", nargs="*")
    options = parser.parse_args()
    suite = Suite(FOLDER, options.source, ROOT / "build/triton-venv/bin/python", ["--device", "cpu", FILE],
                  options.seconds, TRITON_CACHE_DIR=str(FOLDER / "cache"))
    table = [TABLE]
    for gpu in options.gpu or GPUS:
        if options.fresh:
            suite.forget(gpu)
        cases = choose(suite.all_cases(gpu), options.cases, options.seed)[options.first:]
        if options.pattern:
            cases = [case for case in cases if any(re.search(wanted, case) for wanted in options.pattern)]
        table.append(row(gpu, suite.run(gpu, cases, options.processes)))
    print("\n".join(table))


if __name__ == "__main__":
    main()
