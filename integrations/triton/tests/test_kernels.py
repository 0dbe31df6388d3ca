"""Triton kernels on one emulated GPU, against torch on the CPU. Run under `hipsight run`."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl

TYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16, "int32": torch.int32,
         "int16": torch.int16, "int64": torch.int64}


@triton.jit
def add(x, y, out, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < count
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def reduce(x, out, columns, BLOCK: tl.constexpr, OPERATION: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i, mask=i < columns, other=0)
    if OPERATION == "sum":
        result = tl.sum(values, 0)
    elif OPERATION == "max":
        result = tl.max(values, 0)
    else:
        result = tl.sum(tl.cumsum(values, 0), 0)
    tl.store(out + row, result)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * columns + i, powers / tl.sum(powers, 0), mask=i < columns)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    n = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    sums = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        row, column = k + tl.arange(0, BK)[None, :], k + tl.arange(0, BK)[:, None]
        left = tl.load(a + m * K + row, mask=(m < M) & (row < K), other=0)
        right = tl.load(b + column * N + n, mask=(column < K) & (n < N), other=0)
        sums = tl.dot(left, right, sums, input_precision="ieee")
    tl.store(c + m * N + n, sums, mask=(m < M) & (n < N))


@triton.jit
def add_to_all(sums, count, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(sums + i, 1.0, mask=i < count)


@triton.jit
def follow(addresses, out, count, BLOCK: tl.constexpr):
    source = tl.load(addresses + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * count + i, tl.load(source + i, mask=i < count), mask=i < count)


def test_add_of_views():
    x, y = torch.rand(5000)[17:4001], torch.rand(3984)
    out = torch.zeros(5000)
    add[(4,)](x, y, out[500:], 3984, BLOCK=1024)
    torch.testing.assert_close(out[500:4484], x + y, rtol=0, atol=0)
    assert not out[:500].any() and not out[4484:].any()


def test_storages_that_share_memory():
    numbers = torch.arange(4096, dtype=torch.float32).numpy()
    whole, part, out = torch.from_numpy(numbers), torch.from_numpy(numbers[1024:2048]), torch.empty(1024)
    add[(1,)](whole, part, out, 1024, BLOCK=1024)
    torch.testing.assert_close(out, whole[:1024] + part, rtol=0, atol=0)


def test_addresses_in_memory():
    sources = [torch.rand(100) for _ in range(3)]
    addresses = torch.tensor([source.data_ptr() for source in sources])
    out = torch.empty(3, 100)
    follow[(3,)](addresses, out, 100, BLOCK=128)
    torch.testing.assert_close(out, torch.stack(sources), rtol=0, atol=0)


@pytest.mark.parametrize("type", ["float16", "bfloat16", "float32"])
def test_matmul(type):
    M, N, K = 100, 72, 90
    a, b = torch.randn(M, K).to(TYPES[type]), torch.randn(K, N).to(TYPES[type])
    c = torch.empty(M, N)
    matmul[(triton.cdiv(M, 64), triton.cdiv(N, 32))](a, b, c, M, N, K, BM=64, BN=32, BK=32)
    # Products of 16-bit floats are exact in float32, and the rest is the sum's rounding.
    torch.testing.assert_close(c, (a.double() @ b.double()).float(), rtol=0, atol=1e-4)


def test_softmax():
    x = torch.randn(37, 781)
    out = torch.empty_like(x)
    softmax[(37,)](x, out, 781, BLOCK=1024, num_warps=8)
    torch.testing.assert_close(out, torch.softmax(x.double(), 1).float(), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("seed", range(12))
def test_reductions(seed):
    rng = random.Random(seed)
    type, operation = rng.choice(list(TYPES)), rng.choice(["sum", "max", "sum of sums"])
    rows, columns = rng.randint(1, 20), rng.randint(1, 700)
    x = torch.randint(0, 3 if operation == "sum" else 2, (rows, columns), dtype=torch.int64)
    if operation == "sum of sums":
        x = x * (torch.arange(columns) % 97 == 0)
    out = torch.empty(rows, dtype=torch.float32)
    reduce[(rows,)](x.to(TYPES[type]), out, columns, BLOCK=triton.next_power_of_2(columns), OPERATION=operation,
                    num_warps=rng.choice([1, 2, 4, 8]))
    # Beyond the row are zeros up to the power of two, over which the running sum goes on.
    running = torch.nn.functional.pad(x, (0, triton.next_power_of_2(columns) - columns)).cumsum(1)
    want = {"sum": x.sum(1), "max": x.max(1)[0], "sum of sums": running.sum(1)}[operation]
    # Every partial sum of a 16-bit float is rounded: about ten of them one after the other.
    tolerance = {"bfloat16": 2**-5, "float16": 2**-8}.get(type, 0)
    torch.testing.assert_close(out, want.float(), rtol=tolerance, atol=0)


@pytest.mark.parametrize("type", ["float16", "bfloat16"])
def test_atomics_on_the_last_half_of_a_dword(type):
    sums = torch.zeros(3, dtype=TYPES[type])
    add_to_all[(8,)](sums, 3, BLOCK=4)
    assert sums.tolist() == [8, 8, 8]


def store_beyond_a_tensor():
    x, out = torch.rand(2048), torch.empty(2000)
    add[(2,)](x, x, out, 2048, BLOCK=1024)


def load_from_a_freed_tensor():
    """Of 4 MiB, on pages that no other tensor gets: a GPU does not notice a load beside live memory."""
    x = torch.rand(1 << 20)
    addresses, out = torch.tensor([x.data_ptr() + (1 << 20)]), torch.empty(1, 1024)
    add[(1,)](x, x, x, 1024, BLOCK=1024)
    del x
    follow[(1,)](addresses, out, 1024, BLOCK=1024)


def load_beyond_a_view():
    """In bounds of the storage, though beyond the view."""
    x = torch.rand(2048)
    add[(2,)](x[:1], x, x, 2048, BLOCK=1024)


@pytest.mark.parametrize("program, code, message", [
    (store_beyond_a_tensor, 1, "right behind the end of hipHostRegister of"),
    (load_from_a_freed_tensor, 1, "it was freed: hipHostRegister of"),
    (load_beyond_a_view, 0, ""),
])
def test_stray_accesses_are_found(program, code, message):
    """Each in a process of its own: a GPU on which a kernel failed runs no other."""
    line = f"import test_kernels; test_kernels.{program.__name__}()"
    child = subprocess.run([sys.executable, "-c", line], cwd=Path(__file__).parent, capture_output=True, text=True)
    assert child.returncode == code and message in child.stderr, child.stderr


def test_the_autotuner_takes_what_the_gpu_would_be_quickest_with():
    def run(threads):
        done = subprocess.run([sys.executable, str(Path(__file__).parent / "autotuned.py")], capture_output=True, text=True,
                              env=dict(os.environ, HIPSIGHT_TIME="predicted", HIPSIGHT_THREADS=threads))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    found = run("1")
    assert found["error"] < 1e-2
    assert found["taken"] == min(found["alone"], key=found["alone"].get)
    assert len(set(found["alone"].values())) == 4 and 0.001 < min(found["alone"].values()) < max(found["alone"].values()) < 1
    again = run("2")
    assert again["taken"] == found["taken"]
    # Each process places its matrices alike, and so they share caches alike.
    for config, time in again["alone"].items():
        assert abs(time / found["alone"][config] - 1) < 1e-6
