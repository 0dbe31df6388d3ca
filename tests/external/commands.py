"""Lists and runs cases that are each a command line of their own: MAGMA's and Thrust's."""

import re
import subprocess
import tempfile
from pathlib import Path

from gtests import KINDS
from programs import run as run_program

MAGMA_GROUPS = "blas aux chol hesv lu qr syev sygv geev svd batched vbatched"
MAGMA_SIZES = "-n 5 -n 33 -n 100 -n 130"


def magma_cases(folder):
    """By program, what MAGMA's own script would run: it prints that as it runs programs that do nothing."""
    cases = {}
    with tempfile.TemporaryDirectory() as empty:
        for program in (folder / "testing").glob("testing_*"):
            (Path(empty) / program.name).symlink_to("/bin/true")
        options = ["--no-mgpu", "--batch", "10", "-n", "1", *("--" + group for group in MAGMA_GROUPS.split())]
        text = subprocess.run(["python3", folder / "run_tests.py", *options], cwd=empty, env={"PATH": empty},
                              executable="/usr/bin/python3", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=True).stdout
    for line in re.findall(r"^testing_.*?(?= -n |$)", text, re.M):
        cases.setdefault(line.split()[0], []).append(f"{line} {MAGMA_SIZES}")
    return cases


def thrust_cases(command):
    """All of a program's."""
    text = run_program([*command, "--list"], "", 60)[1]
    name = Path(command[-1]).name
    return {name: [f"{name} {case} --sizes=medium" for case in re.findall(r"^Test\w+$", text, re.M)]}


def run(command, chosen, seconds):
    """What became of each command line; `command` gives what runs its program."""
    kinds, texts = {kind: set() for kind in KINDS}, []
    for case in chosen:
        with tempfile.TemporaryDirectory() as folder:  # some leave files
            code, text = run_program([*command, *case.split()[1:]], "", seconds, folder)
        texts.append(f"== {case}\n{text}")
        if code is None:
            kind = "time"
        elif re.search(r"not available for real|\.ref: No such file", text):  # MAGMA's; packages lack the latter
            kind = "skipped"
        elif code or re.search(r"\bfailed|illegal value", text):
            kind = "failed"
        else:  # some of MAGMA's have nothing to compare
            kind = "passed" if re.search(r"\bok *$|^Totals: .* and [1-9]\d* passes", text, re.M) else "skipped"
        kinds[kind].add(case)
    return kinds, "\n".join(texts)
