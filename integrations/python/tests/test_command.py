"""python -m hipsight: the command, as the package brings it."""

import json
import os
import subprocess
import sys

import pytest

import hipsight


def command(*words, **keywords):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "HIPSIGHT_"))}
    return subprocess.run([sys.executable, "-m", "hipsight", *words], text=True, capture_output=True, env=environment,
                          **keywords)


def test_lists_gpus():
    done = command("gpus")
    assert done.returncode == 0 and "mi300x" in done.stdout


def test_runs_a_program_with_its_own_libraries(code, tmp_path):
    (tmp_path / "kernels.co").write_bytes(code)
    done = command("run", "--kernel", "sa.*y", "--json", "report.json", "--grid", "16", "--block", "256", "--arg",
                   "i32:4096", "--arg", "f32:2", "--arg", "buffer:16k:f32", "--arg", "buffer:16k:f32", "kernels.co",
                   cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "saxpy(int, float, float const*, float*): " in done.stderr
    kernel, = json.loads((tmp_path / "report.json").read_text())["kernels"]
    assert kernel["launches"] == 1


PROGRAM = """
import ctypes, sys, torch, hipsight.torch
roctx = ctypes.CDLL("libroctx64.so.4")
x, weight = torch.randn(5, 96), torch.randn(96)
for gpu in [None, "mi210"]:
    if gpu is None:
        hipsight.torch.use_runtime()
        roctx.roctxRangePushA(b"the norm")
    y = torch.ops.hipsight.rms_norm(x, weight, gpu=gpu)
    if gpu is None:
        roctx.roctxRangePop()
    torch.testing.assert_close(y, torch.nn.functional.rms_norm(x, (96,), weight, 1e-6))
"""


def test_reports_operations_that_use_the_runtime(tmp_path):
    """The one that names no GPU, in its range."""
    pytest.importorskip("torch")
    done = command("run", "--gpu", "mi300x", "--json", "report.json", "--", sys.executable, "-c", PROGRAM, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    kernel, = report["kernels"]
    assert kernel["launches"] == 1 and kernel["range"] == "the norm" and "row_kernel" in kernel["name"]


def test_says_that_there_is_no_runtime(monkeypatch):
    torch = pytest.importorskip("hipsight.torch")
    monkeypatch.delenv("HIPSIGHT_GPU", raising=False)
    with pytest.raises(hipsight.Error, match="was not started by `hipsight run`"):
        torch.use_runtime()


def test_gives_the_programs_exit_code():
    assert command("run", "--", sys.executable, "-c", "raise SystemExit(7)").returncode == 7
    assert command("no-such-command").returncode == 125
