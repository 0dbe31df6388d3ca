#!/usr/bin/env python3
"""Runs Triton's own language tests on emulated GPUs.

    tests/external/triton_core.py --source DIR [--gpu NAME]... [--cases N] [--from M] [--seed S] [PATTERN...]

DIR is a checkout of triton (github.com/triton-lang/triton, branch release/3.7.x) and build/triton-venv
what `./dev triton` makes. Of test_core.py's cases, N (0: all) are chosen by the seed: one of each test
function first, then any. The first M of those are left out: so the whole file can be run in parts.
PATTERNs, regular expressions of names, choose among them. Results go to build/external/triton, and a run
that is started again goes on where it ended (--fresh: from the beginning). Prints what failed and why, and
a table.
"""

import argparse
import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from programs import ROOT

GPUS = ["mi300x", "mi355x", "rx7900xtx", "rx9070xt"]
FOLDER = ROOT / "build/external/triton"
FILE = "python/test/unit/language/test_core.py"


def results_of(notes):
    """What a file of notes says of each case that ended, and the case that has begun and not ended."""
    results, running = {}, None
    for line in notes.read_text().splitlines() if notes.exists() else []:
        try:
            said = json.loads(line)
        except ValueError:
            continue  # cut off when its writer was stopped
        if "start" in said:
            running = None
        elif "begin" in said:
            running = said
        elif said["end"] not in results or said["outcome"] != "passed":
            results[said["end"]] = said
            running = None
    return results, running


class Batch:
    """Some cases, run one after the other; in a new process after one that crashed or took too long."""

    def __init__(self, options, gpu, name, cases):
        self.options, self.gpu, self.cases = options, gpu, cases
        self.list, self.notes = (FOLDER / f"{gpu}-{name}.{kind}" for kind in ("cases", "notes"))

    def start(self, cases):
        self.list.write_text("\n".join(cases))
        with open(self.notes, "a") as notes:
            print(json.dumps({"start": len(cases)}), file=notes)
        environment = os.environ | {
            "HIPSIGHT_CASES": str(self.list), "HIPSIGHT_NOTES": str(self.notes),
            "PYTHONPATH": f"{ROOT}/tests/external:{os.environ.get('PYTHONPATH', '')}",
            "TRITON_CACHE_DIR": str(FOLDER / "cache"), "OMP_NUM_THREADS": "1"}
        with open(self.notes.with_suffix(".log"), "a") as log:
            return subprocess.Popen(
                [os.environ.get("HIPSIGHT", ROOT / "build/hipsight"), "run", "--gpu", self.gpu, "--no-report", "--",
                 ROOT / "build/triton-venv/bin/python", "-m", "pytest", "-q", "-p", "pytest_cases", "-p",
                 "no:cacheprovider", "--tb=short", "--device", "cpu", FILE],
                cwd=self.options.source, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, process_group=0)

    def run(self):
        results, _ = results_of(self.notes)
        while left := [case for case in self.cases if case not in results]:
            process = self.start(left)
            why = self.watch(process)
            results, running = results_of(self.notes)
            if running and why:
                outcome = "time" if why.startswith("still") else "failed"
                with open(self.notes, "a") as notes:
                    print(json.dumps({"end": running["begin"], "outcome": outcome, "why": why}), file=notes)
            elif all(case not in results for case in left):
                sys.exit(f"pytest does not start: see {self.notes.with_suffix('.log')}")
            results, _ = results_of(self.notes)

    def watch(self, process):
        """Waits for the end of the process; why the case that it ran then did not end, if so."""
        while True:
            try:
                code = process.wait(2)
                return code and f"the process ended with {code}"
            except subprocess.TimeoutExpired:
                _, running = results_of(self.notes)
                if running and time.time() - running["at"] > self.options.seconds:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    return f"still running after {self.options.seconds:g} s"


def all_cases(options, gpu):
    """The ids of all cases, which differ from GPU to GPU."""
    batch = Batch(options, gpu, "all", [])
    batch.start([""]).wait()
    return batch.list.read_text().split("\n")


def results_so_far(gpu):
    return {case: result for notes in FOLDER.glob(f"{gpu}-*.notes") for case, result in results_of(notes)[0].items()}


def function(case):
    return re.search(r"::(\w+)", case)[1]


def choose(cases, count, seed):
    """`count` of them (0: all), beginning with one of each function."""
    shuffled = random.Random(seed).sample(cases, len(cases))
    first = {}
    for case in shuffled:
        first.setdefault(function(case), case)
    once = set(first.values())
    return ([*first.values()] + [case for case in shuffled if case not in once])[:max(count, len(once)) if count else None]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--gpu", action="append", choices=GPUS, help="default: all four")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="M")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120, help="for one case")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("pattern", nargs="*")
    options = parser.parse_args()
    table = []
    FOLDER.mkdir(parents=True, exist_ok=True)
    for gpu in options.gpu or GPUS:
        if options.fresh:
            for notes in FOLDER.glob(f"{gpu}-*.notes"):
                notes.unlink()
        cases = choose(all_cases(options, gpu), options.cases, options.seed)[options.first:]
        if options.pattern:
            cases = [case for case in cases if any(re.search(wanted, case) for wanted in options.pattern)]
        ended = results_so_far(gpu)
        left = [case for case in cases if case not in ended]
        batches = [Batch(options, gpu, str(i), left[i::options.processes]) for i in range(options.processes)]
        with ThreadPoolExecutor(options.processes) as pool:
            list(pool.map(Batch.run, batches))
        results = results_so_far(gpu)
        outcomes = {case: results[case] for case in cases}
        for case, result in outcomes.items():
            if result["outcome"] in ("failed", "time"):
                print(f"{gpu} {result['outcome']:6} {case.split('::')[1]}\n    {result['why'][:300]}", flush=True)
        counts = collections.Counter(result["outcome"] for result in outcomes.values())
        decided = counts["passed"] + counts["failed"]
        table.append(f"| {gpu} | {len(cases)} | {len({function(case) for case in cases})} | {counts['passed']} | "
                     f"{counts['failed']} | {counts['time']} | {counts['skipped']} | "
                     f"{100 * counts['passed'] / max(decided, 1):.1f} % |")
    print("| GPU | cases | functions | passed | failed | time | skipped | passed of those that ended |")
    print("|---|---|---|---|---|---|---|---|")
    print("\n".join(table))


if __name__ == "__main__":
    main()
