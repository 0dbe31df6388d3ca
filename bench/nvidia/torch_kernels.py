"""PyTorch's kernels of the shapes of kernels.cu, timed in the same way."""

import statistics

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel


def seconds_of(run):
    """The median of 20 runs, after 5."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    taken = []
    for i in range(25):
        begin.record()
        run()
        end.record()
        end.synchronize()
        if i >= 5:
            taken.append(begin.elapsed_time(end) * 1e-3)
    return statistics.median(taken)


def row(name, amount, unit, seconds):
    print(f"{name:58} {seconds * 1e6:9.1f} us {amount / seconds * 1e-12:8.1f} {unit}")


def random(*size, dtype=torch.bfloat16):
    return torch.rand(size, device="cuda").mul(2).sub(1).to(dtype)


def gemm(size, dtype, name):
    x, w = random(size, size, dtype=dtype), random(size, size, dtype=dtype)
    row(f"GEMM, {size}^3, {name}", 2 * size**3, "TFLOPS", seconds_of(lambda: x @ w.T))


def attention(batches, heads, head, length):
    q, k, v, d_o = (random(batches, heads, length, head) for _ in range(4))
    flop = 2 * batches * heads * head * length**2
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        forward = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        row(f"attention, causal, {batches} x {heads} heads of {head}, {length} long, bf16", flop,
            "TFLOPS", seconds_of(forward))
        for x in (q, k, v):
            x.requires_grad_()
        o = forward()
        backward = lambda: torch.autograd.grad(o, (q, k, v), d_o, retain_graph=True)
        row("  backward", 2.5 * flop, "TFLOPS", seconds_of(backward))


gemm(4096, torch.float16, "f16")
gemm(4096, torch.bfloat16, "bf16")
gemm(8192, torch.bfloat16, "bf16")
attention(4, 16, 128, 4096)
attention(4, 32, 64, 4096)
x, weight = random(16384, 8192), random(8192)
row("RMS norm, 16384 rows of 8192, bf16", 4 * x.numel(), "TB/s",
    seconds_of(lambda: torch.nn.functional.rms_norm(x, (8192,), weight, 1e-6)))
