"""hipsight.torch.plan: how many GPUs should share a model, and how many requests they should serve at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .._error import Error, usage
from .._gpu import Gpu
from .._shown import aligned, seconds_in_words
from ._decoders import Decoder
from ._serving import Serving, serving


@dataclass(frozen=True)
class Choice:
    """A way to serve a model."""

    gpu: str
    tensor_parallel: int
    """GPUs that share a copy of the model."""
    expert_parallel: bool
    """Whether each of them has whole experts, instead of slices of all."""
    copies: int
    concurrency: int
    """Requests that a copy serves at once."""
    first_token: float
    """Seconds from when a request's prompt is begun."""
    per_token: float
    """Seconds from one token to the next, in the middle of the answer."""
    output_tokens_per_second: float
    """Of all copies, prefill's time taken off."""
    bound: str
    """The step of decoding that takes most of its time, and what bounds it."""

    @property
    def gpus(self) -> int:
        return self.tensor_parallel * self.copies


@dataclass(frozen=True)
class Plan:
    """Ways to serve a model with a number of GPUs."""

    model: Decoder
    gpus: int
    input: int
    output: int
    choices: tuple[Choice, ...]
    """That hold the limits, the most tokens per second first."""
    refused: tuple[Choice, ...]
    """That do not."""
    out_of_reach: Mapping[str, str]
    """What could not be tried, and why."""

    def __str__(self) -> str:
        head = f"{self.model.name}, {self.input} tokens in, {self.output} out, {self.gpus} GPUs"
        if not self.choices:
            lines = [f"{head}: no choice holds the limits" if self.refused else f"{head}: nothing fits"]
        else:
            best = self.choices[0]
            experts = ", experts whole" if best.expert_parallel else ""
            lines = [f"{head}: {best.copies} x {best.tensor_parallel} {best.gpu}{experts}, {best.concurrency} requests each: "
                     f"{best.output_tokens_per_second:.0f} tokens/s"]
        rows = [["tokens/s", "a GPU", "first token", "each", "copies", "GPUs each", "requests each", "bound"]]
        for one in (*self.choices[:12], *self.refused[:max(0, 6 - len(self.choices))]):
            rows.append([f"{one.output_tokens_per_second:.0f}", f"{one.output_tokens_per_second / one.gpus:.0f}",
                         seconds_in_words(one.first_token), seconds_in_words(one.per_token), str(one.copies),
                         str(one.tensor_parallel) + (" (whole experts)" if one.expert_parallel else ""), str(one.concurrency),
                         one.bound + ("" if one in self.choices else " (beyond the limits)")])
        more = len(self.choices) - 12
        return "\n".join([*lines, *(aligned(rows, 7) if len(rows) > 1 else []), *([f"and {more} more"] if more > 0 else []),
                          *(f"not tried: {what}: {why}" for what, why in self.out_of_reach.items())])


def choice(one: Serving, copies: int, concurrency: int, input: int, output: int) -> Choice:
    served = one.throughput(concurrency, input, output, contexts=1)
    step = one.forward(concurrency, input + (output + 1) // 2)
    longest = step.steps[0]
    return Choice(one.gpu.name, one.gpus, one.expert_parallel, copies, concurrency, one.forward(1, input, input).seconds, step.seconds,
                  copies * served.output_tokens_per_second, f"{longest.name}: {longest.bound.split(':')[0]}")


def plan(model: Decoder | str | os.PathLike | Mapping[str, Any], gpu: Gpu | str = "mi300x", *, gpus: int = 8,
         input: int = 1024, output: int = 1024, weights: str = "bf16", cache: str | None = None,
         first_token: float | None = None, per_token: float | None = None,
         tensor_parallel: Iterable[int] = (1, 2, 4, 8)) -> Plan:
    """Tries ways to serve a model, and puts the best first: the most tokens per second that hold the limits.

        print(hipsight.torch.plan("llama-3-70b", "mi300x", gpus=8, weights="fp8", per_token=0.03))

    gpus: all there are. Copies of the model do not talk to each other; those that share one are all linked.
    input, output: tokens of a request.
    first_token, per_token: limits, in seconds. The first holds for a prompt that is not waiting for others.
    weights, cache, model: as ``hipsight.torch.serving`` has them.
    tensor_parallel: the sizes of groups to try. Of a mixture, each is tried with slices of all experts, and with whole
        experts.

    Concurrency is tried in powers of two, to what the cache holds, and not beyond what misses a limit: for the time of
    a token, by far. Times are those of ``Serving``: of the GPUs' work
    alone.
    """
    if gpus < 1 or input < 1 or output < 1:
        raise usage("plan", f"{gpus} GPUs, {input} tokens in, {output} out: it takes one or more of each")

    def late(one):
        """More requests at once take no less time, but for ups and downs of predictions."""
        return ((first_token is not None and one.first_token > first_token) or
                (per_token is not None and one.per_token > 2 * per_token))

    decoder = Decoder.of(model)
    found, out_of_reach = [], {}
    ways = [(size, whole) for size in sorted(set(tensor_parallel)) if size <= gpus
            for whole in ((False, True) if decoder.experts and size > 1 else (False,))]
    for size, whole in ways:
        what = (f"{size} GPUs for a copy" if size > 1 else "one GPU for a copy") + (", experts whole" if whole else "")
        try:
            one = serving(decoder, gpu, tensor_parallel=size, expert_parallel=whole, weights=weights, cache=cache)
            most = one.most_sequences(input + output)
            if most < 1:
                raise usage("plan", f"the cache has no room for a request of {input + output} tokens")
            concurrency = 1
            while concurrency <= most:
                found.append(choice(one, gpus // size, concurrency, input, output))
                if late(found[-1]):
                    break
                concurrency *= 2
        except Error as error:
            out_of_reach[what] = error.text

    def holds(one):
        return ((first_token is None or one.first_token <= first_token) and
                (per_token is None or one.per_token <= per_token))

    found.sort(key=lambda one: -one.output_tokens_per_second)
    return Plan(decoder, gpus, input, output, tuple(one for one in found if holds(one)),
                tuple(one for one in found if not holds(one)), out_of_reach)
