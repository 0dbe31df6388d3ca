"""The operations of a step of a decoder, as one GPU of those that share it does them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from .._error import usage
from ._decoders import Decoder

FORMATS = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.float8_e4m3fn}
WEIGHTS = [*FORMATS, "int4"]
"""Formats of the linear layers' weights; int4 in groups that have a scale and a zero of their own."""
GROUP = 128
PLACES = 16
"""Of a page of the cache: vLLM's block_size."""


@dataclass(frozen=True)
class Step:
    """An operation of a step of the model, `times` times."""

    name: str
    times: int
    operation: str = ""
    """Of torch.ops.hipsight; "": `all_reduce`, or memory alone."""
    arguments: tuple = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)
    all_reduce: int = 0
    """Bytes that each GPU has."""
    moved: int = 0
    """Bytes that are read and written by what the kernel library does not have."""


def on_meta(*shape, dtype):
    return torch.empty(shape, dtype=dtype, device="meta")


class Steps:
    """The operations that one GPU of a group does in a step: tensor parallel, as Megatron's layers are."""

    def __init__(self, model: Decoder, parallel: int, weights: str, cache: str, fp8: torch.dtype,
                 whole_experts: bool = False):
        for what, count in (("heads", model.heads), ("key heads", max(model.kv_heads, parallel)),
                            *([("experts", model.experts)] if whole_experts else
                              [("intermediate values", model.intermediate)]), ("values of shared experts", model.shared),
                            ("values of dense layers", model.dense), ("words", model.vocabulary)):
            if count % parallel:
                raise usage("tensor_parallel", f"{model.name} has {count} {what}: {parallel} GPUs cannot share them evenly")
        for what, given, known in (("weights", weights, WEIGHTS), ("cache", cache, FORMATS)):
            if given not in known:
                raise usage(what, f"{what}={given!r}: it takes {', '.join(known)}")
        self.model, self.parallel, self.whole_experts = model, parallel, whole_experts
        self.value = torch.float16 if weights == "fp16" else torch.bfloat16
        self.in_4_bits = weights == "int4"
        self.weight = fp8 if weights == "fp8" else FORMATS.get(weights, self.value)
        self.cached = fp8 if cache == "fp8" else FORMATS[cache]
        if model.latent and self.cached.itemsize == 1:
            raise usage("cache", f"cache={cache!r}: the kernel library's attention takes latents in 16 bits")
        if self.cached.itemsize == 2 and self.cached != self.value:
            raise usage("cache", f"cache={cache!r}: with weights={weights!r} it is in that format, or fp8")
        self.heads, self.kv_heads = model.heads // parallel, max(1, model.kv_heads // parallel)

    @property
    def weight_bytes(self) -> int:
        """On each GPU. The embedding, the output, experts and what latents become are not in fp8 or int4."""
        model, whole = self.model, self.value.itemsize
        each = 0.5 + 2 * whole / GROUP if self.in_4_bits else self.weight.itemsize
        out_of_latents = model.heads * model.latent.cached * (model.latent.plain + model.latent.value) if model.latent else 0
        of_layer = (model.attention_weights - model.copied_weights - out_of_latents) * each + out_of_latents * whole
        shared = (model.layers * of_layer + model.product_weights * each + model.expert_weights * whole +
                  2 * model.vocabulary * model.hidden * whole)
        return int(shared // self.parallel + model.layers * model.copied_weights * each)

    @property
    def cache_bytes(self) -> int:
        """Of each place of a sequence, on each GPU."""
        model = self.model
        if model.latent:
            return model.layers * (model.latent.cached + model.latent.rotated) * self.cached.itemsize
        return 2 * model.layers * self.kv_heads * model.head * self.cached.itemsize

    @property
    def in_8_bits(self) -> bool:
        """Whether activations are made so before they meet weights: by the operation before, where that can."""
        return self.weight.itemsize == 1

    @property
    def quantised(self) -> tuple[str, dict]:
        """What makes activations so: the end of an operation's name, and its keywords."""
        return ("_quantise", {"dtype": self.weight}) if self.in_8_bits else ("", {})

    def linear(self, name, rows, inner, columns, times=None):
        """Of activations that are at hand."""
        times = self.model.layers if times is None else times
        if self.in_4_bits:
            # Slices of a layer may be no multiple of the group.
            group = next((one for one in (GROUP, 64, 32) if inner % one == 0), inner)
            blocks = -(-columns // 32)  # of so many columns
            weights = (on_meta(blocks, inner // 32, 32, 4, dtype=torch.int32),
                       on_meta(blocks, inner // group, 32, 2, dtype=self.value))
            return Step(name, times, "int4_gemm", (on_meta(rows, inner, dtype=self.value), *weights))
        if not self.in_8_bits:
            return self.linear_16(name, rows, inner, columns, times)
        b = on_meta(columns, inner, dtype=self.weight).mT
        scales = [on_meta(*shape, dtype=torch.float32) for shape in ((rows, 1), (1, columns))]
        return Step(name, times, "scaled_gemm", (on_meta(rows, inner, dtype=self.weight), b, *scales),
                    {"dtype": self.value})

    def of(self, batch: int, queries: int, context: int) -> list[Step]:
        """Sequences of `queries` new tokens each, after which they have `context`."""
        model, value = self.model, self.value
        rows, layers = batch * queries, model.layers
        x, weight = on_meta(rows, model.hidden, dtype=value), on_meta(model.hidden, dtype=value)
        then, quantised = self.quantised
        # What comes before a router, and the last one, before the words, is not in 8 bits: it takes nearly as long.
        before_mixtures = model.mixtures
        steps = [Step("embedding", 1, moved=2 * rows * model.hidden * value.itemsize),
                 Step("norm", 1, "rms_norm" + then, (x, weight), quantised),
                 *(self.latent_attention if model.latent else self.grouped_attention)(batch, queries, context),
                 Step("all-reduce", 2 * layers, all_reduce=rows * model.hidden * value.itemsize),
                 Step("norm of the sum", 2 * layers - before_mixtures, "add_rms_norm" + then, (x, x, weight), quantised),
                 Step("norm of the sum", before_mixtures, "add_rms_norm", (x, x, weight)),
                 *self.products(rows),
                 self.linear_16("words", batch, model.hidden, model.vocabulary // self.parallel, 1)]
        return [one for one in steps if one.times and (not one.all_reduce or self.parallel > 1)]

    # --- attention -------------------------------------------------------------------------------

    def rotate(self, rows, context, size, interleaved=False, **of_heads):
        """Rotary embedding of so many heads of each name."""
        places = 1 << max(10, (context - 1).bit_length())  # a table of its own for each context would tell them apart
        tables = [on_meta(places, size // 2, dtype=torch.float32) for _ in range(2)]
        positions = on_meta(rows, dtype=torch.int64)
        return [Step(f"rotate {name}", self.model.layers, "rope",
                     (on_meta(rows, heads, size, dtype=self.value), *tables, positions), {"interleaved": True} if interleaved
                     else {}) for name, heads in of_heads.items()]

    def output(self, rows, own):
        """What attention's heads make of a layer's sum."""
        return [*self.quantise(rows, own, self.model.layers), self.linear("output of attention", rows, own, self.model.hidden)]

    def quantise(self, rows, columns, times):
        if not self.in_8_bits:
            return []
        return [Step("quantise", times, "quantise", (on_meta(rows, columns, dtype=self.value), self.weight))]

    def grouped_attention(self, batch, queries, context):
        model, value = self.model, self.value
        rows, own = batch * queries, self.heads * model.head
        most = -(-context // PLACES)
        cache = [on_meta(batch * most, PLACES, self.kv_heads, model.head, dtype=self.cached) for _ in range(2)]
        new = [on_meta(rows, self.kv_heads, model.head, dtype=value) for _ in range(2)]
        if queries == context:
            q, k, v = (on_meta(batch, heads, queries, model.head, dtype=value)
                       for heads in (self.heads, self.kv_heads, self.kv_heads))
            attention = Step("attention", model.layers, "attention", (q, k, v), {"causal": True})
        else:
            attention = Step("attention", model.layers, "paged_attention",
                             (on_meta(batch, self.heads, queries, model.head, dtype=value), *cache, *self.pages(batch, most)))
        return [self.linear("queries, keys, values", rows, model.hidden, own + 2 * self.kv_heads * model.head),
                *self.rotate(rows, context, model.head, queries=self.heads, keys=self.kv_heads),
                Step("store in cache", model.layers, "append_to_cache", (*new, *cache, on_meta(rows, dtype=torch.int64))),
                attention, *self.output(rows, own)]

    @staticmethod
    def pages(batch, most):
        """Where each sequence's pages are, and its length."""
        return on_meta(batch, most, dtype=torch.int64), on_meta(batch, dtype=torch.int64)

    def latent_attention(self, batch, queries, context):
        """
        Multi-head latent attention. In decoding the latents are the keys of all heads ("absorbed"): queries are made such,
        and so are results made values. In a prompt each head gets its keys and values.
        """
        model, value, of = self.model, self.value, self.model.latent
        rows, heads, cached = batch * queries, self.heads, of.cached + of.rotated

        def norm(name, size, then="", quantised={}):
            return Step(name, model.layers, "rms_norm" + then, (on_meta(rows, size, dtype=value),
                                                                on_meta(size, dtype=value)), quantised)

        steps = [self.linear("latents", rows, model.hidden, of.query + cached), norm("norm of latents", of.cached)]
        if of.query:
            steps += [norm("norm of queries' latents", of.query, *self.quantised),
                      self.linear("queries", rows, of.query, heads * model.head)]
        else:
            steps += [self.linear("queries", rows, model.hidden, heads * model.head)]
        steps += self.rotate(rows, context, of.rotated, interleaved=True, queries=heads, keys=1)
        # The library has no kernel that stores latents.
        steps += [Step("store in cache", model.layers, moved=rows * cached * (value.itemsize + self.cached.itemsize))]
        if queries == context:
            q, k, v = (on_meta(batch, heads, queries, size, dtype=value) for size in (model.head, model.head, of.value))
            steps += [self.linear_16("keys and values", rows, of.cached, heads * (of.plain + of.value)),
                      Step("attention", model.layers, "attention", (q, k, v), {"causal": True})]
        else:
            most = -(-context // PLACES)
            steps += [self.of_each_head("queries to latents", rows, of.plain, of.cached),
                      Step("attention", model.layers, "latent_attention",
                           (on_meta(batch, heads, queries, cached, dtype=value),
                            on_meta(batch * most, PLACES, cached, dtype=value), *self.pages(batch, most), model.head ** -0.5)),
                      self.of_each_head("latents to values", rows, of.cached, of.value)]
        return steps + self.output(rows, heads * of.value)

    def linear_16(self, name, rows, inner, columns, times=None):
        """In 16 bits, whatever the weights' format."""
        return Step(name, self.model.layers if times is None else times, "gemm",
                    (on_meta(rows, inner, dtype=self.value), on_meta(columns, inner, dtype=self.value).mT))

    def of_each_head(self, name, rows, inner, columns):
        """A product of its own for each head."""
        a, b = (on_meta(self.heads, *shape, dtype=self.value) for shape in ((rows, inner), (inner, columns)))
        return Step(name, self.model.layers, "gemm", (a, b))

    # --- gated products --------------------------------------------------------------------------

    def products(self, rows):
        model = self.model
        if not model.experts:
            return self.gated(rows, model.intermediate, model.layers)
        shared = self.gated(rows, model.shared, model.mixtures, " of shared experts")
        return [*self.gated(rows, model.dense, model.dense_layers), *self.experts(rows),
                *(self.quantise(rows, model.hidden, model.mixtures) if shared else []), *shared]

    def gated(self, rows, inner, layers, of=""):
        """A gated product of `layers` layers."""
        if not inner or not layers:
            return []
        hidden, inner = self.model.hidden, inner // self.parallel
        then, quantised = self.quantised
        return [self.linear("gate and up" + of, rows, hidden, 2 * inner, layers),
                self.activation(rows, inner, layers, of, then, quantised),
                self.linear("down" + of, rows, inner, hidden, layers)]

    def activation(self, rows, inner, layers, of="", then="", quantised={}):
        both = on_meta(rows, 2 * inner, dtype=self.value)
        return Step("activation" + of, layers, "silu_mul" + then, (both[:, :inner], both[:, inner:]), quantised)

    def experts(self, tokens):
        """
        A mixture: each expert has as many tokens as another. A GPU has a slice of each expert, or its share of whole
        experts, and then their share of the tokens' choices.
        """
        model, value, layers = self.model, self.value, self.model.mixtures
        share = self.parallel if self.whole_experts else 1
        here, rows, inner = model.experts // share, -(-tokens * model.chosen // share), (
            model.intermediate // (self.parallel // share))
        starts, of_choices = on_meta(here + 1, dtype=torch.int64), (tokens, model.chosen)
        of_sum = (tokens, max(1, model.chosen // share))
        weights = [on_meta(here, *shape, dtype=value).mT for shape in ((2 * inner, model.hidden), (model.hidden, inner))]
        groups = dict(groups=model.groups, chosen_groups=model.chosen_groups) if model.groups > 1 else {}
        return [self.linear_16("router", tokens, model.hidden, model.experts, layers),
                Step("choice of experts", layers, "moe_route", (on_meta(tokens, model.experts, dtype=value), model.chosen),
                     groups),
                Step("order of experts", layers, "moe_sort", (on_meta(*of_choices, dtype=torch.int32), model.experts)),
                Step("gate and up", layers, "grouped_gemm",
                     (on_meta(tokens, model.hidden, dtype=value), weights[0], starts, on_meta(rows, dtype=torch.int64))),
                self.activation(rows, inner, layers),
                Step("down", layers, "grouped_gemm", (on_meta(rows, inner, dtype=value), weights[1], starts)),
                Step("sum of experts", layers, "moe_combine",
                     (on_meta(max(rows, tokens), model.hidden, dtype=value), on_meta(*of_sum, dtype=torch.int32),
                      on_meta(*of_sum, dtype=torch.float32)))]
