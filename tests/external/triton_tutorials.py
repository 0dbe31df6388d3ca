#!/usr/bin/env python3
"""Runs Triton's tutorials on emulated GPUs, against torch on the CPU.

    tests/external/triton_tutorials.py --source DIR [--gpu NAME]... [--configs N] [NAME...]

DIR is a checkout of triton (github.com/triton-lang/triton, branch release/3.7.x) and build/triton-venv
what `./dev triton` makes. The tutorials run as they are, but for three things: their benchmarks are left out;
the autotuner tries N of the configurations that a kernel has (default 2, chosen by --seed); and torch's layer
norm of 16-bit floats, which sums in 16 bits on the CPU, does so in float32, as on GPUs. Of fused attention's
own test, the four cases of one batch, two heads, 128 positions and heads of 64 are run.
"""

import argparse
import os
import random
import sys
import time
from pathlib import Path

from programs import ROOT, last_lines, run

GPUS = ["mi300x", "mi355x", "rx7900xtx", "rx9070xt"]
TUTORIALS = ["01-vector-add", "02-fused-softmax", "03-matrix-multiplication", "05-layer-norm", "06-fused-attention"]


def run_here(file, configs, seed):
    """Runs one tutorial in this process, which is that of the virtual environment, on its one GPU."""
    import runpy

    import torch
    import triton
    from triton.runtime.autotuner import Autotuner

    class NoBenchmark:
        def run(self, **_):
            pass

    triton.testing.perf_report = lambda _: lambda _: NoBenchmark()
    prune = Autotuner.prune_configs

    def sample(self, kwargs):
        every = prune(self, kwargs)
        return random.Random(seed).sample(every, min(configs, len(every)))

    Autotuner.prune_configs = sample
    norm = torch.nn.functional.layer_norm
    torch.nn.functional.layer_norm = lambda x, shape, weight, bias, eps: norm(
        x.float(), shape, weight.float(), bias.float(), eps).to(x.dtype)
    if file.stem == "06-fused-attention":
        import pytest
        return pytest.main(["-q", "-p", "no:cacheprovider", "-k", "64-128-2-1]", str(file)])
    seen = runpy.run_path(str(file), run_name="__main__")
    if file.stem == "01-vector-add":  # prints both results, and leaves the judgement to its reader
        torch.testing.assert_close(seen["output_triton"], seen["output_torch"], rtol=0, atol=0)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--gpu", action="append", choices=GPUS, help="default: all four")
    parser.add_argument("--configs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600, help="for one tutorial")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("tutorial", nargs="*", default=TUTORIALS)
    options = parser.parse_args()
    if options.here:
        return run_here(options.source / "python/tutorials" / f"{options.tutorial[0]}.py", options.configs, options.seed)
    failed = 0
    cache = ROOT / "build/external/triton/cache"
    for tutorial in options.tutorial:
        for gpu in options.gpu or GPUS:
            start = time.monotonic()
            code, text = run(
                [os.environ.get("HIPSIGHT", ROOT / "build/hipsight"), "run", "--no-report", "--",
                 ROOT / "build/triton-venv/bin/python", __file__, "--here", "--source", options.source.resolve(),
                 f"--configs={options.configs}", f"--seed={options.seed}", tutorial],
                gpu, options.seconds, TRITON_CACHE_DIR=str(cache))
            # The matrix tutorial compares and says so, but goes on.
            what = "time" if code is None else "failed" if code or "❌" in text else "passed"
            failed += what == "failed"
            print(f"{tutorial:26} {gpu:10} {what:7} {time.monotonic() - start:6.1f} s", flush=True)
            if what == "failed":
                print(last_lines(text, 12), flush=True)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
