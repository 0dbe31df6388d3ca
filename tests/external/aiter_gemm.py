#!/usr/bin/env python3
"""Runs AMD's assembly GEMMs of ROCm/aiter (bf16, gfx950 and gfx942) on emulated GPUs, checked with f64.

    tests/external/aiter_gemm.py --source DIR

DIR is a checkout of https://github.com/ROCm/aiter; figures in docs/ are of e404860. Each kernel that
hsa/GPU/bf16gemm/bf16gemm_fp32bf16.csv lists without preshuffling is launched on a few shapes, with and
without a split k where it has one.
"""

import argparse
import csv
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    options = parser.parse_args()
    program = ROOT / "build/external/aiter_gemm"
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([ROOT / "build/hipcc", "-O2", "--offload-arch=gfx950", Path(__file__).with_suffix(".hip"),
                    "-o", program], check=True)
    passed = failed = 0
    for gpu, processor in (("mi355x", "gfx950"), ("mi300x", "gfx942")):
        folder = options.source / "hsa" / processor / "bf16gemm"
        for kernel in csv.DictReader(open(folder / "bf16gemm_fp32bf16.csv")):
            if kernel["bPreshuffle"] == "1" or not (folder / kernel["co_name"]).exists():
                continue
            m, n = int(kernel["tileM"]), int(kernel["tileN"])
            splits = [2, 3] if kernel["splitK"] == "1" else [1]
            for shape in ((m, n, 256), (2 * m - 3, 3 * n, 512), (1, n, 1024)):
                for split in splits:
                    out = "bf16" if kernel["knl_name"].find("fp32bf16") < 0 else "f32"
                    call = [program, folder / kernel["co_name"], kernel["knl_name"], *shape, m, n, split, out]
                    run = subprocess.run([ROOT / "build/hipsight", "run", "--no-report", "--gpu", gpu, "--timeout",
                                          "60", "--", *map(str, call)], capture_output=True, text=True)
                    good = run.returncode == 0 and "PASS" in run.stdout
                    passed, failed = passed + good, failed + (not good)
                    if not good:
                        print(gpu, kernel["co_name"], shape, f"split {split}:", (run.stdout + run.stderr)[:600])
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
