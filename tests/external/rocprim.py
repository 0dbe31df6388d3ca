#!/usr/bin/env python3
"""Runs rocPRIM's own test programs, as Debian packages them, on emulated GPUs.

    tests/external/rocprim.py [--source DIR] [--gpu NAME]... [--seconds N] [--cases N] [PROGRAM...]

DIR holds the unpacked packages; when it is empty they are fetched from Debian 13 (./dev unpack;
700 MB, 2 GB unpacked). The programs are run by that suite's loader and C++ library, with our
libamdhip64.so.5: nothing is installed. A case that is still running after N seconds is stopped, and
the others go on. With --cases, N cases of each program, spread evenly over it, run. Prints a table,
and what failed.
"""

import argparse
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import programs

ROOT = programs.ROOT
PACKAGES = ["librocprim-tests", "libc6", "libstdc++6", "libgcc-s1"]
FOLDER = "usr/libexec/rocm/librocprim-tests"


KINDS = ("passed", "failed", "skipped", "time")


def command_of(source, program):
    """By the suite's own loader and libraries, but with our runtime and this machine's LLVM."""
    system = source / "usr/lib/x86_64-linux-gnu"
    path = [ROOT / "build/lib", system, "/usr/lib/llvm-22/lib", "/usr/lib/x86_64-linux-gnu"]
    loader = source / "usr/lib64/ld-linux-x86-64.so.2"
    return [loader, "--library-path", ":".join(map(str, path)), source / FOLDER / program]


def cases_of(source, program, gpu):
    """The names of a program's cases."""
    text = programs.run([*command_of(source, program), "--gtest_list_tests"], gpu, 60)[1]
    suite, names = "", []
    for line in text.splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith("  "):
            names.append(suite + name.strip())
        else:
            suite = name
    return names


def watch(command, gpu, seconds):
    """The program's exit code, None if a case took longer than `seconds` (the program is then stopped), and
    what it said."""
    environment = os.environ | {"HIPSIGHT_GPU": gpu, "HIPSIGHT_REPORT": "none"}
    program = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, process_group=0)
    text, begun = b"", time.monotonic()
    os.set_blocking(program.stdout.fileno(), False)
    while True:
        more = select.select([program.stdout], [], [], 1)[0] and os.read(program.stdout.fileno(), 1 << 16)
        if more:
            text += more
            if b"[ RUN " in more:
                begun = time.monotonic()
        elif more == b"":
            return program.wait(), text.decode(errors="replace")
        if time.monotonic() - begun > seconds:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
            return None, text.decode(errors="replace")


def run(source, program, gpu, seconds, chosen):
    """Names of the cases by what became of them, and the text. After a case that took too long, or ended the
    program, those that are left run in another process."""
    kinds, texts, left = {kind: set() for kind in KINDS}, [], list(chosen)
    while left:
        # Filters of all names at once are more than a program takes.
        batch = left[:200]
        code, text = watch([*command_of(source, program), "--gtest_filter=" + ":".join(batch)], gpu, seconds)
        texts.append(text)
        begun, passed, failed, skipped = (
            set(re.findall(rf"^\[ +{mark} +\] (\S+)", text, re.M)) for mark in ("RUN", "OK", "FAILED", "SKIPPED"))
        skipped &= begun
        failed &= begun
        passed -= skipped
        unfinished = begun - passed - failed - skipped
        if code is not None:  # rocPRIM leaves the program at the first HIP error
            failed |= unfinished
            unfinished = set()
        for kind, cases in zip(KINDS, (passed, failed, skipped, unfinished)):
            kinds[kind] |= cases
        if not begun & set(batch):
            break  # it does not even begin: those count as not run
        left = [case for case in left if case not in begun]
    return kinds, "\n".join(texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, default=ROOT / "build/external/rocprim")
    parser.add_argument("--gpu", action="append", help="default: mi210 and rx7900xtx")
    parser.add_argument("--seconds", type=float, default=100, help="for a case")
    parser.add_argument("--cases", type=int, help="of each program (all)")
    parser.add_argument("program", nargs="*")
    options = parser.parse_args()
    folder = options.source / FOLDER
    if not folder.is_dir():
        subprocess.run([ROOT / "dev", "unpack", "trixie", options.source, *PACKAGES], check=True)
    names = options.program or [p.name for p in sorted(folder.iterdir(), key=lambda p: p.stat().st_size)]
    print(f"{'program':40} {'GPU':10} {'cases':>6} " + " ".join(f"{kind:>7}" for kind in KINDS) + " not run")
    sums = dict.fromkeys(("cases", *KINDS), 0)
    for program in names:
        for gpu in options.gpu or ["mi210", "rx7900xtx"]:
            all_cases = cases_of(options.source, program, gpu)
            chosen = all_cases
            if options.cases and options.cases < len(all_cases):
                step = len(all_cases) / options.cases
                chosen = [all_cases[int((i + 0.5) * step)] for i in range(options.cases)]
            counts, complaints = {"cases": len(all_cases)} | dict.fromkeys(KINDS, 0), []
            cases, text = run(options.source, program, gpu, options.seconds, chosen)
            for kind in KINDS:
                counts[kind] += len(cases[kind])
            complaints += [f"  {kind}: {name}" for kind in ("failed", "time") for name in sorted(cases[kind])]
            first = re.search(r"^hipsight: (?!.*\n(.*\n)*?.*the run goes on).*(\n  .*)*", text, re.M)
            if cases["failed"] and first:
                complaints.append("    " + first[0].replace("\n", "\n    "))
            left = len(all_cases) - sum(counts[kind] for kind in KINDS)
            columns = " ".join(f"{counts[kind]:7}" for kind in KINDS)
            print(f"{program:40} {gpu:10} {counts['cases']:6} {columns} {left:7}", *complaints, sep="\n", flush=True)
            for kind, count in counts.items():
                sums[kind] += count
    ended = sums["passed"] + sums["failed"]
    print(f"\n{ended} cases came to an end, {sums['passed']} passed ({100 * sums['passed'] / max(1, ended):.2f} %), "
          f"{sums['failed']} failed; {sums['time']} were cut off by the time, {sums['skipped']} skipped themselves, "
          f"{sums['cases'] - sum(sums[kind] for kind in KINDS)} not run")
    return sums["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
