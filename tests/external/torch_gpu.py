"""A pytest plugin: torch's CPU build passes for one that has the emulated GPU.

Programs say device="cuda"; here that is the CPU, whose tensors a kernel may touch once somebody took their
address (hipsight_triton's memory.py). What goes from device to device is copied, as on a GPU. Launches wait
(HIP_LAUNCH_BLOCKING), so streams and events have nothing to do; torch's own graphs are not there.
"""

import contextlib
import ctypes
import os
import subprocess
import time
import types

os.environ["HIP_LAUNCH_BLOCKING"] = "1"

import torch  # pylint: disable=wrong-import-position
from torch.overrides import TorchFunctionMode  # pylint: disable=wrong-import-position

from hipsight_triton import memory  # pylint: disable=wrong-import-position

CPU, GPU = torch.device("cpu"), torch.device("cuda", 0)
MOVES = {torch.Tensor.to: None, torch.Tensor.cpu: CPU, torch.Tensor.cuda: GPU}


def is_device(value):
    return isinstance(value, torch.device) or isinstance(value, str) and value.split(":")[0] in ("cuda", "cpu")


def on_cpu(value):
    return CPU if is_device(value) and str(value).startswith("cuda") else value


class Devices(TorchFunctionMode):
    """Makes everything on the CPU that is wanted on a GPU."""

    def __torch_function__(self, func, types_, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func is torch.device:
            return func(*args, **kwargs)
        kwargs.pop("pin_memory", None)
        moved = func in MOVES and (func is not torch.Tensor.to or any(map(is_device, (*args, *kwargs.values()))))
        if func in (torch.Tensor.cpu, torch.Tensor.cuda, torch.Tensor.pin_memory):
            return args[0].clone() if moved else args[0]
        result = func(*map(on_cpu, args), **{name: on_cpu(value) for name, value in kwargs.items()})
        return result.clone() if moved and result.data_ptr() == args[0].data_ptr() else result


class Stream(torch.cuda.Stream):
    """The only one: the null stream."""

    def __new__(cls, *_, **__):
        return object.__new__(cls)

    def __init__(self, *_, **__):
        pass

    cuda_stream = 0
    device = GPU
    synchronize = wait_stream = wait_event = lambda self, *_: memory.wait()
    query = lambda self: True
    record_event = lambda self, event=None: event or Event()
    __enter__ = lambda self: self
    __exit__ = lambda self, *_: None
    __eq__ = lambda self, other: isinstance(other, Stream)
    __hash__ = lambda self: 0
    __repr__ = lambda self: "the null stream"


class Event:
    """Milliseconds of the host's clock."""

    def __init__(self, *_, **__):
        self.at = time.perf_counter()

    def record(self, *_):
        self.at = time.perf_counter()

    def elapsed_time(self, end):
        return 1e3 * (end.at - self.at) + 1e-6

    synchronize = wait = lambda self, *_: memory.wait()
    query = lambda self: True


class Generator(torch.Generator):
    def __new__(cls, device="cpu"):  # pylint: disable=unused-argument
        return super().__new__(cls, "cpu")


def properties(*_):
    architecture = subprocess.check_output(["rocm_agent_enumerator"], text=True).split()[-1]
    units = ctypes.c_int()
    memory.runtime.hipDeviceGetAttribute(ctypes.byref(units), 63, 0)  # hipDeviceAttributeMultiprocessorCount
    return types.SimpleNamespace(gcnArchName=architecture, name=architecture, multi_processor_count=units.value,
                                 warp_size=64 if architecture.startswith("gfx9") else 32, L2_cache_size=4 << 20,
                                 total_memory=1 << 36, major=9, minor=4)


def dlpack(tensor, *_, plain=torch.Tensor.__dlpack__, **__):
    """A capsule that says kDLROCM where torch's says kDLCPU."""
    tensor.data_ptr()
    capsule = plain(tensor)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    ctypes.c_int32.from_address(pointer(capsule, b"dltensor") + 8).value = 10
    return capsule


def data_ptr(tensor):
    address = torch._C.TensorBase.data_ptr(tensor)
    if address:
        memory.know(tensor.untyped_storage())
    return address


def pass_for_gpu():
    memory.watch("libamdhip64.so")
    torch.Tensor.data_ptr = data_ptr
    torch.Tensor.is_cuda = property(lambda tensor: True)
    torch.Tensor.device = property(lambda tensor: GPU)
    torch.Tensor.__dlpack__ = dlpack
    torch.Tensor.__dlpack_device__ = lambda tensor: (10, 0)
    torch.Tensor.record_stream = lambda tensor, stream: None
    torch.Generator = Generator
    for name, value in {
            "is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0,
            "get_device_name": lambda *_: properties().name, "get_device_properties": properties,
            "get_device_capability": lambda *_: (9, 4), "synchronize": lambda *_: memory.wait(),
            "empty_cache": lambda: None, "set_device": lambda *_: None, "mem_get_info": lambda *_: (1 << 36, 1 << 36),
            "manual_seed": lambda *_: None, "manual_seed_all": lambda *_: None, "_sleep": lambda *_: None,
            "Stream": Stream, "Event": Event, "ExternalStream": Stream, "current_stream": Stream,
            "default_stream": Stream, "stream": contextlib.nullcontext, "device": contextlib.nullcontext,
            "is_current_stream_capturing": lambda: False, "memory_allocated": lambda *_: 0,
            "max_memory_allocated": lambda *_: 0, "reset_peak_memory_stats": lambda *_: None}.items():
        setattr(torch.cuda, name, value)
    torch.version.hip = "7.0"
    run_backward = torch.autograd._engine_run_backward

    def backward(*arguments, **named):  # a mode is off while it is asked, and backward() asks it
        with Devices():
            return run_backward(*arguments, **named)

    torch.autograd._engine_run_backward = backward
    Devices().__enter__()


pass_for_gpu()
