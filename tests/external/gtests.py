"""Lists and runs cases of programs that are made with GoogleTest, a time limit for each case."""

import os
import re
import select
import signal
import subprocess
import time

KINDS = ("passed", "failed", "skipped", "time")


def cases_of(command):
    """The names of a program's cases, by suite."""
    text = subprocess.run([*command, "--gtest_list_tests"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace", check=False).stdout
    suite, cases = "", {}
    for line in text.splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith("  ") and "DISABLED_" not in suite + name:
            cases.setdefault(suite, []).append(suite + name.strip())
        elif re.fullmatch(r"\S+\.", name):
            suite = name
    return cases


def watch(command, seconds, start):
    """The program's exit code, None if a case took longer than `seconds`, or the way to the first one longer than
    `start` (the program is then stopped), and what it said."""
    environment = os.environ | {"GTEST_LISTENER": "PASS_LINE_IN_LOG"}  # rocBLAS leaves out what passed otherwise
    program = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, process_group=0)
    text, end = b"", time.monotonic() + start
    os.set_blocking(program.stdout.fileno(), False)
    while True:
        more = select.select([program.stdout], [], [], 1)[0] and os.read(program.stdout.fileno(), 1 << 16)
        if more:
            text += more
            if b"[ RUN " in more:
                end = time.monotonic() + seconds
        elif more == b"":
            return program.wait(), text.decode(errors="replace")
        if time.monotonic() > end:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
            return None, text.decode(errors="replace")


def run(command, chosen, seconds):
    """Names of the cases by what became of them, and the text. After a case that took too long, or ended the
    program, those that are left run in another process."""
    kinds, texts, left = {kind: set() for kind in KINDS}, [], list(chosen)
    while left:
        # An argument has at most 128 KiB.
        count, size = 0, 0
        while count < len(left) and size + len(left[count]) < 100_000:
            size += len(left[count]) + 1
            count += 1
        code, text = watch([*command, "--gtest_filter=" + ":".join(left[:count])], seconds, seconds + 600)
        texts.append(text)
        begun, passed, failed, skipped = (
            set(re.findall(rf"^\[ +{mark} +\] (\S+)", text, re.M)) for mark in ("RUN", "OK", "FAILED", "SKIPPED"))
        skipped &= begun
        failed &= begun
        passed -= skipped
        unfinished = begun - passed - failed - skipped
        if code is not None:  # some leave the program at the first HIP error
            failed |= unfinished
            unfinished = set()
        for kind, cases in zip(KINDS, (passed, failed, skipped, unfinished)):
            kinds[kind] |= cases
        if not begun & set(left[:count]):
            break  # it does not even begin: those count as not run
        left = [case for case in left if case not in begun]
    return kinds, "\n".join(texts)
