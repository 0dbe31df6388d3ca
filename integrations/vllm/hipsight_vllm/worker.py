"""vLLM's worker for tensors on the CPU, with Triton's driver of the emulated GPU."""

import contextlib
import ctypes

import torch
import triton
from vllm.v1.worker.cpu_worker import CPUWorker
from vllm.v1.worker.workspace import init_workspace_manager

from . import compiled, experts  # noqa: F401: registers them
from .platform import OUR_OPERATIONS

roctx = ctypes.CDLL("libroctx64.so.4")


class HipsightWorker(CPUWorker):

    def __init__(self, *arguments, **keywords):
        # vLLM keeps tables of tensors' addresses: the driver must see each of them being taken (docs/triton.md).
        driver = triton.runtime.driver.active
        torch.cuda.get_device_capability = driver.get_device_capability
        torch.accelerator.empty_host_cache = lambda: None  # called at the end
        super().__init__(*arguments, **keywords)
        if self.vllm_config.additional_config.get(OUR_OPERATIONS):
            from . import operations  # the package hipsight, which is not needed otherwise
            operations.use()
        self.in_step = False

    def _maybe_get_memory_pool_context(self, tag):
        return contextlib.nullcontext()

    def init_device(self):
        super().init_device()
        init_workspace_manager(self.device)  # for experts

    def execute_model(self, scheduler_output):
        self.leave_step()
        if scheduler_output.total_num_scheduled_tokens:
            roctx.roctxRangePushA(step_name(scheduler_output).encode())
            self.in_step = True
        return super().execute_model(scheduler_output)

    def sample_tokens(self, grammar_output):
        """The end of the step that execute_model began."""
        try:
            return super().sample_tokens(grammar_output)
        finally:
            self.leave_step()

    def leave_step(self):
        if self.in_step:
            roctx.roctxRangePop()
        self.in_step = False


def step_name(scheduled):
    """What a step of the engine does. Decode steps of as many requests with contexts of about the same length are
    one in reports: the longest context, rounded up to a power of two, is in the name."""
    tokens = scheduled.num_scheduled_tokens
    if max(tokens.values()) > 1:
        return f"prefill of {sum(tokens.values())} tokens, {requests(len(tokens))}"
    cached = scheduled.scheduled_cached_reqs
    before = dict(zip(cached.req_ids, cached.num_computed_tokens))
    before.update((new.req_id, new.num_computed_tokens) for new in scheduled.scheduled_new_reqs)
    context = 1 + max(before[request] for request in tokens)
    return f"decode of {requests(len(tokens))}, context up to {1 << (context - 1).bit_length()}"


def requests(count):
    return "1 request" if count == 1 else f"{count} requests"
