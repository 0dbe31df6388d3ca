#!/usr/bin/env python3
"""Builds and runs AMD's rocm-examples (github.com/ROCm/rocm-examples) on emulated GPUs.

    tests/external/rocm_examples.py --source DIR [--libraries DIR] [--gpu NAME]... [EXAMPLE...]

DIR is a clone. Each example is built by its own Makefile with build/hipcc, in a copy of the tree under
build/external, and run; those of the reduction tutorial, which has none, are compiled as its CMake files
say. An example passes when it returns 0 and does not say that its validation failed. Examples of
libraries are counted as not applicable, except those that are headers only (rocPRIM, hipCUB, rocThrust)
with --libraries: a folder for them, fetched from Debian 13 when it is empty (./dev unpack). Prints a
table, and the end of what failing ones print.
"""

import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from programs import ROOT, last_lines, run

NOT_APPLICABLE = {
    "opengl_interop": "graphics",
    "vulkan_interop": "graphics",
    "texture_management": "images",
    "hipify": "hipify-perl",
    "monte_carlo_pi": "hipRAND",
}
HEADERS = {"rocPRIM": "librocprim-dev", "hipCUB": "libhipcub-dev", "rocThrust": "librocthrust-dev"}
# Sizes for examples that are too large for an emulator otherwise.
ARGUMENTS = {"convolution": ["-x", "512", "-y", "512"]}
# Two examples make their own fat binary. They name the host by a triple that LLVM 22 no longer takes, and
# the binary by a name that clang 22 no longer expects, unless told to.
FLAGS = dict.fromkeys(("assembly_to_executable", "llvm_ir_to_executable"), ["CXXFLAGS=-fuse-cuid=none"])
BUNDLER = """#!/usr/bin/env bash
exec clang-offload-bundler-22 "${@/unknown-linux,/unknown-linux-gnu,}"
"""
TARGETS = {"mi210": "gfx90a", "mi300x": "gfx942", "rx7900xtx": "gfx1100"}


def examples(copy, libraries):
    """Name, folder, program and build command of each; and how many are not applicable, by why."""
    sdk = os.environ.setdefault("HIPSIGHT_SDK", str(ROOT / "build/sdk/hip5"))  # as old as the libraries
    bundler = copy / "bundler"
    bundler.write_text(BUNDLER)
    bundler.chmod(0o755)
    make = ["make", "-s", "-B", f"HIPCXX={ROOT}/build/hipcc", f"ROCM_INSTALL_DIR={sdk}",
            f"HIP_ARCHITECTURES={';'.join(TARGETS.values())}", "CLANG=clang++-22 -nogpulib", "LLVM_MC=llvm-mc-22",
            "LLVM_DIS=llvm-dis-22", f"CLANG_OFFLOAD_BUNDLER={bundler}", f"LDFLAGS=-L{ROOT}/build/lib"]
    if libraries:
        make.append(f"CPPFLAGS=-isystem {libraries}/usr/include")
    found, left = [], collections.Counter()
    for makefile in sorted(copy.rglob("Makefile")):
        folder = makefile.parent
        program = re.search(r"^EXAMPLE\s*:?=\s*(\S+)", makefile.read_text(), re.M)
        if not program:
            continue
        parts = folder.relative_to(copy).parts
        why = NOT_APPLICABLE.get(folder.name)
        if parts[0] == "Libraries" and not (libraries and parts[1] in HEADERS):
            why = parts[1]
        if why:
            left[why] += 1
        else:
            found.append(("/".join(parts), folder, program[1], make + FLAGS.get(folder.name, [])))
    tutorial = copy / "Tutorials/reduction"
    for kind, more in (("example", []), ("test", ["-lgtest", "-lgtest_main"])):
        for source in sorted((tutorial / kind).glob("v*.hip"), key=lambda path: int(path.stem[1:])):
            program = f"reduction_{kind}_{source.stem}"
            folders = (source.parent, tutorial / "include", copy / "Common")
            command = [ROOT / "build/hipcc", "-std=c++20", "-w", *(f"-I{folder}" for folder in folders),
                       source, "-o", program, *more, "-ltbb", "-lpthread"]
            found.append((f"Tutorials/reduction/{kind}/{source.stem}", source.parent, program, command))
    return found, left


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--libraries", type=Path)
    parser.add_argument("--gpu", action="append", choices=TARGETS, help="default: mi300x and rx7900xtx")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("example", nargs="*", help="regular expressions of names")
    options = parser.parse_args()
    gpus = options.gpu or ["mi300x", "rx7900xtx"]
    copy = ROOT / "build/external/rocm-examples"
    shutil.copytree(options.source, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
    libraries = options.libraries and options.libraries.resolve()
    if libraries and not (libraries / "usr").is_dir():
        subprocess.run([ROOT / "dev", "unpack", "trixie", libraries, *HEADERS.values()], check=True)
    os.environ.setdefault("HIPSIGHT_TARGETS", " ".join(TARGETS.values()))
    counts = collections.Counter()

    def say(name, gpu, what, why=""):
        counts[what] += 1
        print(f"{name:42} {gpu:10} {what:8} {why}", flush=True)

    found, left = examples(copy, libraries)
    for name, folder, program, command in found:
        if options.example and not any(re.search(wanted, name) for wanted in options.example):
            continue
        built = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if built.returncode:
            say(name, "", "failed", "does not build:\n" + last_lines(built.stderr, 4))
            continue
        for gpu in gpus:
            code, text = run([folder / program, *ARGUMENTS.get(folder.name, [])], gpu, options.seconds, folder)
            if code is None:
                say(name, gpu, "time", f"still running after {options.seconds:g} s")
                continue
            wrong = code or re.search(r"validation failed|\bFAILED\b|incorrect", text, re.I)
            why = f"exit code {code}:\n{last_lines(text, 6)}" if wrong else ""
            say(name, gpu, "failed" if wrong else "passed", why)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    print("not applicable:", ", ".join(f"{count} {why}" for why, count in sorted(left.items())))
    return counts["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
