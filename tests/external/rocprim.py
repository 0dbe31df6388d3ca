#!/usr/bin/env python3
"""Runs rocPRIM's own test programs, as Debian packages them, on emulated GPUs.

    tests/external/rocprim.py [--source DIR] [--gpu NAME]... [--seconds N] [PROGRAM...]

DIR holds the unpacked packages; when it is empty they are fetched from Debian 13 (./dev unpack;
700 MB, 2 GB unpacked). The programs are run by that suite's loader and C++ library, with our
libamdhip64.so.5: nothing is installed. A program that is still running after N seconds is stopped;
what it had not reached then counts as not run. Prints a table, and what failed.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["librocprim-tests", "libc6", "libstdc++6", "libgcc-s1"]
FOLDER = "usr/libexec/rocm/librocprim-tests"


def run(source, program, gpu, seconds):
    """Names of the cases by what became of them, and why the program ended early, if it did."""
    system = source / "usr/lib/x86_64-linux-gnu"
    path = [ROOT / "build/lib", system, "/usr/lib/llvm-22/lib", "/usr/lib/x86_64-linux-gnu"]
    command = [source / "usr/lib64/ld-linux-x86-64.so.2", "--library-path"]
    command += [":".join(map(str, path)), source / FOLDER / program]
    environment = os.environ | {"HIPSIGHT_GPU": gpu, "HIPSIGHT_REPORT": "none"}
    end = ""
    try:
        ran = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds
        )
        text = ran.stdout
        if ran.returncode < 0:
            end = f"signal {-ran.returncode}"
    except subprocess.TimeoutExpired as stopped:
        text, end = stopped.stdout or b"", "time"
    text = text.decode(errors="replace")
    cases = {
        what: set(re.findall(rf"^\[ +{mark} +\] (\S+)", text, re.M))
        for what, mark in (("begun", "RUN"), ("passed", "OK"), ("failed", "FAILED"), ("skipped", "SKIPPED"))
    }
    cases["skipped"] &= cases["begun"]
    cases["failed"] &= cases["begun"]
    cases["passed"] -= cases["skipped"]
    unfinished = cases["begun"] - cases["passed"] - cases["failed"] - cases["skipped"]
    if end != "time":  # rocPRIM leaves the program at the first HIP error
        cases["failed"] |= unfinished
    total = re.search(r"Running (\d+) tests? from", text)
    cases["listed"] = int(total[1]) if total else 0
    return cases, end, text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, default=ROOT / "build/external/rocprim")
    parser.add_argument("--gpu", action="append", help="default: mi210 and rx7900xtx")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("program", nargs="*")
    options = parser.parse_args()
    if not (options.source / FOLDER).is_dir():
        subprocess.run([ROOT / "dev", "unpack", "trixie", options.source, *PACKAGES], check=True)
    programs = options.program or sorted(
        (p.name for p in (options.source / FOLDER).iterdir()),
        key=lambda name: (options.source / FOLDER / name).stat().st_size,
    )
    print(f"{'program':40} {'GPU':10} {'cases':>6} {'passed':>6} {'failed':>6} {'skipped':>7} {'not run':>7}")
    sums = dict.fromkeys(("listed", "passed", "failed", "skipped"), 0)
    for program in programs:
        for gpu in options.gpu or ["mi210", "rx7900xtx"]:
            cases, end, text = run(options.source, program, gpu, options.seconds)
            counts = {what: len(cases[what]) for what in ("passed", "failed", "skipped")}
            counts["listed"] = cases["listed"]
            left = counts["listed"] - counts["passed"] - counts["failed"] - counts["skipped"]
            print(
                f"{program:40} {gpu:10} {counts['listed']:6} {counts['passed']:6} {counts['failed']:6}"
                f" {counts['skipped']:7} {left:7}  {end}",
                flush=True,
            )
            for name in sorted(cases["failed"]):
                print(f"  failed: {name}")
            first = re.search(r"^hipsight: (?!.*\n(.*\n)*?.*the run goes on).*(\n  .*)*", text, re.M)
            if cases["failed"] and first:
                print("    " + first[0].replace("\n", "\n    "))
            for what in sums:
                sums[what] += counts[what]
    ran = sums["passed"] + sums["failed"]
    print(f"\n{ran} cases ran, {sums['passed']} passed ({100 * sums['passed'] / max(1, ran):.2f} %), "
          f"{sums['failed']} failed, {sums['skipped']} skipped themselves, "
          f"{sums['listed'] - ran - sums['skipped']} not run in the time given")
    return sums["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
