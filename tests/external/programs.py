"""What the scripts of this folder share: running one program on an emulated GPU."""

import os
import signal
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(command, gpu, seconds, folder=None, **variables):
    """The program's exit code, None if it had to be stopped, and what it said on both channels. An empty `gpu` is
    for commands that choose theirs."""
    chosen = {"HIPSIGHT_GPU": gpu, "HIPSIGHT_REPORT": "none"} if gpu else {}
    environment = os.environ | chosen | variables
    program = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, text=True,
                               errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               process_group=0)
    try:
        text, _ = program.communicate(timeout=seconds)
        return program.returncode, text
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)  # with the children it may have
        text, _ = program.communicate()
        return None, text


def last_lines(text, count):
    """The end of a program's text, indented."""
    return "\n".join("    " + line for line in text.strip().split("\n")[-count:])
