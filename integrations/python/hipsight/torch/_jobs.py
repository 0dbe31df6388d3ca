"""Predictions that several processes share: those of --jobs, or those that mpirun or srun started.

All processes run the same command. The first one goes through the work in order and has the answer. The others begin
elsewhere in it; what they predict is kept in the cache folder, where the first one finds it (_operators.py). A process that
is lost costs what it was at.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence

from .._error import Error, usage

STARTERS = (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"), ("SLURM_PROCID", "SLURM_NTASKS"))
HELPER = ("PMI_RANK", "PMI_SIZE")
MOST = 8
"""Processes, where nobody says how many: each takes half a GB."""


def rank() -> tuple[int, int]:
    """Which process of how many this is; (0, 1): alone."""
    for names in STARTERS:
        number, count = (os.environ.get(name) for name in names)
        if number and count:
            if not (number.isdecimal() and count.isdecimal() and int(number) < int(count)):
                raise usage("jobs", f"{names[0]} is {number!r} and {names[1]} is {count!r}: no rank among so many")
            return int(number), int(count)
    return 0, 1


class Helpers:
    """While it is open, `jobs` - 1 more processes run a command; what they print is lost. None where there are ranks."""

    def __init__(self, jobs: int | None, command: Sequence[str]):
        self._command = [sys.executable, "-m", "hipsight", *command]
        count = jobs or min(MOST, len(os.sched_getaffinity(0)))
        self._count = 0 if rank()[1] > 1 else count - 1
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> None:
        for i in range(self._count):
            names = dict(zip(HELPER, (str(i + 1), str(self._count + 1))))
            self._processes.append(subprocess.Popen(
                self._command, env=os.environ | names, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL))

    def __exit__(self, *_) -> None:
        for one in self._processes:
            one.kill()  # whatever is left is nobody's
            one.wait()


def helps(tasks: Sequence[Callable[[], object]]) -> bool:
    """Whether this process is not the first one. Then it does the tasks, from its place in them on."""
    number, count = rank()
    if number == 0:
        return False
    begin = number * len(tasks) // count
    for task in (*tasks[begin:], *tasks[:begin]):
        try:
            task()
        except Error:
            pass  # the first process says so
    return True
