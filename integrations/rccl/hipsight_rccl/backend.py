"""The backend "hipsight" of torch.distributed."""

import torch
import torch.distributed as dist

from . import rank as rccl

OPERATIONS = {dist.ReduceOp.SUM: rccl.SUM, dist.ReduceOp.PRODUCT: rccl.PRODUCT, dist.ReduceOp.MAX: rccl.MAX,
              dist.ReduceOp.MIN: rccl.MIN, dist.ReduceOp.AVG: rccl.AVERAGE}


class Done(dist.Work):
    """What was done when it was asked for."""

    def __init__(self, result):
        super().__init__()
        self.future = torch.futures.Future()
        self.future.set_result(result)

    def wait(self, timeout=None):
        return True

    def is_completed(self):
        return True

    def get_future(self):
        return self.future


def operation(options):
    """RCCL's number of a torch.distributed.ReduceOp."""
    for wanted, number in OPERATIONS.items():
        if options.reduceOp == wanted:
            return number
    raise ValueError(f"hipsight: the reductions are sum, product, max, min and average, not {options.reduceOp}")


class Processes(dist.ProcessGroup):

    def __init__(self, store, rank, size, timeout):
        super().__init__(rank, size)
        self.ours = None

        def share(value):
            if value is not None:
                store.set("rccl", value)
            return store.get("rccl")
        if size > 1:
            self.ours = rccl.Rank(size, rank, share)

    def getBackendName(self):
        return "hipsight"

    def each(self, tensors, do):
        if self.ours is not None:
            for tensor in tensors:
                whole = tensor.contiguous()
                do(whole)
                if whole is not tensor:
                    tensor.copy_(whole)
        return Done(tensors)

    def allreduce(self, tensors, options):
        return self.each(tensors, lambda tensor: self.ours.all_reduce(tensor, tensor, operation(options)))

    def allreduce_coalesced(self, tensors, options):
        return self.allreduce(tensors, options)

    def broadcast(self, tensors, options):
        return self.each(tensors, lambda tensor: self.ours.broadcast(tensor, options.rootRank))

    def reduce(self, tensors, options):
        return self.each(tensors, lambda tensor: self.ours.reduce(tensor, options.rootRank, operation(options)))

    def send(self, tensors, peer, tag):
        return self.each(tensors, lambda tensor: self.ours.send(tensor, peer))

    def recv(self, tensors, peer, tag):
        return self.each(tensors, lambda tensor: self.ours.receive(tensor, peer))

    def barrier(self, opts=None):
        return self.each([torch.zeros(1)], lambda tensor: self.ours.all_reduce(tensor, tensor))

    def all_gather_single(self, output, input, options=None):
        if self.ours is None:
            output.copy_(input.reshape(output.shape))
        else:
            self.each([output], lambda whole: self.ours.all_gather(input.contiguous(), whole))
        return Done(output)

    def allgather(self, outputs, inputs, options):
        for parts, one in zip(outputs, inputs):
            whole = one.new_empty((self.size(), *one.shape))
            self.all_gather_single(whole, one)
            for part, value in zip(parts, whole):
                part.copy_(value)
        return Done(outputs)

    def all_gather_single_coalesced(self, outputs, inputs, options=None):
        for output, one in zip(outputs, inputs):
            self.all_gather_single(output, one)
        return Done(outputs)

    def reduce_scatter_single(self, output, input, options):
        if self.ours is None:
            output.copy_(input.reshape(output.shape))
        else:
            self.each([output], lambda whole: self.ours.reduce_scatter(input.contiguous(), whole, operation(options)))
        return Done(output)

    def reduce_scatter(self, outputs, inputs, options):
        for output, parts in zip(outputs, inputs):
            self.reduce_scatter_single(output, torch.stack(parts), options)
        return Done(outputs)

    def reduce_scatter_single_coalesced(self, outputs, inputs, options):
        for output, one in zip(outputs, inputs):
            self.reduce_scatter_single(output, one, options)
        return Done(outputs)

    def all_to_all_single(self, output, input, output_parts, input_parts, options=None):
        if len(set(output_parts)) > 1 or len(set(input_parts)) > 1:
            raise NotImplementedError("hipsight: all-to-all with parts that differ is not done in torch.distributed")
        if self.ours is None:
            output.copy_(input)
        else:
            self.each([output],
                      lambda whole: self.ours.all_to_all(input.contiguous(), whole, input.numel() // self.size()))
        return Done(output)

    alltoall_base = all_to_all_single

    def alltoall(self, outputs, inputs, options=None):
        whole = torch.empty_like(torch.stack(inputs))
        self.all_to_all_single(whole, torch.stack(inputs), [], [])
        for output, one in zip(outputs, whole):
            output.copy_(one)
        return Done(outputs)

    def gather(self, outputs, inputs, options):
        whole = inputs[0].new_empty((self.size(), *inputs[0].shape))
        self.all_gather_single(whole, inputs[0])
        for parts in outputs:  # none, but of the root
            for part, value in zip(parts, whole):
                part.copy_(value)
        return Done(outputs)

    def scatter(self, outputs, inputs, options):
        whole = outputs[0].new_empty((self.size(), *outputs[0].shape))
        if inputs:
            whole.copy_(torch.stack(inputs[0]))
        self.broadcast([whole], options)
        outputs[0].copy_(whole[self.rank()])
        return Done(outputs)
