"""AMD's driver for Triton, where torch has no GPU: one device, one stream, tensors of the CPU."""

import ctypes
import os
import time
import types

from triton.backends.amd import driver as amd

from . import memory


class Launcher(amd.HIPLauncher):
    """Launches a kernel and waits for it: torch reads its CPU tensors without asking anybody. The program
    may have started the HIP runtime before, so HIP_LAUNCH_BLOCKING would come too late."""

    def __call__(self, *arguments):
        memory.forget_freed()
        super().__call__(*arguments)
        memory.wait()


class HipsightDriver(amd.HIPDriver):

    @staticmethod
    def is_active():
        import torch
        return "HIPSIGHT_GPU" in os.environ and not torch.cuda.is_available()

    def __init__(self):
        super().__init__()
        self.launcher_cls = Launcher
        self.get_current_device = lambda: 0
        self.set_current_device = lambda device: None
        self.get_current_stream = lambda device: 0
        properties = self.utils.get_device_properties
        self.utils.get_device_properties = lambda device: properties(device or 0)  # torch.device("cpu").index is None
        self.get_device_capability = lambda device=None: capability(properties(0)["arch"])
        memory.watch(amd._get_path_to_hip_runtime_dylib())

    def get_active_torch_device(self):
        import torch
        return torch.device("cpu")

    def get_device_interface(self):
        return types.SimpleNamespace(Event=event_class(), synchronize=memory.wait)

    def get_benchmarker(self):
        return benchmark

    def get_empty_cache_for_benchmark(self):
        import torch
        return torch.empty(0)


class Event:
    """Milliseconds of the host's clock, where torch.cuda.Event gives a GPU's."""

    def __init__(self, enable_timing=False):
        self.at = None

    def record(self):
        self.at = time.perf_counter()

    def elapsed_time(self, end):
        return 1e3 * (end.at - self.at)


class GpuEvent:
    """Milliseconds of the emulated GPU's clock (docs/timeline.md): an event of the HIP runtime."""

    def __init__(self, enable_timing=False):
        self.handle = ctypes.c_void_p()
        memory.call("hipEventCreate", ctypes.byref(self.handle))

    def record(self):
        memory.call("hipEventRecord", self.handle, None)

    def elapsed_time(self, end):
        milliseconds = ctypes.c_float()
        memory.call("hipEventElapsedTime", ctypes.byref(milliseconds), self.handle, end.handle)
        return milliseconds.value

    def __del__(self):
        memory.runtime.hipEventDestroy(self.handle)


def event_class():
    return GpuEvent if os.environ.get("HIPSIGHT_TIME") == "predicted" else Event


def capability(arch):
    """What torch calls a GPU's capability: (9, 4) for gfx942:sramecc+:xnack-, (12, 0) for gfx1201."""
    version = arch.split(":")[0].removeprefix("gfx")
    return int(version[:-2]), int(version[-2], 16)


BUSY_BYTES = 64 << 20
_busy = ctypes.c_void_p()


def keep_busy():
    """Gives the GPU work of some 10 us: what comes next is submitted meanwhile, and so begins when that ends, as where a
    benchmark repeats."""
    if not _busy:
        memory.call("hipMalloc", ctypes.byref(_busy), ctypes.c_size_t(BUSY_BYTES))
    memory.call("hipMemsetAsync", _busy, 0, ctypes.c_size_t(BUSY_BYTES), None)


def benchmark(kernel_call, quantiles, **_):
    """Milliseconds for each quantile: what the GPU would take, with --time predicted, else what one emulated run takes.
    The autotuner has to choose by something, and repeating would only cost: the GPU's time is the same each time."""
    event = event_class()
    start, end = event(), event()
    if event is GpuEvent:
        keep_busy()
    start.record()
    kernel_call()
    end.record()
    return [start.elapsed_time(end)] * len(quantiles)
