"""python -m hipsight: the command, as the package brings it."""

import json
import os
import subprocess
import sys



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


def test_gives_the_programs_exit_code():
    assert command("run", "--", sys.executable, "-c", "raise SystemExit(7)").returncode == 7
    assert command("no-such-command").returncode == 125
