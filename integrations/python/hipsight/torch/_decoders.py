"""Decoders of language models: their sizes, and the operations of a step of one."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from .._error import usage

NAMED = {
    # config.json of meta-llama/Meta-Llama-3-8B, meta-llama/Meta-Llama-3-70B, meta-llama/Llama-3.1-405B,
    # mistralai/Mixtral-8x7B-v0.1 and Qwen/Qwen3-30B-A3B on huggingface.co.
    "llama-3-8b": dict(num_hidden_layers=32, hidden_size=4096, num_attention_heads=32, num_key_value_heads=8,
                       intermediate_size=14336, vocab_size=128256),
    "llama-3-70b": dict(num_hidden_layers=80, hidden_size=8192, num_attention_heads=64, num_key_value_heads=8,
                        intermediate_size=28672, vocab_size=128256),
    "llama-3-405b": dict(num_hidden_layers=126, hidden_size=16384, num_attention_heads=128, num_key_value_heads=8,
                         intermediate_size=53248, vocab_size=128256),
    "mixtral-8x7b": dict(num_hidden_layers=32, hidden_size=4096, num_attention_heads=32, num_key_value_heads=8,
                         intermediate_size=14336, vocab_size=32000, num_local_experts=8, num_experts_per_tok=2),
    "qwen3-30b-a3b": dict(num_hidden_layers=48, hidden_size=2048, num_attention_heads=32, num_key_value_heads=4,
                          head_dim=128, moe_intermediate_size=768, intermediate_size=6144, vocab_size=151936,
                          num_experts=128, num_experts_per_tok=8),
}
"""Sizes of public models, as transformers' configurations have them."""

FORMATS = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.float8_e4m3fn}
WEIGHTS = [*FORMATS, "int4"]
"""Formats of the linear layers' weights; int4 in groups that have a scale and a zero of their own."""
GROUP = 128
PLACES = 16
"""Of a page of the cache: vLLM's block_size."""


@dataclass(frozen=True)
class Decoder:
    """The sizes of a decoder: layers of attention, and of a gated product or a mixture of such."""

    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head: int
    intermediate: int
    """Of each expert, in a mixture."""
    vocabulary: int
    experts: int = 0
    chosen: int = 0
    """Experts of a token."""

    @staticmethod
    def of(model: Decoder | str | os.PathLike | Mapping[str, Any]) -> Decoder:
        """By name ("llama-3-70b"), from a config.json of transformers, or from what is in one."""
        if isinstance(model, Decoder):
            return model
        if isinstance(model, Mapping):
            return Decoder._of_config(model.get("model_type", "decoder"), model)
        if isinstance(model, str) and model in NAMED:
            return Decoder._of_config(model, NAMED[model])
        path = pathlib.Path(model)
        path = path / "config.json" if path.is_dir() else path
        try:
            config = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise usage("model", f"model is {str(model)!r}: it takes {', '.join(NAMED)}, or a config.json ({error})") \
                from None
        return Decoder._of_config(path.parent.name or path.stem, config)

    @staticmethod
    def _of_config(name, config):
        def number(*keys, default=None):
            for key in keys:
                if isinstance(config.get(key), int):
                    return config[key]
            if default is None:
                raise usage("model", f"{name}: its configuration has no {keys[0]}")
            return default

        if config.get("kv_lora_rank"):
            raise usage("model", f"{name}: it has multi-head latent attention, of which the kernel library has decoding only")
        heads, hidden = number("num_attention_heads"), number("hidden_size")
        experts = number("num_local_experts", "num_experts", "n_routed_experts", default=0)
        return Decoder(name, number("num_hidden_layers"), hidden, heads, number("num_key_value_heads", default=heads),
                       number("head_dim", default=hidden // heads),
                       number("moe_intermediate_size", "intermediate_size") if experts else number("intermediate_size"),
                       number("vocab_size"), experts, number("num_experts_per_tok", default=0) if experts else 0)

    @property
    def attention_weights(self) -> int:
        """Of a layer: numbers."""
        return self.hidden * self.head * (2 * self.heads + 2 * self.kv_heads)

    @property
    def product_weights(self) -> int:
        """Of a layer's gated product, or of all its experts."""
        return 3 * self.hidden * self.intermediate * max(1, self.experts)

    @property
    def weights(self) -> int:
        """Of all matrices, those of the embedding and the output among them."""
        return self.layers * (self.attention_weights + self.product_weights) + 2 * self.vocabulary * self.hidden


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

    def __init__(self, model: Decoder, parallel: int, weights: str, cache: str, fp8: torch.dtype):
        for what, count in (("heads", model.heads), ("key heads", max(model.kv_heads, parallel)),
                            ("intermediate values", model.intermediate), ("words", model.vocabulary)):
            if count % parallel:
                raise usage("tensor_parallel", f"{model.name} has {count} {what}: {parallel} GPUs cannot share them evenly")
        for what, given, known in (("weights", weights, WEIGHTS), ("cache", cache, FORMATS)):
            if given not in known:
                raise usage(what, f"{what}={given!r}: it takes {', '.join(known)}")
        self.model, self.parallel = model, parallel
        self.value = torch.float16 if weights == "fp16" else torch.bfloat16
        self.in_4_bits = weights == "int4"
        self.weight = fp8 if weights == "fp8" else FORMATS.get(weights, self.value)
        self.cached = fp8 if cache == "fp8" else FORMATS[cache]
        if self.cached.itemsize == 2 and self.cached != self.value:
            raise usage("cache", f"cache={cache!r}: with weights={weights!r} it is in that format, or fp8")
        self.heads, self.kv_heads = model.heads // parallel, max(1, model.kv_heads // parallel)

    @property
    def weight_bytes(self) -> int:
        """On each GPU. The embedding, the output and experts are not in fp8 or int4."""
        model, whole = self.model, self.value.itemsize
        each = 0.5 + 2 * whole / GROUP if self.in_4_bits else self.weight.itemsize
        layer = model.attention_weights * each + model.product_weights * (whole if model.experts else each)
        return int(model.layers * layer + 2 * model.vocabulary * model.hidden * whole) // self.parallel

    @property
    def cache_bytes(self) -> int:
        """Of each place of a sequence, on each GPU."""
        return 2 * self.model.layers * self.kv_heads * self.model.head * self.cached.itemsize

    @property
    def in_8_bits(self) -> bool:
        """Whether activations are made so before they meet weights: by the operation before, where that can."""
        return self.weight.itemsize == 1

    def linear(self, name, rows, inner, columns):
        """Of activations that are at hand."""
        if self.in_4_bits:
            # Slices of a layer may be no multiple of the group.
            group = next((one for one in (GROUP, 64, 32) if inner % one == 0), inner)
            blocks = -(-columns // 32)  # of so many columns
            weights = (on_meta(blocks, inner // 32, 32, 4, dtype=torch.int32),
                       on_meta(blocks, inner // group, 32, 2, dtype=self.value))
            return Step(name, self.model.layers, "int4_gemm", (on_meta(rows, inner, dtype=self.value), *weights))
        b = on_meta(columns, inner, dtype=self.weight).mT
        if not self.in_8_bits:
            return Step(name, self.model.layers, "gemm", (on_meta(rows, inner, dtype=self.value), b))
        scales = [on_meta(*shape, dtype=torch.float32) for shape in ((rows, 1), (1, columns))]
        return Step(name, self.model.layers, "scaled_gemm", (on_meta(rows, inner, dtype=self.weight), b, *scales),
                    {"dtype": self.value})

    def of(self, batch: int, queries: int, context: int) -> list[Step]:
        """Sequences of `queries` new tokens each, after which they have `context`."""
        model, value = self.model, self.value
        rows, layers = batch * queries, model.layers
        x = on_meta(rows, model.hidden, dtype=value)
        weight = on_meta(model.hidden, dtype=value)
        places = 1 << max(10, (context - 1).bit_length())  # a table of its own for each context would tell them apart
        tables = [on_meta(places, model.head // 2, dtype=torch.float32) for _ in range(2)]
        positions = on_meta(rows, dtype=torch.int64)
        own, inner = self.heads * model.head, model.intermediate // self.parallel
        of_heads = [("queries", self.heads), ("keys", self.kv_heads)]
        quantised = {"dtype": self.weight} if self.in_8_bits else {}
        then = "_quantise" if self.in_8_bits else ""
        dense = {} if model.experts else quantised
        steps = [Step("embedding", 1, moved=2 * rows * model.hidden * value.itemsize),
                 Step("norm", 1, "rms_norm" + then, (x, weight), quantised),
                 self.linear("queries, keys, values", rows, model.hidden, own + 2 * self.kv_heads * model.head),
                 *[Step(f"rotate {name}", layers, "rope", (on_meta(rows, heads, model.head, dtype=value), *tables,
                                                          positions)) for name, heads in of_heads],
                 Step("store in cache", layers, moved=2 * rows * self.kv_heads * model.head *
                      (value.itemsize + self.cached.itemsize)),
                 self.attention(batch, queries, context),
                 *([Step("quantise", layers, "quantise", (on_meta(rows, own, dtype=value), self.weight))] if then else []),
                 self.linear("output of attention", rows, own, model.hidden),
                 Step("all-reduce", 2 * layers, all_reduce=rows * model.hidden * value.itemsize),
                 # The last one, before the words, is not in 8 bits: it takes nearly as long.
                 Step("norm of the sum", layers, "add_rms_norm" + then, (x, x, weight), quantised),
                 Step("norm of the sum", layers, "add_rms_norm" + (then if dense else ""), (x, x, weight), dense),
                 *(self.experts(rows, inner) if model.experts else
                   [self.linear("gate and up", rows, model.hidden, 2 * inner),
                    self.activation(rows, inner, "silu_mul" + then, quantised),
                    self.linear("down", rows, inner, model.hidden)]),
                 Step("words", 1, "gemm", (on_meta(batch, model.hidden, dtype=value),
                                           on_meta(model.vocabulary // self.parallel, model.hidden, dtype=value).mT))]
        return [one for one in steps if not one.all_reduce or self.parallel > 1]

    def activation(self, rows, inner, operation="silu_mul", keywords={}):
        both = on_meta(rows, 2 * inner, dtype=self.value)
        return Step("activation", self.model.layers, operation, (both[:, :inner], both[:, inner:]), keywords)

    def experts(self, tokens, inner):
        """A mixture: each expert has as many tokens as another."""
        model, value = self.model, self.value
        rows, starts = tokens * model.chosen, on_meta(model.experts + 1, dtype=torch.int64)
        weights = [on_meta(model.experts, *shape, dtype=value).mT for shape in ((2 * inner, model.hidden),
                                                                              (model.hidden, inner))]
        return [Step("router", model.layers, "gemm", (on_meta(tokens, model.hidden, dtype=value),
                                                      on_meta(model.experts, model.hidden, dtype=value).mT)),
                Step("gate and up", model.layers, "grouped_gemm",
                     (on_meta(tokens, model.hidden, dtype=value), weights[0], starts, on_meta(rows, dtype=torch.int64))),
                self.activation(rows, inner),
                Step("down", model.layers, "grouped_gemm", (on_meta(rows, inner, dtype=value), weights[1], starts)),
                Step("sum of experts", model.layers, moved=(rows + tokens) * model.hidden * value.itemsize)]

    def attention(self, batch, queries, context):
        model, value = self.model, self.value
        if queries == context:
            q, k, v = (on_meta(batch, heads, queries, model.head, dtype=value)
                       for heads in (self.heads, self.kv_heads, self.kv_heads))
            return Step("attention", model.layers, "attention", (q, k, v), {"causal": True})
        most = -(-context // PLACES)
        cache = [on_meta(batch * most, PLACES, self.kv_heads, model.head, dtype=self.cached) for _ in range(2)]
        return Step("attention", model.layers, "paged_attention",
                    (on_meta(batch, self.heads, queries, model.head, dtype=value), *cache,
                     on_meta(batch, most, dtype=torch.int64), on_meta(batch, dtype=torch.int64)))
