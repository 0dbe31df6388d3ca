"""The matrix product of test_kernels.py, autotuned, under --time predicted: what each configuration takes alone, and which
one the autotuner takes. Prints both. Run under `hipsight run`."""

import json
import mmap
import sys

import torch
import triton

from test_kernels import matmul

SIZE = 512
SIZES = [(16, 16, 32), (32, 32, 64), (64, 64, 32), (128, 128, 32)]
configs = [triton.Config({"BM": m, "BN": n, "BK": k}, num_warps=4) for m, n, k in SIZES]


def grid(meta):
    return triton.cdiv(SIZE, meta["BM"]), triton.cdiv(SIZE, meta["BN"])


def placed(*types):
    """A matrix of each type, where caches see it alike in every process: each at 2 MiB from the begin of a gibibyte on."""
    apart, begin = 2 << 20, 1 << 30
    memory = torch.frombuffer(mmap.mmap(-1, len(types) * apart + begin), dtype=torch.uint8)
    first = -memory.data_ptr() % begin
    parts = [memory[first + i * apart:][:SIZE * SIZE * type.itemsize] for i, type in enumerate(types)]
    return [part.view(type).view(SIZE, SIZE) for part, type in zip(parts, types)]


a, b, c = placed(torch.half, torch.half, torch.float)
for number, matrix in enumerate((a, b)):
    matrix.copy_(torch.randn(SIZE, SIZE, generator=torch.Generator().manual_seed(number)))
benchmarker = triton.runtime.driver.active.get_benchmarker()
alone = {}
for config in configs:
    call = lambda: matmul[grid(config.kwargs)](a, b, c, SIZE, SIZE, SIZE, **config.kwargs, num_warps=config.num_warps)
    alone[str(tuple(config.kwargs.values()))] = benchmarker(call, quantiles=[0.5])[0]
tuned = triton.autotune(configs, key=[])(matmul)
tuned[grid](a, b, c, SIZE, SIZE, SIZE)
error = (c.double() - a.double() @ b.double()).abs().max()
json.dump({"alone": alone, "taken": str(tuple(tuned.best_config.kwargs.values())), "error": float(error)}, sys.stdout)
