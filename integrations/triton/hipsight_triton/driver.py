"""AMD's driver for Triton, where torch has no GPU: one device, one stream, tensors of the CPU."""

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
        return types.SimpleNamespace(Event=Event, synchronize=lambda: None)

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


def capability(arch):
    """What torch calls a GPU's capability: (9, 4) for gfx942:sramecc+:xnack-, (12, 0) for gfx1201."""
    version = arch.split(":")[0].removeprefix("gfx")
    return int(version[:-2]), int(version[-2], 16)


def benchmark(kernel_call, quantiles, **_):
    """Milliseconds that one emulated run takes, for each quantile: no GPU's time. The autotuner has to
    choose by something, and repeating would only cost."""
    start, end = Event(), Event()
    start.record()
    kernel_call()
    end.record()
    return [start.elapsed_time(end)] * len(quantiles)
