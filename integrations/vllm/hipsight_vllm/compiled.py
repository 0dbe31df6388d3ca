"""What vLLM compiles for a GPU and its Triton paths call: here by torch, on the CPU. Not in reports, but where our
kernels take their place (operations.py)."""

import torch

main, experts = torch.library.Library("_C", "FRAGMENT"), torch.library.Library("_moe_C", "FRAGMENT")


def operation(library, schema):
    """Registers a function as the operation of its name."""
    def register(function):
        library.define(function.__name__ + schema)
        library.impl(function.__name__, function, "CompositeExplicitAutograd")
        return function
    return register


@operation(main, "(int[] nodes) -> ()")
def init_cpu_memory_env(nodes):
    """Binds memory to a NUMA node."""


@operation(main, "(Tensor(a!) out, Tensor input) -> ()")
def silu_and_mul(out, input):
    """out, tokens x columns: SiLU of input's first half of columns, times the second half."""
    gate, up = input.chunk(2, -1)
    out.copy_(torch.nn.functional.silu(gate) * up)


def route_by_torch(logits, count, renormalize, bias):
    chances = logits.float().softmax(-1)
    best = (chances if bias is None else chances + bias).topk(count, -1).indices
    chosen = chances.gather(-1, best)
    return best, chosen / chosen.sum(-1, keepdim=True) if renormalize else chosen


route = route_by_torch  # operations.use() puts our kernel in its place


@operation(experts, "(Tensor(a!) weights, Tensor(b!) ids, Tensor(c!) places, Tensor logits, bool renormalize, "
                    "Tensor? bias, Tensor? padding) -> ()")
def topk_softmax(weights, ids, places, logits, renormalize, bias, padding):
    """Each token's best experts, and their softmax, tokens x experts of a token. `bias` has a say in which are best
    alone. Rows that are padding are routed like others: nobody reads what comes of them."""
    best, chosen = route(logits, ids.shape[1], renormalize, bias)
    ids.copy_(best)
    weights.copy_(chosen)
    places.copy_(torch.arange(places.numel()).view(places.shape[1], -1).T)


@operation(experts, "(Tensor ids, int experts, int block, Tensor(a!) sorted, Tensor(b!) expert_of_block, "
                    "Tensor(c!) padded, Tensor? expert_map, Tensor? scatter) -> ()")
def moe_align_block_size(ids, experts, block, sorted, expert_of_block, padded, expert_map, scatter):
    """Sorts routed rows by expert. Each expert's are filled up to whole blocks with a number past the last row;
    `padded` is how many there are then."""
    if expert_map is not None or scatter is not None:
        raise NotImplementedError("hipsight: experts on several GPUs are not done yet")
    ids = ids.flatten().long()
    counts = torch.bincount(ids, minlength=experts)
    blocks = (counts + block - 1) // block
    begins = (blocks.cumsum(0) - blocks) * block
    order = ids.argsort(stable=True)
    rank = torch.arange(ids.numel()) - (counts.cumsum(0) - counts)[ids[order]]
    sorted.fill_(ids.numel())
    sorted[begins[ids[order]] + rank] = order.to(sorted.dtype)
    expert_of_block[:blocks.sum()] = torch.arange(experts).repeat_interleave(blocks).to(expert_of_block.dtype)
    padded.fill_(blocks.sum() * block)


@operation(experts, "(Tensor input, Tensor(a!) out, Tensor? ids, Tensor? expert_map) -> ()")
def moe_sum(input, out, ids, expert_map):
    """out, tokens x columns: the sum of a token's experts in input, tokens x experts of a token x columns."""
    out.copy_(input.float().sum(1))
