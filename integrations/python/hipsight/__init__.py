"""Runs, profiles and predicts AMD GPU kernels on emulated GPUs, from Python.

    gpu = hipsight.Gpu("mi300x")
    kernel = gpu.load("saxpy.co").kernel("saxpy")
    report = kernel.launch(n // 256, 256, [n, 2.0, x, y], predict=True)      # x, y: NumPy's or torch's, in place
    print(report)

    hipsight.predict("saxpy.co", grid=n // 256, block=256, args=[n, 2.0, x, y]).seconds
    with hipsight.profile(gpu="mi300x") as p:                                # every launch inside
        ...
    print(p)

docs/python.md has more; hipsight.torch has torch.ops.hipsight.
"""

from ._error import Error
from ._gpu import Gpu, Kernel, Module, compile, gpus, predict
from ._hipsight import (Advice, ArgumentFacts, Bound, BoundKind, CacheUse, CollectiveTime, Counts, ErrorKind,
                        EstimatedLaunches,
                        FailedLaunch, Fidelity, Finding, GpuFacts, HotLine, Inexact, KernelFacts, KernelReport,
                        Location, MetCondition, ModelError, Occupancy, OtherGpu, Prediction, Profile, ProfileRow,
                        RangeReport, RecordedLaunch, Registers, Roof, Roofline, RunReport, Selection, Traffic,
                        UnfinishedLaunch, Verdict, Wait, WhatIf)
from ._profile import ProfiledKernel, ProfiledRange, profile
from ._recording import range

__all__ = [
    "Advice", "ArgumentFacts", "Bound", "BoundKind", "CacheUse", "CollectiveTime", "Counts", "Error", "ErrorKind", "EstimatedLaunches",
    "FailedLaunch", "Fidelity", "Finding", "Gpu", "GpuFacts", "HotLine", "Inexact", "Kernel", "KernelFacts",
    "KernelReport", "Location", "MetCondition", "ModelError", "Module", "Occupancy", "OtherGpu", "Prediction", "Profile",
    "ProfileRow", "ProfiledKernel", "ProfiledRange", "RangeReport", "RecordedLaunch", "Registers", "Roof", "Roofline",
    "RunReport", "Selection", "Traffic", "UnfinishedLaunch", "Verdict", "Wait", "WhatIf", "compile", "gpus", "predict",
    "profile", "range",
]
