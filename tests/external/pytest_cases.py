"""A pytest plugin of pytest_batches.py: runs the cases that are asked for, and notes each in a file.

HIPSIGHT_CASES is a file of node ids, one a line, or empty to write the ids of all cases there.
HIPSIGHT_NOTES gets one line of JSON when a case begins, and one when it ends.
"""

import gc
import json
import os
import re
import time

import pytest

CASES, NOTES = os.environ["HIPSIGHT_CASES"], os.environ["HIPSIGHT_NOTES"]


KERNEL_ERROR = re.compile("hipsight:|  (kernel|instruction|source) ")  # what the runtime says on stderr


def cause(error):
    """What a test failed of at first: Triton's launcher lets its errors end in others."""
    while error.__cause__:
        error = error.__cause__
    return f"{type(error).__name__}: {error}"[-2000:]


def note(**what):
    with open(NOTES, "a", encoding="utf-8") as file:
        print(json.dumps(what), file=file)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    with open(CASES, encoding="utf-8") as file:
        wanted = file.read().split("\n")
    if wanted == [""]:
        with open(CASES, "w", encoding="utf-8") as file:
            file.write("\n".join(item.nodeid for item in items))
        items.clear()
        return
    by_id = {item.nodeid: item for item in items}
    items[:] = [by_id[name] for name in wanted]
    # The others stay in pytest's memory, and are no garbage to be looked for after each case.
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    note(begin=item.nodeid, at=time.time())
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call" or report.outcome != "passed":
        why = ""
        if report.skipped and isinstance(report.longrepr, tuple):
            why = report.longrepr[2]
        elif call.excinfo:
            why = cause(call.excinfo.value)
        if hasattr(report, "wasxfail"):
            why = f"expected to fail: {report.wasxfail}"
        broken = re.search(r"Triton Error \[HIP\]|HIP error \d|hipError", why)
        if broken:
            why += "\n" + "\n".join(line for line in report.capstderr.split("\n") if KERNEL_ERROR.match(line))
        note(end=item.nodeid, outcome=report.outcome, seconds=round(report.duration, 2), why=why)
        # A kernel that failed leaves the GPU in its error, as on hardware: a new process is needed.
        if broken:
            pytest.exit("the emulated GPU is in error", returncode=0)
    return report
