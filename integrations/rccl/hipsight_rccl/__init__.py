"""Tensors of several processes that mpirun started, by our librccl.so.1 (docs/collectives.md): its kernels run on the
emulated GPU of each. A backend of torch.distributed:

    torch.distributed.init_process_group("hipsight")
"""

import os
import zlib


def in_job():
    """Whether Open MPI's mpirun started several processes, under `hipsight run`."""
    return "HIPSIGHT_GPU" in os.environ and int(os.environ.get("OMPI_COMM_WORLD_SIZE", 1)) > 1


def as_torchrun():
    """What torch asks of a launcher, from what mpirun says; what is set stays."""
    for name, of_mpi in [("RANK", "RANK"), ("WORLD_SIZE", "SIZE"), ("LOCAL_RANK", "LOCAL_RANK")]:
        os.environ.setdefault(name, os.environ[f"OMPI_COMM_WORLD_{of_mpi}"])
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    # The same for all processes of a job, and another one for each job.
    job = zlib.crc32(os.environ.get("PMIX_NAMESPACE", "").encode())
    os.environ.setdefault("MASTER_PORT", str(20000 + job % 10000))


def register():
    """torch calls this when it is imported (the entry points `torch.backends`)."""
    if not in_job():
        return
    as_torchrun()
    import torch.distributed
    from .backend import Processes
    torch.distributed.Backend.register_backend("hipsight", Processes, devices=["cpu"])
