#!/usr/bin/env python3
"""Runs the hipsight commands of the pages, as a reader would: run_commands.py BUILD.

Programs are stand-ins: those of docs/getting-started.md come from that page itself, `./program` is examples/saxpy. A command
that is not LEFT_OUT must end with 0, or as ENDS says. What stands below a command in README.md and getting-started.md must
be in what it prints, line by line.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("integrations/*/README.md"))]
WITH_OUTPUT = {"README.md", "getting-started.md"}
LONGEST = 120  # seconds of a command

# Why a command is not run, by what stands in it.
LEFT_OUT = {
    r"serve-report|plan ": "predicts a model for minutes: ./dev frameworks checks its options, and runs smaller ones",
    r"python|hipsight mcp": "needs Python's packages: ./dev triton, ./dev frameworks and ./dev vllm run such programs",
    r"hip-stream|links-rocblas": "needs a program of somebody else",
    r"\bkpi (check|diff|record) (kpi.toml|old.json|tests)": "needs a suite of the reader's: run by tests/kpi",
    r"--kernel (gemm|reduce|softmax|step|scale)|\{CODE\}|scale\.co|kernel\.(co|hsaco)|\.\.\.|ARGUMENTS|FILE":
        "names a kernel, a launch or a file of the reader's",
    r"calibrate|hipcc|--set M=": "takes minutes: run by tests/calibrate and tests/cli",
    r"--coverage": "takes a minute: run by tests/isa",
    r"_steps|flash_attention|router": "takes a minute: run by tests/programs",
}
# The exit codes of what ends otherwise than with 0: findings, a condition that holds, a program that misses its results.
ENDS = {r"check.* -- \./racy|l2_hits": 87, r"--timing-only -- \./program": 1}


def commands(page):
    """Of a page: each command, and the lines that stand below it."""
    text = re.sub(r"\\\n\s*", " ", page.read_text())
    block = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("    ") or (block and not line):
            block.append(line.strip())
            continue
        yield from commands_of(block)
        block = []


def commands_of(block):
    command, below = None, []
    for line in block:
        match = re.match(r"(?:\$ )?(?:build/)?(hipsight [a-z-]+(?: .*|$))", line)
        if match or line.startswith("$ "):
            if command:
                yield command, below
            # A comment stands two spaces behind the command.
            command, below = (re.sub(r"\s{2,}#.*| # .*", "", match[1]) if match else None), []
        elif command and line:
            below.append(line)
    if command:
        yield command, below


def build_programs(folder, tools):
    """The programs of docs/getting-started.md, as the page says: compiled from its text."""
    page = (ROOT / "docs/getting-started.md").read_text()
    blocks = [re.sub(r"^    ", "", block, flags=re.M) for block in re.findall(r"(?:^    .*\n|\n)+", page, re.M)]
    source = next(block for block in blocks if "int main" in block).strip() + "\n"
    tile = next(block for block in blocks if "__shared__" in block).strip("\n").split("\n\n")[0] + "\n"
    loop = next(line for line in source.splitlines(True) if "out[x * n" in line)
    lines = tile.splitlines(True)
    tiled = "".join([*lines[:2], "  __syncthreads();\n", *lines[2:]])
    for name, text in {"transpose": source, "racy": source.replace(loop, tile), "tiled": source.replace(loop, tiled)}.items():
        (folder / f"{name}.hip").write_text(text)
    names = ["transpose", "racy", "tiled"]
    with ThreadPoolExecutor() as pool:
        for done in pool.map(lambda name: subprocess.run(
                [tools / "hipcc", "-O3", "-gline-tables-only", f"{name}.hip", "-o", name], cwd=folder), names):
            done.check_returncode()


def prepare(folder, build):
    """What commands take that the pages' earlier commands or their reader would have made."""
    build_programs(folder, build)
    (folder / "build").symlink_to(build)
    for name in ("program", "sgemm"):
        shutil.copy(build / "examples" / ("saxpy" if name == "program" else name), folder / name)
    for name in ("before", "after"):
        shutil.copy(folder / ("transpose" if name == "before" else "tiled"), folder / name)
    shutil.copy(ROOT / "examples/sgemm.hip", folder)
    for name in ("common.h", "matrix.h"):
        shutil.copy(ROOT / "examples" / name, folder)
    (folder / "mine.toml").write_text('name = "mine"\nbase = "mi300x"\n')
    (folder / "known.txt").write_text("")
    words = [["capture", "-o", file] for file in ("gemm.hsc", "launch.hsc", "launch.capture", "capture.hsc")]
    words += [["predict", "--no-report", "--values", file] for file in ("before.values", "after.values")]
    with ThreadPoolExecutor() as pool:
        for done in pool.map(lambda some: subprocess.run([build / "hipsight", *some, "--", "./program"], cwd=folder,
                                                         capture_output=True), words):
            done.check_returncode()


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


def wrong_with(page, command, below, folder, build):
    """What is wrong with a command; empty: nothing."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("HIPSIGHT_")}
    environment |= {"PATH": f"{build}:{os.environ['PATH']}", "HIPSIGHT_CACHE": str(folder / "cache")}
    try:
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
                              timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return f"took over {LONGEST} s"
    printed = (done.stdout + done.stderr).replace(f"{folder}/", "")
    ends = next((code for pattern, code in ENDS.items() if re.search(pattern, command)), 0)
    if done.returncode != ends:
        return f"ended with {done.returncode}, not {ends}:\n{printed[-2000:]}"
    if page.name in WITH_OUTPUT:
        lines = {plain(line) for line in printed.splitlines()}
        gone = [line for line in below if plain(line) not in lines]
        if gone:
            return "does not print this:\n" + "\n".join(gone) + f"\nbut:\n{printed[-3000:]}"
    return ""


def main():
    build = Path(sys.argv[1]).resolve()
    of_pages, left_out = {}, {}
    for page in PAGES:
        for command, below in commands(page):
            why = next((why for pattern, why in LEFT_OUT.items() if re.search(pattern, command)), None)
            if why:
                left_out.setdefault(why, []).append(command)
            else:
                of_pages.setdefault(command, []).append((page, below))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, build)

        def check(item):
            command, places = item
            page, below = max(places, key=lambda place: (place[0].name in WITH_OUTPUT, len(place[1])))
            return page, command, wrong_with(page, command, below, folder, build)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(check, of_pages.items()))
    wrong = [(page, command, what) for page, command, what in results if what]
    for page, command, what in wrong:
        print(f"{page.relative_to(ROOT)}: {command}\n  {what}")
    print(f"{len(results) - len(wrong)} of {len(results)} commands of the pages do what their page says; not run:")
    for why, some in left_out.items():
        print(f"  {len(some):3}  {why}")
    return bool(wrong) or len(results) < 40


if __name__ == "__main__":
    sys.exit(main())
