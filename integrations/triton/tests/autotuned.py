"""The matrix product of test_kernels.py, autotuned, under --time predicted: what each configuration takes alone, and which
one the autotuner takes. Prints both. Run under `hipsight run`."""

import json
import sys

import torch
import triton

from test_kernels import matmul

SIZE = 512
SIZES = [(16, 16, 32), (32, 32, 64), (64, 64, 32), (128, 128, 32)]
configs = [triton.Config({"BM": m, "BN": n, "BK": k}, num_warps=4) for m, n, k in SIZES]


def grid(meta):
    return triton.cdiv(SIZE, meta["BM"]), triton.cdiv(SIZE, meta["BN"])


a, b = (torch.randn(SIZE, SIZE, generator=torch.Generator().manual_seed(i)).half() for i in range(2))
c = torch.empty(SIZE, SIZE)
benchmarker = triton.runtime.driver.active.get_benchmarker()
alone = {}
for config in configs:
    call = lambda: matmul[grid(config.kwargs)](a, b, c, SIZE, SIZE, SIZE, **config.kwargs, num_warps=config.num_warps)
    alone[str(tuple(config.kwargs.values()))] = benchmarker(call, quantiles=[0.5])[0]
tuned = triton.autotune(configs, key=[])(matmul)
tuned[grid](a, b, c, SIZE, SIZE, SIZE)
error = (c.double() - a.double() @ b.double()).abs().max()
json.dump({"alone": alone, "taken": str(tuple(tuned.best_config.kwargs.values())), "error": float(error)}, sys.stdout)
