#!/usr/bin/env python3
"""Builds and runs AMD's rocm-examples (github.com/ROCm/rocm-examples) on emulated GPUs.

    tests/external/rocm_examples.py --source DIR [--gpu NAME]... [EXAMPLE...]

DIR is a clone. Each example of HIP-Basic, Applications and Tutorials is built by its own Makefile with
build/hipcc, in a copy of the tree under build/external, and run; it passes when it returns 0 and does
not say that its validation failed. Prints a table, and the end of what failing ones print.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from programs import ROOT, last_lines, run

SKIPPED = {
    "opengl_interop": "graphics",
    "vulkan_interop": "graphics",
    "texture_management": "images",
    "hello_world_cuda": "CUDA only",
    "hipify": "needs hipify-perl",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--gpu", action="append", help="default: mi300x and rx7900xtx")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("example", nargs="*")
    options = parser.parse_args()
    gpus = options.gpu or ["mi300x", "rx7900xtx"]
    copy = ROOT / "build/external/rocm-examples"
    shutil.copytree(options.source, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
    counts = {"passed": 0, "failed": 0, "skipped": 0}

    def say(name, gpu, what, why=""):
        counts[what] += 1
        print(f"{name:42} {gpu:10} {what:8} {why}", flush=True)

    makefiles = [m for part in ("HIP-Basic", "Applications", "Tutorials") for m in (copy / part).rglob("Makefile")]
    for makefile in sorted(makefiles):
        text, folder = makefile.read_text(), makefile.parent
        program = re.search(r"^EXAMPLE\s*:?=\s*(\S+)", text, re.M)
        name = str(folder.relative_to(copy))
        if not program or (options.example and folder.name not in options.example):
            continue
        if why := SKIPPED.get(folder.name):
            say(name, "", "skipped", why)
            continue
        sdk = os.environ.get("HIPSIGHT_SDK", ROOT / "build/sdk")
        make = ["make", "-s", f"HIPCXX={ROOT}/build/hipcc", f"ROCM_INSTALL_DIR={sdk}", "HIP_ARCHITECTURES=gfx942",
                "CLANG=clang++-22", "LLVM_MC=llvm-mc-22", "CLANG_OFFLOAD_BUNDLER=clang-offload-bundler-22"]
        targets = {"HIPSIGHT_TARGETS": "gfx90a gfx942 gfx1100 gfx1201"}
        built = subprocess.run(make, cwd=folder, env=os.environ | targets, capture_output=True, text=True)
        if built.returncode:
            say(name, "", "failed", "does not build:\n" + last_lines(built.stderr, 4))
            continue
        for gpu in gpus:
            code, text = run([folder / program[1]], gpu, options.seconds, folder)
            if code is None:
                say(name, gpu, "failed", f"still running after {options.seconds:g} s")
                continue
            wrong = code or re.search(r"validation failed|\bFAILED\b|incorrect", text, re.I)
            say(name, gpu, "failed" if wrong else "passed", f"exit code {code}:\n{last_lines(text, 6)}" if wrong else "")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return counts["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
