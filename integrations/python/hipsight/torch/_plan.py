"""hipsight.torch.plan: how many GPUs should share a model, and how many requests they should serve at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .._error import Error, usage
from .._gpu import Gpu
from .._shown import aligned, seconds_in_words
from ._decoders import Decoder
from ._serving import Serving, serving


SIZES = (1, 2, 4, 8)
"""GPUs for a copy of the model that a plan tries."""


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
            lines = [f"{head}: {best.copies} x {best.tensor_parallel} {best.gpu}{experts}, {best.concurrency} requests "
                     f"each: {best.output_tokens_per_second:.0f} tokens/s"]
        rows = [["tokens/s", "a GPU", "first token", "each", "copies", "GPUs each", "requests each", "bound"]]
        for one in (*self.choices[:12], *self.refused[:max(0, 6 - len(self.choices))]):
            rows.append([f"{one.output_tokens_per_second:.0f}", f"{one.output_tokens_per_second / one.gpus:.0f}",
                         seconds_in_words(one.first_token), seconds_in_words(one.per_token), str(one.copies),
                         str(one.tensor_parallel) + (" (whole experts)" if one.expert_parallel else ""),
                         str(one.concurrency),
                         one.bound + ("" if one in self.choices else " (beyond the limits)")])
        more = len(self.choices) - 12
        return "\n".join([*lines, *(aligned(rows, 7) if len(rows) > 1 else []), *([f"and {more} more"] if more > 0 else []),
                          *(f"not tried: {what}: {why}" for what, why in self.out_of_reach.items())])


@dataclass(frozen=True)
class Search:
    """What a plan is asked for, but for the ways to try."""

    decoder: Decoder
    gpu: Gpu | str
    gpus: int
    input: int
    output: int
    weights: str
    cache: str | None
    first_token: float | None
    per_token: float | None

    def ways(self, sizes: Iterable[int]) -> list[tuple[int, bool]]:
        """GPUs for a copy of the model, and whether each has whole experts."""
        return [(size, whole) for size in sorted(set(sizes)) if size <= self.gpus
                for whole in ((False, True) if self.decoder.experts and size > 1 else (False,))]

    def choices(self, size: int, whole: bool) -> Iterator[Choice]:
        """Of one way, each concurrency by powers of two. @raises Error if the model does not fit."""
        one = serving(self.decoder, self.gpu, tensor_parallel=size, expert_parallel=whole, weights=self.weights,
                      cache=self.cache)
        most = one.most_sequences(self.input + self.output)
        if most < 1:
            raise usage("plan", f"the cache has no room for a request of {self.input + self.output} tokens")
        concurrency = 1
        while concurrency <= most:
            found = choice(one, self.gpus // size, concurrency, self.input, self.output)
            yield found
            if self._late(found):
                return
            concurrency *= 2

    def _late(self, one):
        """More requests at once take no less time, but for ups and downs of predictions."""
        return ((self.first_token is not None and one.first_token > self.first_token) or
                (self.per_token is not None and one.per_token > 2 * self.per_token))


def choice(one: Serving, copies: int, concurrency: int, input: int, output: int) -> Choice:
    served = one.throughput(concurrency, input, output, contexts=1)
    step = one.forward(concurrency, input + (output + 1) // 2)
    longest = step.steps[0]
    return Choice(one.gpu.name, one.gpus, one.expert_parallel, copies, concurrency,
                  one.forward(1, input, input).seconds, step.seconds, copies * served.output_tokens_per_second,
                  f"{longest.name}: {longest.bound.split(':')[0]}")


def plan(model: Decoder | str | os.PathLike | Mapping[str, Any], gpu: Gpu | str = "mi300x", *, gpus: int = 8,
         input: int = 1024, output: int = 1024, weights: str = "bf16", cache: str | None = None,
         first_token: float | None = None, per_token: float | None = None,
         tensor_parallel: Iterable[int] = SIZES) -> Plan:
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

    decoder = Decoder.of(model)
    found, out_of_reach = [], {}
    search = Search(decoder, gpu, gpus, input, output, weights, cache, first_token, per_token)
    for size, whole in search.ways(tensor_parallel):
        try:
            for one in search.choices(size, whole):  # what is found before an error stays
                found.append(one)
        except Error as error:
            what = f"{size} GPUs for a copy" if size > 1 else "one GPU for a copy"
            out_of_reach[what + (", experts whole" if whole else "")] = error.text

    def holds(one):
        return ((first_token is None or one.first_token <= first_token) and
                (per_token is None or one.per_token <= per_token))

    found.sort(key=lambda one: -one.output_tokens_per_second)
    return Plan(decoder, gpus, input, output, tuple(one for one in found if holds(one)),
                tuple(one for one in found if not holds(one)), out_of_reach)
