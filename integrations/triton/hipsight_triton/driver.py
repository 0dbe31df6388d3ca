"""AMD's driver for Triton, where torch has no GPU: one device, one stream, tensors of the CPU."""

import os
import time

from triton.backends.amd import driver as amd

from . import memory


class Launcher(amd.HIPLauncher):
    """Launches a kernel and waits for it: torch reads its CPU tensors without asking anybody."""

    def __call__(self, *arguments):
        memory.forget_freed()
        super().__call__(*arguments)


class HipsightDriver(amd.HIPDriver):

    @staticmethod
    def is_active():
        import torch
        return "HIPSIGHT_GPU" in os.environ and not torch.cuda.is_available()

    def __init__(self):
        # Before the runtime starts: launches return when the kernel has ended, with its error if it failed.
        os.environ["HIP_LAUNCH_BLOCKING"] = "1"
        super().__init__()
        self.launcher_cls = Launcher
        self.get_current_device = lambda: 0
        self.set_current_device = lambda device: None
        self.get_current_stream = lambda device: 0
        self.get_device_capability = lambda device=0: (9, 4)  # what torch says of every AMD GPU since MI300
        properties = self.utils.get_device_properties
        self.utils.get_device_properties = lambda device: properties(device or 0)  # torch.device("cpu").index is None
        memory.watch(amd._get_path_to_hip_runtime_dylib())

    def get_active_torch_device(self):
        import torch
        return torch.device("cpu")

    def get_device_interface(self):
        import torch
        return torch.cpu

    def get_benchmarker(self):
        return benchmark

    def get_empty_cache_for_benchmark(self):
        import torch
        return torch.empty(0)


def benchmark(kernel_call, quantiles, **_):
    """Milliseconds that one emulated run takes, for each quantile: no GPU's time. The autotuner has to
    choose by something, and repeating would only cost."""
    start = time.perf_counter()
    kernel_call()
    return [1e3 * (time.perf_counter() - start)] * len(quantiles)
