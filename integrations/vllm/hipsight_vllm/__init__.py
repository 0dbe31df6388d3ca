"""A platform of vLLM: attention by vLLM's own Triton kernels, on the GPU that `hipsight run` emulates."""

import os
import zlib


def platform():
    """vLLM asks at its start: the class of our platform, if `hipsight run` started the program."""
    if "HIPSIGHT_GPU" not in os.environ:
        return None
    as_torchrun()
    return "hipsight_vllm.platform.HipsightPlatform"


def as_torchrun():
    """What vLLM's `external_launcher` asks of a launcher, from what Open MPI's mpirun says; what is set stays."""
    if "OMPI_COMM_WORLD_SIZE" not in os.environ:
        return
    for name, of_mpi in [("RANK", "RANK"), ("WORLD_SIZE", "SIZE"), ("LOCAL_RANK", "LOCAL_RANK")]:
        os.environ.setdefault(name, os.environ[f"OMPI_COMM_WORLD_{of_mpi}"])
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    # The same for all processes of a job, and another one for each job.
    job = zlib.crc32(os.environ.get("PMIX_NAMESPACE", "").encode())
    os.environ.setdefault("MASTER_PORT", str(20000 + job % 10000))
