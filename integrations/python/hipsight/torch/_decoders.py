"""Decoders of language models: their sizes."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._error import usage

NAMED = {
    # config.json of meta-llama/Meta-Llama-3-8B, meta-llama/Meta-Llama-3-70B, meta-llama/Llama-3.1-405B,
    # mistralai/Mixtral-8x7B-v0.1, Qwen/Qwen3-30B-A3B, deepseek-ai/DeepSeek-V2-Lite and deepseek-ai/DeepSeek-V3 (R1's, too)
    # on huggingface.co.
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
    "deepseek-v2-lite": dict(num_hidden_layers=27, hidden_size=2048, num_attention_heads=16, kv_lora_rank=512,
                             qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128, intermediate_size=10944,
                             moe_intermediate_size=1408, n_routed_experts=64, n_shared_experts=2, num_experts_per_tok=6,
                             first_k_dense_replace=1, vocab_size=102400),
    "deepseek-v3": dict(num_hidden_layers=61, hidden_size=7168, num_attention_heads=128, q_lora_rank=1536,
                        kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128,
                        intermediate_size=18432, moe_intermediate_size=2048, n_routed_experts=256, n_shared_experts=1,
                        num_experts_per_tok=8, first_k_dense_replace=3, n_group=8, topk_group=4, vocab_size=129280),
}
"""Sizes of public models, as transformers' configurations have them."""

LATENT = (512, 64)
"""What latent_attention takes of a token: its latent, and the part of its key that is rotated."""


@dataclass(frozen=True)
class Latent:
    """Multi-head latent attention (DeepSeek's): sizes of what a token's queries, keys and values are made from."""

    query: int
    """Of the latent of queries; 0: they are made from the token itself."""
    cached: int
    """Of the latent of keys and values, which the cache has."""
    plain: int
    rotated: int
    """Of a head of queries and keys: without and with a position. The rotated part of keys is one for all heads."""
    value: int
    """Of a head of values."""


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
    shared: int = 0
    """Values of the gated product that all tokens go through beside their experts."""
    dense_layers: int = 0
    """The first layers, which have a gated product of `dense` values instead of a mixture."""
    dense: int = 0
    groups: int = 1
    chosen_groups: int = 1
    """Groups of experts, and those among them that a token chooses from."""
    latent: Latent | None = None

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

        heads, hidden = number("num_attention_heads"), number("hidden_size")
        sizes = dict(name=name, layers=number("num_hidden_layers"), hidden=hidden, heads=heads,
                     kv_heads=number("num_key_value_heads", default=heads), head=number("head_dim", default=hidden // heads),
                     intermediate=number("intermediate_size"), vocabulary=number("vocab_size"))
        if config.get("kv_lora_rank"):
            latent = Latent(number("q_lora_rank", default=0), *map(number, ("kv_lora_rank", "qk_nope_head_dim",
                                                                           "qk_rope_head_dim", "v_head_dim")))
            if (latent.cached, latent.rotated) != LATENT:
                raise usage("model", f"{name}: its latents have {latent.cached} + {latent.rotated} values: the kernel "
                            f"library's attention takes {LATENT[0]} + {LATENT[1]}")
            sizes |= dict(latent=latent, kv_heads=heads, head=latent.plain + latent.rotated)
        experts = number("num_local_experts", "num_experts", "n_routed_experts", default=0)
        if experts:
            of_expert, dense_layers = number("moe_intermediate_size", "intermediate_size"), number(
                "first_k_dense_replace", default=0)
            sizes |= dict(intermediate=of_expert, experts=experts, chosen=number("num_experts_per_tok"),
                          shared=of_expert * number("n_shared_experts", default=0), dense_layers=dense_layers,
                          dense=number("intermediate_size") if dense_layers else 0,
                          groups=max(1, number("n_group", default=1)), chosen_groups=max(1, number("topk_group", default=1)))
        return Decoder(**sizes)

    @property
    def mixtures(self) -> int:
        """Layers with a mixture of experts."""
        return self.layers - self.dense_layers if self.experts else 0

    @property
    def copied_weights(self) -> int:
        """Of a layer's attention, what each GPU that shares it has whole: numbers."""
        if not self.latent:
            return 0
        return self.hidden * (self.latent.query + self.latent.cached + self.latent.rotated)

    @property
    def attention_weights(self) -> int:
        """Of a layer: numbers."""
        if not self.latent:
            return self.hidden * self.head * (2 * self.heads + 2 * self.kv_heads)
        of = self.latent
        return self.copied_weights + self.heads * ((of.query or self.hidden) * self.head +
                                                   of.cached * (of.plain + of.value) + of.value * self.hidden)

    @property
    def expert_weights(self) -> int:
        """Of all layers' experts: numbers."""
        return self.mixtures * 3 * self.hidden * self.intermediate * self.experts

    @property
    def product_weights(self) -> int:
        """Of all layers' gated products, but for their experts: numbers."""
        if not self.experts:
            return self.layers * 3 * self.hidden * self.intermediate
        return 3 * self.hidden * (self.dense_layers * self.dense + self.mixtures * self.shared)

    @property
    def weights(self) -> int:
        """Of all matrices, those of the embedding and the output among them."""
        return (self.layers * self.attention_weights + self.product_weights + self.expert_weights +
                2 * self.vocabulary * self.hidden)
