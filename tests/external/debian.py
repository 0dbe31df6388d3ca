#!/usr/bin/env python3
"""Runs test programs of AMD's libraries, as Debian packages them, on emulated GPUs.

    tests/external/debian.py [--source DIR] [--gpu NAME]... [--seconds N] [--cases N] [--only REGEX] LIBRARY...

DIR gets a folder for each library, its packages unpacked from the suite named below (./dev unpack: 0.1 to
5 GB each). Programs run under build/hipsight, with that suite's loader and C library and our libamdhip64:
nothing is installed. N cases of each suite of a program run (of each program, where a library has many), spread
evenly over it; 0 is all. With --only, these come from the cases that match, written as PROGRAM CASE. A case
that is still running after its time is stopped, and the others go on. Prints a table, and what failed or took
too long; what the programs said is in build/external/debian/LIBRARY-GPU.txt.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import commands
import gtests
from programs import ROOT

SYSTEM = Path("usr/lib/x86_64-linux-gnu")


class Library(NamedTuple):
    suite: str
    packages: str
    programs: str = ""  # a pattern
    needs: tuple = ()
    options: str = ""  # of its programs
    only: str = ""  # regular expression


# What the programs of all want: the suite's own loader, and C, C++, Fortran, OpenMP, BLAS.
BASE = Library("sid", "libc6 libstdc++6 libgcc-s1 libgfortran5 libquadmath0 libblas3 liblapack3 libgomp1 libomp5 "
                      "libsqlite3-0 libfmt11 libfftw3-double3 libfftw3-single3 libopenblas0-pthread")
SMALL = "(quick|pre_checkin)[/_]"
TESTS = "usr/libexec/rocm/*-tests/"
LIBRARIES = {
    "rocblas": Library("sid", "librocblas4 librocblas4-tests librocblas4-tests-data librocm-smi64-1 libroctx64-4",
                       TESTS + "rocblas-test",
                       options="--data {root}/usr/share/librocblas4-tests/data/rocblas_gtest.data",
                       only=SMALL),
    "hipblaslt": Library("experimental", "libhipblaslt1 libhipblaslt1-tests libhipblaslt1-tests-data librocm-smi64-7",
                         TESTS + "hipblaslt-test",
                         options="--data {root}/usr/share/hipblaslt/1.1.0/test/hipblaslt_gtest.data"),
    "rocsolver": Library("sid", "librocsolver0 librocsolver0-tests", TESTS + "rocsolver-test", ("rocblas",)),
    "rocsparse": Library("sid", "librocsparse1 librocsparse1-tests librocsparse1-tests-data", TESTS + "rocsparse-test",
                         options="--data {root}/usr/share/librocsparse1-tests/data/rocsparse_test.data", only=SMALL),
    "rocfft": Library("sid", "librocfft0 librocfft0-tests", TESTS + "rocfft-test",
                      # So that names stay, what needs more than 4 GiB is skipped, and what fails is not. Comparing with
                      # an earlier run needs a file of it.
                      options="--seed 1 --R 4 --skip_runtime_fails 0", only="^(?!.*bitwise_repro)"),
    "magma": Library("sid", "libmagma2-rocm libmagma-rocm-test libhipblas2 libhipsparse1",
                     str(SYSTEM / "libmagma-rocm-test/testing/testing_*"), ("rocblas", "rocsolver", "rocsparse")),
    "rocrand": Library("sid", "librocrand1 librocrand1-tests", TESTS + "test_*"),
    "rocprim": Library("trixie", "librocprim-tests", TESTS + "test_*"),
    "hipcub": Library("sid", "libhipcub-tests", TESTS + "test_*"),
    "rocthrust": Library("sid", "librocthrust-tests", TESTS + "*"),
}


def unpack(source, name, library):
    if not (source / name).is_dir():
        subprocess.run([ROOT / "dev", "unpack", library.suite, source / name, *library.packages.split()], check=True)


def command_of(source, name, program, gpu):
    """By the suite's own loader and libraries, but with our runtime."""
    library, base = LIBRARIES[name], source / "base" / SYSTEM
    path = [ROOT / "build/lib", *(source / needed / SYSTEM for needed in (name, *library.needs)), base,
            base / "blas", base / "lapack", base / "openblas-pthread", "/usr/lib/x86_64-linux-gnu"]
    return [ROOT / "build/hipsight", "run", "--gpu", gpu, "--no-report", "--",
            base / "ld-linux-x86-64.so.2", "--library-path", ":".join(map(str, path)), program,
            *library.options.format(root=source / name).split()]


def spread(cases, count):
    """So many of them, evenly; all, if 0."""
    if not count or count >= len(cases):
        return cases
    return [cases[int((i + 0.5) * len(cases) / count)] for i in range(count)]


def cases_of(source, name, programs, gpu):
    """A library's cases by program and suite; only by program, where there are many programs."""
    if name == "magma":
        listed = commands.magma_cases(programs[0].parents[1])
        return {(path, ""): listed.get(path.name, []) for path in programs}
    list_cases, found = commands.thrust_cases if name == "rocthrust" else gtests.cases_of, {}
    for path in programs:
        for suite, cases in list_cases(command_of(source, name, path, gpu)).items():
            found.setdefault((path, suite if len(programs) == 1 else ""), []).extend(cases)
    return found


def run(source, name, gpu, options):
    """Names of a library's cases by what became of them, how many there are, how many were chosen, and the text."""
    library, tool = LIBRARIES[name], commands if name in ("magma", "rocthrust") else gtests
    programs = sorted(path for path in (source / name).glob(library.programs) if path.name != "run-tests")
    total, chosen = 0, {}
    for (path, _), cases in cases_of(source, name, programs, gpu).items():
        cases = [case for case in cases
                 if re.search(library.only, case) and re.search(options.only, f"{path.name} {case}")]
        total += len(cases)
        chosen.setdefault(path, []).extend(spread(cases, options.cases))
    sums, texts = {kind: [] for kind in gtests.KINDS}, []
    for path, cases in chosen.items():
        if not cases:
            continue
        kinds, text = tool.run(command_of(source, name, path, gpu), cases, options.seconds)
        texts.append(text)
        of_program = f"{path.name} " if len(programs) > 1 and tool is gtests else ""
        for kind, names in kinds.items():
            sums[kind] += [of_program + case for case in sorted(names)]
    return sums, total, sum(map(len, chosen.values())), "\n".join(texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, default=ROOT / "build/external/debian")
    parser.add_argument("--gpu", action="append", help="default: mi210 and rx7900xtx")
    parser.add_argument("--seconds", type=float, default=60, help="for a case")
    parser.add_argument("--cases", type=int, default=4, help="of each suite")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("library", nargs="*", help="of " + ", ".join(LIBRARIES), metavar="LIBRARY")
    options = parser.parse_args()
    log = ROOT / "build/external/debian"
    log.mkdir(parents=True, exist_ok=True)
    source = options.source.absolute()
    unpack(source, "base", BASE)
    print(f"{'library':10} {'GPU':10} {'cases':>8} {'tried':>7} " + " ".join(f"{kind:>7}" for kind in gtests.KINDS) +
          " not run", flush=True)
    sums = dict.fromkeys(gtests.KINDS, 0)
    for name in options.library or LIBRARIES:
        for needed in (*LIBRARIES[name].needs, name):
            unpack(source, needed, LIBRARIES[needed])
        for gpu in options.gpu or ["mi210", "rx7900xtx"]:
            kinds, total, chosen, text = run(source, name, gpu, options)
            (log / f"{name}-{gpu}.txt").write_text(text)
            counts = [len(kinds[kind]) for kind in gtests.KINDS]
            print(f"{name:10} {gpu:10} {total:8} {chosen:7}", *(f"{count:7}" for count in counts),
                  f"{chosen - sum(counts):7}",
                  *(f"\n  {kind}: {case}" for kind in ("failed", "time") for case in kinds[kind]), flush=True)
            for kind in gtests.KINDS:
                sums[kind] += len(kinds[kind])
    ended = sums["passed"] + sums["failed"]
    print(f"\n{ended} cases came to an end, {sums['passed']} passed ({100 * sums['passed'] / max(1, ended):.2f} %), "
          f"{sums['failed']} failed; {sums['time']} were cut off by the time, {sums['skipped']} skipped themselves")
    return sums["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
