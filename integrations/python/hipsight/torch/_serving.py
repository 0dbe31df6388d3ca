"""hipsight.torch.serving: how quickly GPUs would serve a language model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from .._error import usage
from .._gpu import Gpu
from .._hipsight import GpuFacts
from .._shown import aligned, seconds_in_words
from ._decoders import Decoder
from ._operators import Operators
from ._steps import Step, Steps

FNUZ = ("gfx940", "gfx941", "gfx942")
"""Targets whose matrix instructions take float8_e4m3fnuz; the others take float8_e4m3fn."""
FREE = 0.9
"""Of a GPU's memory that weights and cache may have: vLLM's gpu_memory_utilization."""


@dataclass(frozen=True)
class StepTime:
    """What one operation of a step takes, of all layers."""

    name: str
    times: int
    seconds: float
    """All of them."""
    share: float
    bound: str
    """What bounds it, in words."""
    kernel: str
    """That takes most of it; "all-reduce", or "" where the library has none, and memory's bandwidth alone counts."""


@dataclass(frozen=True)
class ForwardTime:
    """One forward pass of a batch, on the GPUs that share the model."""

    batch: int
    queries: int
    """New tokens of each sequence: 1 in decoding, all of the prompt in prefill."""
    context: int
    """Tokens of each sequence afterwards."""
    steps: tuple[StepTime, ...]
    """The longest first."""

    @property
    def seconds(self) -> float:
        return sum(one.seconds for one in self.steps)

    @property
    def tokens_per_second(self) -> float:
        """New tokens, of all sequences."""
        return self.batch * self.queries / self.seconds

    def __str__(self) -> str:
        what = "decode" if self.queries < self.context else "prefill"
        lines = [f"{what}: batch {self.batch}, context {self.context}: {seconds_in_words(self.seconds)}, "
                 f"{self.tokens_per_second:.0f} tokens/s"]
        rows = [["time", "share", "times", "bound", "step"]]
        rows += [[seconds_in_words(one.seconds), f"{one.share:.0%}", str(one.times), one.bound.split(":")[0], one.name]
                 for one in self.steps]
        return "\n".join(lines + aligned(rows, 3))


@dataclass(frozen=True)
class Throughput:
    """Requests that are served together, from the first to the last token."""

    concurrency: int
    input: int
    output: int
    """Tokens of each request."""
    prefill: float
    decode: float
    """Seconds, of all requests; no step of the one overlaps one of the other."""
    cache_bytes: int
    """On each GPU, at the end."""

    @property
    def seconds(self) -> float:
        return self.prefill + self.decode

    @property
    def output_tokens_per_second(self) -> float:
        return self.concurrency * self.output / self.seconds

    @property
    def tokens_per_second(self) -> float:
        """Those of the prompts, too."""
        return self.concurrency * (self.input + self.output) / self.seconds


class Serving:
    """A model on a group of GPUs that share each layer."""

    gpu: GpuFacts
    model: Decoder

    def __init__(self, model: Decoder, operators: Operators, steps: Steps):
        self.model, self.gpu, self._operators, self._steps = model, operators.gpu.facts, operators, steps

    @property
    def gpus(self) -> int:
        return self._steps.parallel

    @property
    def expert_parallel(self) -> bool:
        """Whether each GPU has whole experts."""
        return self._steps.whole_experts

    @property
    def weight_bytes(self) -> int:
        """On each GPU."""
        return self._steps.weight_bytes

    @property
    def free_bytes(self) -> int:
        """That the cache may have on each GPU."""
        return int(FREE * self.gpu.dram_bytes) - self.weight_bytes

    def most_sequences(self, context: int) -> int:
        """That fit the cache."""
        return max(0, self.free_bytes // (self._steps.cache_bytes * context))

    def forward(self, batch: int, context: int, queries: int = 1) -> ForwardTime:
        """A batch of sequences, each with so many new tokens, `context` in all."""
        if not 1 <= queries <= context or batch < 1:
            raise usage("forward", f"batch {batch}, {queries} new tokens of {context}: there must be one or more of each")
        steps = step_times(self._steps.of(batch, queries, context), self._operators, self.gpus)
        return ForwardTime(batch, queries, context, tuple(steps))

    def throughput(self, concurrency: int, input: int, output: int, prefill_tokens: int = 8192,
                   contexts: int = 3) -> Throughput:
        """So many requests at once: prompts in batches of `prefill_tokens`, then all decode together.

        Contexts grow while they decode: `contexts` lengths are timed, three or the one in the middle, and the others lie
        between. What a scheduler does itself, sampling, and gaps between steps take no time.
        """
        if concurrency < 1 or input < 1 or output < 1:
            raise usage("throughput", f"{concurrency} requests of {input} and {output} tokens: it takes one or more of each")
        if contexts not in (1, 3):
            raise usage("throughput", f"contexts={contexts}: it takes 1 or 3")
        most = self.most_sequences(input + output)
        if concurrency > most:
            raise usage("throughput", f"{concurrency} sequences of {input + output} tokens: the cache of {self.gpus} "
                        f"{self.gpu.title} has room for {most}")
        at_once = max(1, min(concurrency, prefill_tokens // input))
        whole, rest = divmod(concurrency, at_once)
        prefill = whole * self.forward(at_once, input, input).seconds
        if rest:
            prefill += self.forward(rest, input, input).seconds
        decode = output * self.forward(concurrency, input + (output + 1) // 2).seconds
        if contexts == 3:  # Simpson's rule
            ends = [self.forward(concurrency, context).seconds for context in (input + 1, input + output)]
            decode = decode * 4 / 6 + output * sum(ends) / 6
        return Throughput(concurrency, input, output, prefill, decode,
                          concurrency * (input + output) * self._steps.cache_bytes)

    def __str__(self) -> str:
        return (f"{self.model.name} on {self.gpus} x {self.gpu.title}: {self.weight_bytes / 1e9:.3g} GB of weights on "
                f"each, {max(0, self.free_bytes) / 1e9:.3g} GB left for the cache, "
                f"{self._steps.cache_bytes / 1e3:.3g} kB a token")


def step_times(steps: Iterable[Step], operators: Operators, gpus: int, of: int = 1) -> list[StepTime]:
    """By name, the longest first; `of` layers: of one of them. `gpus` share a layer."""
    merged: dict[str, list[StepTime]] = {}
    for step in steps:
        seconds, bound, kernel = time_of(step, operators, gpus)
        times = -(-step.times // of)
        merged.setdefault(step.name, []).append(StepTime(step.name, times, times * seconds, 0, bound, kernel))
    all = sum(one.seconds for ones in merged.values() for one in ones)
    result = []
    for name, ones in merged.items():
        longest = max(ones, key=lambda one: one.seconds)
        seconds = sum(one.seconds for one in ones)
        result.append(StepTime(name, sum(one.times for one in ones), seconds, seconds / all, longest.bound,
                               longest.kernel))
    return sorted(result, key=lambda one: -one.seconds)


def time_of(step: Step, operators: Operators, gpus: int) -> tuple[float, str, str]:
    """Seconds, what bounds it, and the kernel that takes most of it."""
    if step.all_reduce:
        time = operators.gpu.all_reduce(gpus, step.all_reduce)
        return time.seconds, time.bound, "all-reduce"
    if not step.operation:
        return step.moved / (operators.gpu.facts.dram_gb_per_s * 1e9), "memory: assumed, without a launch", ""
    time = operators.time(step.operation, *step.arguments, **step.keywords)
    kernel = max(time.launches, key=lambda one: one.seconds).kernel if time.launches else ""
    return time.seconds, time.bound, kernel


def serving(model: Decoder | str | os.PathLike | Mapping[str, Any], gpu: Gpu | str = "mi300x", *,
            tensor_parallel: int = 1, expert_parallel: bool = False, weights: str = "bf16",
            cache: str | None = None) -> Serving:
    """How quickly GPUs would serve a language model by the kernel library: nothing is computed.

        serving = hipsight.torch.serving("llama-3-70b", "mi300x", tensor_parallel=8, weights="fp8")
        print(serving.forward(batch=64, context=2048))               # a decode step, by operation
        print(serving.forward(batch=1, context=2048, queries=2048))  # a prefill
        serving.throughput(concurrency=256, input=128, output=2048).tokens_per_second

    model: its sizes: a name that hipsight.torch.NAMED_DECODERS has, a config.json of transformers or what is in it, or
        a Decoder.
    gpu: a name, or a GPU opened with timing_only.
    tensor_parallel: GPUs that share each layer, all with a link to each other.
    expert_parallel: each of them has its share of whole experts, instead of a slice of all experts.
    weights: "bf16", "fp16", "fp8" or "int4" (which a mixture's experts are not, here: they are bf16).
    cache: of keys and values: likewise; default: as the activations.
    """
    decoder, operators = Decoder.of(model), Operators(gpu)
    target = operators.gpu.facts.target_id.split(":")[0]
    fp8 = torch.float8_e4m3fnuz if target in FNUZ else torch.float8_e4m3fn
    usual = "fp16" if weights == "fp16" else "bf16"
    if expert_parallel and not decoder.experts:
        raise usage("serving", f"{decoder.name} has no experts that GPUs could share")
    steps = Steps(decoder, tensor_parallel, weights, cache or usual, fp8, expert_parallel)
    result = Serving(decoder, operators, steps)
    if result.free_bytes <= 0:
        raise usage("serving", f"{decoder.name}: {result.weight_bytes / 1e9:.3g} GB of weights do not fit "
                    f"{result.gpu.title}'s {result.gpu.dram_bytes / 1e9:.3g} GB: more GPUs, or a smaller format")
    return result
