"""Run by mpirun, a process for each rank: every operation of the backend "hipsight" against gloo's, and a few steps of
DistributedDataParallel against those of one process. Prints "as gloo" at the end."""

import torch
import torch.distributed as dist
from torch.distributed import ReduceOp

dist.init_process_group("hipsight")
gloo = dist.new_group(backend="gloo")
me, ranks = dist.get_rank(), dist.get_world_size()


def drawn(*shape, dtype=torch.float32):
    """Whole numbers: sums do not depend on their order."""
    generator = torch.Generator().manual_seed(me)
    return torch.randint(1, 5, shape, generator=generator).to(dtype)


def same(name, operation, *tensors):
    """operation(group, tensors): it changes some of these."""
    ours, theirs = ([tensor.clone() for tensor in tensors] for _ in range(2))
    operation(None, *ours)
    operation(gloo, *theirs)
    for one, other in zip(ours, theirs):
        assert torch.equal(one, other), f"{name}: rank {me} has {one}, not {other}"


for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int32, torch.int64):
    same(f"all-reduce of {dtype}", lambda group, x: dist.all_reduce(x, group=group), drawn(1000, dtype=dtype))
for reduction in (ReduceOp.SUM, ReduceOp.PRODUCT, ReduceOp.MAX, ReduceOp.MIN):
    same(f"all-reduce: {reduction}", lambda group, x: dist.all_reduce(x, op=reduction, group=group), drawn(33))
same("of 2 MB", lambda group, x: dist.all_reduce(x, group=group), drawn(1 << 19))
same("of none", lambda group, x: dist.all_reduce(x, group=group), drawn(0))
same("of what is transposed", lambda group, x: dist.all_reduce(x, group=group), drawn(5, 7).t())
average = drawn(8)
dist.all_reduce(average, op=ReduceOp.AVG)
same("average", lambda group, x: dist.all_reduce(x, group=group), drawn(8))
total = drawn(8)
dist.all_reduce(total, group=gloo)
assert torch.allclose(average, total / ranks), "all-reduce: average"
same("broadcast", lambda group, x: dist.broadcast(x, ranks - 1, group=group), drawn(3, 5))
reduced = drawn(9)
dist.reduce(reduced, 0)
dist.all_reduce(sums := drawn(9), group=gloo)
assert me != 0 or torch.equal(reduced, sums), "reduce"
same("all-gather", lambda group, x, all: dist.all_gather_into_tensor(all, x, group=group), drawn(3, 2),
     torch.zeros(3 * ranks, 2))
same("all-gather of parts", lambda group, x, *parts: dist.all_gather(list(parts), x, group=group), drawn(4),
     *torch.zeros(ranks, 4))
part = torch.zeros(3)
dist.reduce_scatter_tensor(part, drawn(3 * ranks))
dist.all_reduce(sums := drawn(3 * ranks), group=gloo)
assert torch.equal(part, sums[3 * me:3 * me + 3]), "reduce-scatter"
same("all-to-all", lambda group, x, y: dist.all_to_all_single(y, x, group=group), drawn(2 * ranks), torch.zeros(2 * ranks))
same("gather", lambda group, x, *parts: dist.gather(x, list(parts) if me == 1 else None, dst=1, group=group), drawn(4),
     *torch.zeros(ranks, 4))
same("scatter", lambda group, x, *parts: dist.scatter(x, list(parts) if me == 0 else None, src=0, group=group),
     torch.zeros(4), *drawn(ranks, 4))
dist.barrier()


def ring(group, x, y):
    """Even ranks send first."""
    steps = [lambda: dist.send(x, (me + 1) % ranks, group=group), lambda: dist.recv(y, (me - 1) % ranks, group=group)]
    for step in steps if me % 2 == 0 else reversed(steps):
        step()


same("a ring", ring, drawn(100), torch.zeros(100))
everyone = [None] * ranks
dist.all_gather_object(everyone, {"rank": me})
assert everyone == [{"rank": rank} for rank in range(ranks)], everyone


def trained(model, of):
    """A few steps on the samples `of` all."""
    torch.manual_seed(7)
    x, y = torch.randn(4 * ranks, 8), torch.randn(4 * ranks, 3)
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        optimiser.zero_grad()
        torch.nn.functional.mse_loss(model(x[of]), y[of]).backward()
        optimiser.step()
    return [weight.detach() for weight in model.parameters()]


torch.manual_seed(1)
alone = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3))
torch.manual_seed(1 + me)  # the first rank's weights are everyone's
shared = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3))
wrapped = torch.nn.parallel.DistributedDataParallel(shared)
for one, other in zip(trained(wrapped, slice(4 * me, 4 * me + 4)), trained(alone, slice(None))):
    torch.testing.assert_close(one, other)

try:
    dist.all_reduce(torch.zeros(3, dtype=torch.float8_e5m2))
except TypeError as wrong:
    assert "ncclAllReduce: RCCL has no torch.float8_e5m2" in str(wrong), wrong
else:
    raise AssertionError("numbers of 8 bits were summed")
print(f"rank {me} as gloo", flush=True)
dist.destroy_process_group()
