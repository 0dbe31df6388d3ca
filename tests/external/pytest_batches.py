"""Runs cases of a pytest suite on an emulated GPU, each with its time, and again in a new process after one that
crashed or took too long. Results are files of notes, so a run that is started again goes on where it ended."""

import collections
import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from programs import ROOT


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


class Suite:
    """What to run: `python` with pytest's `arguments` in the folder `source`; results go to `folder`."""

    def __init__(self, folder, source, python, arguments, seconds, **variables):
        self.folder, self.source, self.python, self.arguments = folder, source, python, arguments
        self.seconds, self.variables = seconds, variables
        folder.mkdir(parents=True, exist_ok=True)

    def forget(self, gpu):
        for notes in self.folder.glob(f"{gpu}-*.notes"):
            notes.unlink()

    def all_cases(self, gpu):
        """The ids of all cases, which differ from GPU to GPU."""
        batch = Batch(self, gpu, "all", [])
        batch.start([""]).wait()
        return [case for case in batch.list.read_text().split("\n") if case]

    def results_so_far(self, gpu):
        return {case: result for notes in self.folder.glob(f"{gpu}-*.notes")
                for case, result in results_of(notes)[0].items()}

    def run(self, gpu, cases, processes):
        """The results of these cases, those of earlier runs among them."""
        ended = self.results_so_far(gpu)
        left = [case for case in cases if case not in ended]
        batches = [Batch(self, gpu, str(i), left[i::processes]) for i in range(processes)]
        with ThreadPoolExecutor(processes) as pool:
            list(pool.map(Batch.run, batches))
        results = self.results_so_far(gpu)
        return {case: results[case] for case in cases}


class Batch:
    """Some cases, run one after the other; in a new process after one that crashed or took too long."""

    def __init__(self, suite, gpu, name, cases):
        self.suite, self.gpu, self.cases = suite, gpu, cases
        self.list, self.notes = (suite.folder / f"{gpu}-{name}.{kind}" for kind in ("cases", "notes"))

    def start(self, cases):
        self.list.write_text("\n".join(cases))
        with open(self.notes, "a") as notes:
            print(json.dumps({"start": len(cases)}), file=notes)
        environment = os.environ | {
            "HIPSIGHT_CASES": str(self.list), "HIPSIGHT_NOTES": str(self.notes), "OMP_NUM_THREADS": "1",
            "PYTHONPATH": f"{ROOT}/tests/external:{os.environ.get('PYTHONPATH', '')}"} | self.suite.variables
        with open(self.notes.with_suffix(".log"), "a") as log:
            return subprocess.Popen(
                [os.environ.get("HIPSIGHT", ROOT / "build/hipsight"), "run", "--gpu", self.gpu, "--no-report", "--",
                 self.suite.python, "-m", "pytest", "-q", "-p", "pytest_cases", "-p", "no:cacheprovider",
                 "--tb=short", *self.suite.arguments],
                cwd=self.suite.source, env=environment, stdin=subprocess.DEVNULL, stdout=log,
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
                if running and time.time() - running["at"] > self.suite.seconds:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    return f"still running after {self.suite.seconds:g} s"


def function(case):
    """A case without its parameters."""
    return case.split("[")[0]


def choose(cases, count, seed):
    """`count` of them (0: all), beginning with one of each function."""
    shuffled = random.Random(seed).sample(cases, len(cases))
    first = {}
    for case in shuffled:
        first.setdefault(function(case), case)
    once = set(first.values())
    return ([*first.values()] + [case for case in shuffled if case not in once])[:max(count, len(once)) if count else None]


TABLE = ("| GPU | cases | functions | passed | failed | time | skipped | passed of those that ended |\n"
         "|---|---|---|---|---|---|---|---|")


def row(gpu, outcomes):
    """A line of the table; tells what failed, and why."""
    for case, result in outcomes.items():
        if result["outcome"] in ("failed", "time"):
            print(f"{gpu} {result['outcome']:6} {case}\n    {result['why'][:300]}", flush=True)
    counts = collections.Counter(result["outcome"] for result in outcomes.values())
    decided = counts["passed"] + counts["failed"]
    return (f"| {gpu} | {len(outcomes)} | {len({function(case) for case in outcomes})} | {counts['passed']} | "
            f"{counts['failed']} | {counts['time']} | {counts['skipped']} | "
            f"{100 * counts['passed'] / max(decided, 1):.1f} % |")
