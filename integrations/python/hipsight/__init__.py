"""Runs, profiles and predicts AMD GPU kernels on emulated GPUs, from Python.

    gpu = hipsight.Gpu("mi300x")
    kernel = gpu.load("saxpy.co").kernel("saxpy")
    report = kernel.launch(n // 256, 256, [n, 2.0, x, y], predict=True)      # x, y: NumPy's or torch's, in place
    print(report)

    hipsight.predict("saxpy.co", grid=n // 256, block=256, args=[n, 2.0, x, y]).seconds

docs/python.md has more; hipsight.torch has torch.ops.hipsight.
"""

from ._error import Error
from ._gpu import Gpu, Kernel, Module, compile, gpus, predict
from ._hipsight import (Advice, ArgumentFacts, Bound, BoundKind, CacheUse, Counts, ErrorKind, Fidelity, Finding,
                        GpuFacts, HotLine, Inexact, KernelFacts, KernelReport, Location, ModelError, Occupancy,
                        Prediction, Profile, ProfileRow, Registers, Roof, Roofline, Traffic, Verdict, Wait,
                        WhatIf)

__all__ = [
    "Advice", "ArgumentFacts", "Bound", "BoundKind", "CacheUse", "Counts", "Error", "ErrorKind", "Fidelity",
    "Finding", "Gpu", "GpuFacts", "HotLine", "Inexact", "Kernel", "KernelFacts", "KernelReport", "Location",
    "ModelError", "Module", "Occupancy", "Prediction", "Profile", "ProfileRow", "Registers", "Roof", "Roofline",
    "Traffic", "Verdict", "Wait", "WhatIf", "compile", "gpus", "predict",
]
