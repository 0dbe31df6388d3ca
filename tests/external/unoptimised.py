#!/usr/bin/env python3
"""Compiles our examples without optimisation and runs them on emulated GPUs.

    tests/external/unoptimised.py [--gpu NAME]... [EXAMPLE...]

Code objects of -O0 keep every variable in scratch memory and call every function, so they use other
instructions than the tests' own. Each example compares its results with a reference on the host. Prints
one line for each run, and at the end how many passed; the exit code is 1 if one did not.
"""

import argparse
import subprocess
import sys

from programs import ROOT, last_lines, run

# What each example takes so that a run is short without optimisation.
ARGUMENTS = {"sgemm": ["65", "130", "17"], "gemm": ["33", "70", "50"],
             "flash_attention": ["--causal", "1", "70", "35", "64"], "reduction": ["5000"],
             "transpose": ["65", "33"], "histogram": ["5000"], "scan": ["5000"], "softmax": ["3", "1001"],
             "rmsnorm": ["3", "1001"], "streams": ["3"], "graph": ["3"], "router": ["33", "9", "70"]}
GPUS = ["mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt"]
SECONDS = 120


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="append", help=f"of {', '.join(GPUS)}; else all")
    parser.add_argument("examples", nargs="*", metavar="EXAMPLE", help="else all")
    options = parser.parse_args()
    names = options.examples or sorted(file.stem for file in (ROOT / "examples").glob("*.hip"))
    folder = ROOT / "build/external/unoptimised"
    folder.mkdir(parents=True, exist_ok=True)
    passed = failed = 0
    for name in names:
        program = folder / name
        command = [ROOT / "build/hipcc", "-O0", "-std=c++20", f"-I{ROOT}/kernels/include",
                   ROOT / f"examples/{name}.hip", "-o", program]
        built = subprocess.run(command, capture_output=True, text=True)
        if built.returncode:
            print(f"{name}: not built\n{last_lines(built.stderr, 5)}")
            failed += 1
            continue
        for gpu in options.gpu or GPUS:
            # Programs of several GPUs find two.
            code, text = run([program, *ARGUMENTS.get(name, [])], gpu, SECONDS, HIPSIGHT_GPUS="2")
            good = code == 0
            passed, failed = passed + good, failed + (not good)
            print(f"{name} on {gpu}: {'passed' if good else 'out of time' if code is None else f'ended with {code}'}", flush=True)
            if not good:
                print(last_lines(text, 5))
    print(f"{passed} runs passed, {failed} did not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
