"""A rank of RCCL, for tensors on the CPU."""

import contextlib
import ctypes

import torch

TYPES = {torch.int8: 0, torch.uint8: 1, torch.bool: 1, torch.int32: 2, torch.int64: 4, torch.float16: 6,
         torch.float32: 7, torch.float64: 8, torch.bfloat16: 9}  # as RCCL numbers them
SUM, PRODUCT, MAX, MIN, AVERAGE = range(5)
BYTES = ctypes.c_size_t


class UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_char * 128)]


class Rank:

    def __init__(self, ranks, rank, share):
        """`share`: hands the first rank's bytes on to all, and returns them."""
        self.communicator = None
        self.rccl = ctypes.CDLL("librccl.so.1")
        self.rccl.ncclGetLastError.restype = ctypes.c_char_p
        self.hip = ctypes.CDLL("libamdhip64.so")
        unique = UniqueId()
        if rank == 0:
            self.check("ncclGetUniqueId", self.rccl.ncclGetUniqueId(ctypes.byref(unique)))
        unique = UniqueId.from_buffer_copy(share(bytes(unique) if rank == 0 else None))
        communicator = ctypes.c_void_p()
        self.check("ncclCommInitRank", self.rccl.ncclCommInitRank(ctypes.byref(communicator), ranks, unique, rank))
        self.communicator = communicator

    def check(self, name, result):
        if result:
            raise RuntimeError(f"{name}: {(self.rccl.ncclGetLastError(self.communicator) or b'').decode()}")

    def all_reduce(self, source, target, operation=SUM):
        self.call("ncclAllReduce", [source, target], source.numel(), source.dtype, operation)

    def all_gather(self, source, target):
        self.call("ncclAllGather", [source, target], source.numel(), source.dtype)

    def reduce_scatter(self, source, target, operation=SUM):
        self.call("ncclReduceScatter", [source, target], target.numel(), source.dtype, operation)

    def broadcast(self, tensor, root):
        self.call("ncclBroadcast", [tensor, tensor], tensor.numel(), tensor.dtype, root)

    def reduce(self, tensor, root, operation=SUM):
        self.call("ncclReduce", [tensor, tensor], tensor.numel(), tensor.dtype, operation, root)

    def all_to_all(self, source, target, count):
        self.call("ncclAllToAll", [source, target], count, source.dtype)

    def send(self, tensor, peer):
        self.call("ncclSend", [tensor], tensor.numel(), tensor.dtype, peer)

    def receive(self, tensor, peer):
        self.call("ncclRecv", [tensor], tensor.numel(), tensor.dtype, peer)

    def call(self, name, tensors, count, dtype, *others):
        """Waits for the result: torch reads tensors of the CPU at once."""
        if dtype not in TYPES:
            raise TypeError(f"{name}: RCCL has no {dtype}")
        if not all(tensor.is_contiguous() for tensor in tensors):
            raise ValueError(f"{name}: tensors must be contiguous")
        with contextlib.ExitStack() as stack:
            places = [stack.enter_context(self.reached(tensor)) for tensor in tensors]
            self.check(name, getattr(self.rccl, name)(*places, BYTES(count), TYPES[dtype], *others, self.communicator, None))
            error = self.hip.hipStreamSynchronize(None)
        if error:
            raise RuntimeError(f"{name}: HIP's error {error}")
        state = ctypes.c_int()
        self.check(name, self.rccl.ncclCommGetAsyncError(self.communicator, ctypes.byref(state)))
        self.check(name, state.value)

    @contextlib.contextmanager
    def reached(self, tensor):
        """Where the GPU finds a tensor, whose memory it reaches meanwhile."""
        place = ctypes.c_void_p(tensor.data_ptr())
        size = BYTES(tensor.numel() * tensor.element_size())
        # Not ours to end where it was registered before: by Triton's driver, or as the other operand.
        ours = size.value > 0 and self.hip.hipHostRegister(place, size, 0) == 0
        try:
            yield place
        finally:
            if ours:
                self.hip.hipHostUnregister(place)

    def destroy(self):
        self.rccl.ncclCommDestroy(self.communicator)
