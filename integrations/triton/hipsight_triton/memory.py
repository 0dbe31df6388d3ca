"""Makes the memory of CPU tensors known to the emulated GPU.

A kernel may touch only memory that the runtime knows. Whoever takes a tensor's address by `data_ptr()`,
as Triton does for every argument, makes the tensor's storage known, to the dword (`hipHostRegister`):
atomics on elements of 16 bits are done on the dword around them. It stays known until torch frees it, so a kernel's access to a freed tensor is found too.
"""

import ctypes
import threading

import torch
from torch.multiprocessing.reductions import StorageWeakRef

DWORD = 4
READ_ONLY = 8  # hipHostRegisterReadOnly
ALREADY_REGISTERED = 712  # hipErrorHostMemoryAlreadyRegistered: it is HIP's own memory

runtime = None
known = {}  # storage's identity: its Range
lock = threading.RLock()


class Range:
    """Bytes [begin, end) that one storage holds, or several that share memory."""

    def __init__(self, begin, end, owners):
        self.begin, self.end, self.owners = begin, end, owners

    def is_freed(self):
        return all(owner.expired() for owner in self.owners)

    def register(self):
        arguments = ctypes.c_void_p(self.begin), ctypes.c_size_t(self.end - self.begin)
        error = runtime.hipHostRegister(*arguments, 0)
        if error:
            error = runtime.hipHostRegister(*arguments, READ_ONLY)
        if error and error != ALREADY_REGISTERED:
            runtime.hipGetLastError()
            raise RuntimeError(f"hipHostRegister of a tensor's {self.end - self.begin} bytes at "
                               f"{self.begin:#x}: HIP error {error}")

    def forget(self):
        runtime.hipHostUnregister(ctypes.c_void_p(self.begin))
        for owner in self.owners:
            known.pop(owner.cdata, None)


def watch(library):
    """From now on `data_ptr()` of a CPU tensor makes its storage known to this HIP runtime."""
    global runtime
    if runtime is None:
        runtime = ctypes.CDLL(library)
        torch.Tensor.data_ptr = data_ptr


def wait():
    """Until all that was launched has ended. Raises if a kernel failed."""
    call("hipDeviceSynchronize")


def call(function, *arguments):
    """A function of the HIP runtime. Raises if it fails."""
    error = getattr(runtime, function)(*arguments)
    if error:
        runtime.hipGetErrorString.restype = ctypes.c_char_p
        raise RuntimeError(f"HIP error {error}: {runtime.hipGetErrorString(error).decode()}")


def data_ptr(tensor):
    """The address of the tensor's first element."""
    address = torch._C.TensorBase.data_ptr(tensor)
    if address and tensor.device.type == "cpu":
        know(tensor.untyped_storage())
    return address


def know(storage):
    begin, end = storage.data_ptr() // DWORD * DWORD, -(-(storage.data_ptr() + storage.nbytes()) // DWORD) * DWORD
    with lock:
        old = known.get(storage._cdata)
        if old and old.begin <= begin and end <= old.end:
            return
        forget_freed()
        if old:
            old.forget()  # resized since
        owners = [StorageWeakRef(storage)]
        for other in [other for other in ranges() if other.begin < end and begin < other.end]:
            other.forget()
            begin, end, owners = min(begin, other.begin), max(end, other.end), owners + other.owners
        now = Range(begin, end, owners)
        now.register()
        known.update((owner.cdata, now) for owner in owners)


def forget_freed():
    with lock:
        for freed in [held for held in ranges() if held.is_freed()]:
            freed.forget()


def ranges():
    return set(known.values())
