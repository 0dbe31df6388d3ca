#!/usr/bin/env python3
"""Runs AMD's assembly attention of ROCm/aiter (forward, bf16, gfx942 and gfx950) on emulated GPUs, checked with f64.

    tests/external/aiter_attention.py --source DIR

DIR is a checkout of https://github.com/ROCm/aiter; figures in docs/ are of e404860. Each kernel that
hsa/GPU/fmha_v3_fwd/fmha_fwd.csv lists for bf16, causal or not, in batch and in group mode, is launched on a few
shapes as its csrc/cpp_itfs/mha_fwd.cu says. All outputs and the logarithms of the sums are compared. Needs numpy.
"""

import argparse
import collections
import csv
import ctypes
import re
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
Shape = collections.namedtuple("Shape", "batch heads kv_heads queries keys")
SHAPES = [Shape(1, 2, 1, 256, 256), Shape(2, 2, 2, 512, 512), Shape(1, 8, 8, 512, 512), Shape(1, 2, 2, 600, 1000)]


def narrow(values):
    """bf16 nearest to f32 values, and what they then are."""
    bits = values.astype(np.float32).view(np.uint32)
    half = ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return half, widen(half)


def widen(half):
    return (half.astype(np.uint32) << 16).view(np.float32)


class Hip:
    def __init__(self):
        self.library = ctypes.CDLL("libamdhip64.so")

    def __getattr__(self, name):
        def call(*arguments):
            if error := getattr(self.library, name)(*arguments):
                sys.exit(f"{name}: HIP error {error}")
        return call

    def upload(self, array):
        address = ctypes.c_void_p()
        self.hipMalloc(ctypes.byref(address), ctypes.c_size_t(array.nbytes))
        self.hipMemcpy(address, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes), 1)
        return address

    def download(self, address, like):
        self.hipMemcpy(like.ctypes.data_as(ctypes.c_void_p), address, ctypes.c_size_t(like.nbytes), 2)
        return like


def expected(query, key, value, causal):
    """Outputs, the sum of |p v| that each of them has, and the logarithms of the sums: f64, [head, query, ...]."""
    scores = np.einsum("qhd,khd->hqk", query, key, dtype=np.float64) / np.sqrt(query.shape[-1])
    if causal:  # the last query sees all keys
        offset = key.shape[0] - query.shape[0]
        hidden = np.arange(key.shape[0])[None] > np.arange(query.shape[0])[:, None] + offset
        scores[:, hidden] = -np.inf
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(-1, keepdims=True)
    weights /= total
    return (np.einsum("hqk,khd->hqd", weights, value), np.einsum("hqk,khd->hqd", weights, abs(value)),
            (top + np.log(total))[..., 0])


def run(gpu, file, kernel, shape, causal, group, in_dim, out_dim, tile):
    """The program that runs under `hipsight run`."""
    hip, rng = Hip(), np.random.default_rng(1)
    batch, heads, kv_heads, queries, keys = shape
    draw = lambda length, count, dim: narrow(rng.standard_normal((batch, length, count, dim)))
    (q, q32), (k, k32), (v, v32) = draw(queries, heads, in_dim), draw(keys, kv_heads, in_dim), draw(keys, kv_heads, out_dim)
    out, sums = np.full((batch, queries, heads, out_dim), 0x7fc0, np.uint16), np.full((batch, heads, queries), np.nan, np.float32)
    out_at, sums_at = hip.upload(out), hip.upload(sums)
    q_at, k_at, v_at = hip.upload(q), hip.upload(k), hip.upload(v)
    starts = [hip.upload(np.arange(batch + 1, dtype=np.int32) * length) if group else ctypes.c_void_p()
              for length in (queries, keys)]
    merged = gpu == "mi300x" and in_dim == 192
    order = 0 if merged else 5 - 2 * (causal and heads % 8 != 0)
    rows = [2 * count * dim for count, dim in ((heads, in_dim), (kv_heads, in_dim), (kv_heads, out_dim), (heads, out_dim))]
    # In group mode the sums are [head, query of all batches].
    sum_row = 4 * queries * (batch if group else 1)
    pointer = lambda address: struct.pack("<Qq", address.value or 0, 0)
    number = lambda *values: b"".join(struct.pack("<Iiii", value, 0, 0, 0) for value in values)
    arguments = b"".join(map(pointer, (out_at, q_at, k_at, v_at, sums_at)))
    arguments += struct.pack("<fiii", in_dim ** -0.5, 0, 0, 0)
    arguments += number(queries, rows[0], tile * rows[0], 2 * in_dim, queries * rows[0], heads // kv_heads,
                        rows[1], 2 * in_dim, keys * rows[1], order, 1, keys, in_dim, out_dim, heads,
                        rows[2], 2 * out_dim, keys * rows[2], rows[3], 2 * out_dim, queries * rows[3])
    arguments += pointer(starts[0]) + pointer(starts[1]) + number(sum_row) + pointer(starts[0]) + pointer(starts[1])
    arguments += bytes(16 * 9)  # scales of fp8
    tiles = -(-queries // tile)
    pairs = -(-tiles // 2) if causal and not merged else tiles  # a workgroup takes a tile of the head and one of the tail
    grid = (heads, batch, pairs) if group else (heads, tiles, batch) if merged else (pairs, heads, batch)
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    hip.hipModuleLoad(ctypes.byref(module), file.encode())
    hip.hipModuleGetFunction(ctypes.byref(function), module, kernel.encode())
    size = ctypes.c_size_t(len(arguments))
    extra = (ctypes.c_void_p * 5)(1, ctypes.cast(ctypes.c_char_p(arguments), ctypes.c_void_p), 2,
                                  ctypes.cast(ctypes.byref(size), ctypes.c_void_p), 3)
    hip.hipModuleLaunchKernel(function, *map(ctypes.c_uint, grid), 256 if in_dim == 192 else 512, 1, 1, 0, None, None, extra)
    hip.hipDeviceSynchronize()
    out = widen(hip.download(out_at, out)).transpose(0, 2, 1, 3)
    sums = hip.download(sums_at, sums)
    sums = sums.reshape(heads, batch, queries).transpose(1, 0, 2) if group else sums
    wrong = of_sums = 0
    for i in range(batch):
        share = np.repeat(np.arange(kv_heads), heads // kv_heads)
        right, size_of, right_sums = expected(q32[i], k32[i][:, share], v32[i][:, share], causal)
        # Weights and outputs are bf16: two roundings, of which one may be toward zero.
        wrong += np.count_nonzero(~(abs(out[i] - right) <= size_of * 2.0 ** -6))
        of_sums += np.count_nonzero(~(abs(sums[i] - right_sums) <= 2.0 ** -9))
    print("PASS" if wrong + of_sums == 0 else f"FAIL {wrong} of {out.size} outputs, {of_sums} of {sums.size} sums")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--only", default="", help="a regular expression of file names")
    options = parser.parse_args()
    passed = failed = 0
    for gpu, processor, model in (("mi300x", "gfx942", "MI300"), ("mi355x", "gfx950", "")):
        folder = options.source / "hsa" / processor / "fmha_v3_fwd"
        for kernel in csv.DictReader(open(folder / "fmha_fwd.csv")):
            if kernel["dtype"] != "bf16" or not re.search(options.only, kernel["co_name"]):
                continue
            causal = kernel["mask"] == "2"
            for shape in SHAPES:
                call = [gpu, str(folder / model / kernel["co_name"]), kernel["knl_name"], *shape, int(causal),
                        kernel["mode"], kernel["hdim_q"], kernel["hdim_v"], kernel["ts_qo"]]
                done = subprocess.run(
                    [ROOT / "build/hipsight", "run", "--no-report", "--gpu", gpu, "--timeout", "120", "--",
                     sys.executable, __file__, "--run", *map(str, call)], capture_output=True, text=True)
                good = done.returncode == 0 and "PASS" in done.stdout
                passed, failed = passed + good, failed + (not good)
                if not good:
                    print(gpu, kernel["co_name"], tuple(shape), (done.stdout + done.stderr)[:600], flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        _, _, a_gpu, a_file, a_kernel, *numbers = sys.argv
        values = list(map(int, numbers))
        run(a_gpu, a_file, a_kernel, Shape(*values[:5]), *values[5:])
    else:
        sys.exit(main())
