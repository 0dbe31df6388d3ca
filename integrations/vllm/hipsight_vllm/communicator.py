"""Ranks of tensor parallelism: our librccl.so.1 (docs/collectives.md), whose kernels run on the emulated GPU."""

import torch
from hipsight_rccl import in_job
from hipsight_rccl.rank import TYPES, Rank
from vllm.distributed.device_communicators.cpu_communicator import CpuCommunicator


class HipsightCommunicator(CpuCommunicator):
    """vLLM's communicator for the CPU, but for what layers wait for: these are RCCL's functions. vLLM's own processes
    (`mp`) reach each other by torch alone: librccl's ranks are those that mpirun started."""

    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        self.ours = Rank(self.world_size, self.rank_in_group, self.share) if self.world_size > 1 and in_job() else None

    def share(self, value):
        values = [value]
        torch.distributed.broadcast_object_list(values, src=self.ranks[0], group=self.cpu_group)
        return values[0]

    def all_reduce(self, input_):
        if self.ours is None or input_.dtype not in TYPES or not input_.is_contiguous():
            return super().all_reduce(input_)
        self.ours.all_reduce(input_, input_)
        return input_

    def all_gather(self, input_, dim=-1):
        if self.ours is None or input_.dtype not in TYPES:
            return super().all_gather(input_, dim)
        output = input_.new_empty((self.world_size, *input_.shape))
        self.ours.all_gather(input_.contiguous(), output)
        dim %= input_.dim()
        shape = list(input_.shape)
        shape[dim] *= self.world_size
        return output.movedim(0, dim).reshape(shape)

    def destroy(self):
        if self.ours is not None:
            self.ours.destroy()
        super().destroy()
