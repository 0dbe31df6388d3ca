"""torch.distributed on our librccl.so.1, in processes that mpirun starts."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
HIPSIGHT = HERE.parents[2] / "build/hipsight"


def test_operations_are_those_of_gloo(tmp_path):
    ranks = 3
    if shutil.which("mpirun") is None:
        pytest.skip("NOT RUN: there is no mpirun (openmpi-bin)")
    words = ["mpirun", "--oversubscribe", "--bind-to", "none"]
    for rank in range(ranks):
        words += [*([":"] if rank else []), "-n", "1", HIPSIGHT, "run", "--gpu", "mi300x", "--no-report", "--json",
                  tmp_path / f"{rank}.json", "--", sys.executable, "-W", "ignore", HERE / "operations.py"]
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    job = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, env=environment)
    assert job.returncode == 0 and job.stdout.count("as gloo") == ranks, job.stdout[-2000:] + job.stderr[-5000:]
    for rank in range(ranks):
        kernels = json.loads((tmp_path / f"{rank}.json").read_text())["kernels"]
        assert any("rccl" in kernel["name"] and "reduce_kernel" in kernel["name"] for kernel in kernels)
