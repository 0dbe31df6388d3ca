"""Ranks of tensor parallelism: our librccl.so.1 (docs/collectives.md), whose kernels run on the emulated GPU."""

import ctypes
import os

import torch
from vllm.distributed.device_communicators.cpu_communicator import CpuCommunicator

TYPES = {torch.int8: 0, torch.uint8: 1, torch.int32: 2, torch.int64: 4, torch.float16: 6, torch.float32: 7,
         torch.float64: 8, torch.bfloat16: 9}  # as nccl.h numbers them
SUM = 0


class UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_char * 128)]


class HipsightCommunicator(CpuCommunicator):
    """vLLM's communicator for the CPU, but for what layers wait for: these are RCCL's functions. vLLM's own processes
    (`mp`) reach each other by torch alone: librccl's ranks are those that mpirun started."""

    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        self.ours = None
        if self.world_size > 1 and started_by_mpirun():
            self.ours = Rank(self.world_size, self.rank_in_group, self.share)

    def share(self, value):
        values = [value]
        torch.distributed.broadcast_object_list(values, src=self.ranks[0], group=self.cpu_group)
        return values[0]

    def all_reduce(self, input_):
        if self.ours is None or input_.dtype not in TYPES or not input_.is_contiguous():
            return super().all_reduce(input_)
        self.ours.call("ncclAllReduce", input_, input_, input_.numel(), TYPES[input_.dtype], SUM)
        return input_

    def all_gather(self, input_, dim=-1):
        if self.ours is None or input_.dtype not in TYPES:
            return super().all_gather(input_, dim)
        input_ = input_.contiguous()
        output = input_.new_empty((self.world_size, *input_.shape))
        self.ours.call("ncclAllGather", input_, output, input_.numel(), TYPES[input_.dtype])
        dim %= input_.dim()
        shape = list(input_.shape)
        shape[dim] *= self.world_size
        return output.movedim(0, dim).reshape(shape)

    def destroy(self):
        if self.ours is not None:
            self.ours.destroy()
        super().destroy()


def started_by_mpirun():
    return int(os.environ.get("OMPI_COMM_WORLD_SIZE", 1)) > 1


class Rank:
    """A rank of RCCL."""

    def __init__(self, ranks, rank, share):
        self.library = ctypes.CDLL("librccl.so.1")
        self.library.ncclGetLastError.restype = ctypes.c_char_p
        unique = UniqueId()
        if rank == 0:
            self.check("ncclGetUniqueId", self.library.ncclGetUniqueId(ctypes.byref(unique)))
        unique = UniqueId.from_buffer_copy(share(bytes(unique) if rank == 0 else None))
        self.communicator = ctypes.c_void_p()
        self.check("ncclCommInitRank", self.library.ncclCommInitRank(ctypes.byref(self.communicator), ranks, unique, rank))
        self.hip = ctypes.CDLL("libamdhip64.so")

    def check(self, name, result):
        if result:
            raise RuntimeError(f"{name}: {(self.library.ncclGetLastError(None) or b'').decode()}")

    def call(self, name, source, target, count, *others):
        """Waits for the result: torch reads tensors of the CPU at once."""
        call = getattr(self.library, name)
        self.check(name, call(ctypes.c_void_p(source.data_ptr()), ctypes.c_void_p(target.data_ptr()), ctypes.c_size_t(count),
                              *others, self.communicator, None))
        error = self.hip.hipStreamSynchronize(None)
        if error:
            raise RuntimeError(f"{name}: HIP's error {error}")
        state = ctypes.c_int()
        self.check(name, self.library.ncclCommGetAsyncError(self.communicator, ctypes.byref(state)))
        if state.value:
            raise RuntimeError(f"{name}: {self.library.ncclGetLastError(self.communicator).decode()}")

    def destroy(self):
        self.library.ncclCommDestroy(self.communicator)
