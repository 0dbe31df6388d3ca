"""A program with types, for test_types.py: it is read, not run."""

import numpy as np

import hipsight

gpu = hipsight.Gpu("mi300x", timeout=2.0)
kernel = gpu.compile("").kernel()
report = kernel.launch(1, (64, 1), [np.zeros(4), 3], predict=True)
vector: float = report.counts.by_pipe["vector"]
grid: tuple[int, int, int] = report.grid
if report.prediction is not None:
    seconds: float = report.prediction.seconds
    sentence: str = report.prediction.bound.sentence
spilled: list[hipsight.MetCondition] = report.met("spills > 0")

with hipsight.profile(gpu=gpu) as p:
    pass
one: hipsight.ProfiledKernel = p.kernels[0]
bound: str = one.bound
change: str = one.advice.change if one.advice else ""
page: str = p.to_html()
kernels: list[hipsight.KernelReport] = p.reports[0].kernels
predicted: float = hipsight.predict(b"", gpu="mi300x").seconds
code: bytes = hipsight.compile("", gpu=gpu)

try:
    hipsight.Gpu("mi9")
except hipsight.Error as error:
    known: bool = error.kind == hipsight.ErrorKind.NotFound

# What must not pass:
count: int = report.prediction.seconds  # wrong: optional, and a float
kernel.launch("many", 64)  # wrong: a grid is numbers
hipsight.profile(gpus="mi300x")  # wrong: no such keyword
report.met(3)  # wrong: a condition is text
