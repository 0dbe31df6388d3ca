#!/usr/bin/env python3
"""Runs FlyDSL's own tests on emulated GPUs.

    tests/external/flydsl_tests.py --source DIR --python VENV/bin/python [--gpu NAME]... [--cases N] [PATTERN...]

DIR is a checkout of FlyDSL (github.com/ROCm/FlyDSL); VENV has flydsl 0.5.0, torch's CPU build, pandas and pytest from
the package index. N cases (0: all) are chosen by the seed: one of each test function first, then any. PATTERNs,
regular expressions, choose among their names. What FlyDSL marks as large or as a benchmark is left out, and what it
runs many times to measure runs once. Results go to build/external/flydsl; a run that is started again goes on.
"""

import argparse
import re
from pathlib import Path

from programs import ROOT
from pytest_batches import TABLE, Suite, choose, row

FOLDER = ROOT / "build/external/flydsl"
SHAPES = "64,256,f32;32,128,f16;64,2000,f32;16,512,bf16"  # the smaller of those that the tests list
FOLDERS = [f"tests/{name}" for name in ("kernels", "language", "unit", "system", "extension")]


def pytest_configure(config):  # pylint: disable=unused-argument
    """This file is a plugin, too: FlyDSL's harness measures by repeating, which here only costs."""
    from tests import test_common

    def once(*_, **__):
        return lambda function: lambda *arguments, **named: (function(*arguments, **named), 1.0)

    test_common.perftest = once


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--gpu", action="append", help="default: mi355x and rx9070xt")
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60, help="for one case")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("pattern", nargs="*")
    options = parser.parse_args()
    suite = Suite(FOLDER, options.source, options.python.absolute(),
                  ["-p", "torch_gpu", "-p", "flydsl_tests", "-m", "not large_shape and not benchmark and not multi_gpu",
                   "--continue-on-collection-errors", *FOLDERS], options.seconds, PYTHONPATH=f"{ROOT}/tests/external:"
                  f"{options.source.absolute()}", FLYDSL_RUNTIME_CACHE_DIR=str(FOLDER / "cache"), FLYDSL_AUTOTUNE="0",
                  **{f"ROCDSL_{name}_SHAPES": SHAPES for name in ("SOFTMAX", "SOFTMAX_BWD", "LAYERNORM", "RMSNORM")})
    table = [TABLE]
    for gpu in options.gpu or ("mi355x", "rx9070xt"):
        if options.fresh:
            suite.forget(gpu)
        cases = [case for case in suite.all_cases(gpu)
                 if not options.pattern or any(re.search(wanted, case) for wanted in options.pattern)]
        table.append(row(gpu, suite.run(gpu, choose(cases, options.cases, options.seed), options.processes)))
    print("\n".join(table))


if __name__ == "__main__":
    main()
