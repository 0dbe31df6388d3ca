"""vLLM's layers by our kernels, torch.ops.hipsight: linear layers (quantised.py has those in 4 bits), RMSNorm, SiLU-mul,
rotary embedding, experts and who goes to which."""

import functools

import hipsight.torch
import torch
from vllm.model_executor.layers import utils
from vllm.model_executor.layers.activation import SiluAndMul
from vllm.model_executor.layers.layernorm import RMSNorm
from vllm.model_executor.layers.rotary_embedding import RotaryEmbedding

from . import compiled, experts, quantised

TYPES = torch.float16, torch.bfloat16, torch.float32


@functools.cache
def use():
    """From now on layers that are made are ours, and their launches are in the report."""
    hipsight.torch.use_runtime()
    RMSNorm.register_oot(HipsightRMSNorm)
    SiluAndMul.register_oot(HipsightSiluAndMul)
    for layer in list(rotary_layers(RotaryEmbedding)):
        layer.register_oot(type(f"Hipsight{layer.__name__}", (HipsightRotary, layer), {}))
    utils.default_unquantized_gemm = linear
    quantised.use()
    experts.HipsightExperts.by_our_kernels = True
    compiled.route = route


def linear(layer, x, weight, bias=None):
    """x, of any shape, times weight (rows of it are columns of the result), which lies as it is."""
    if x.dtype not in TYPES or x.dtype != weight.dtype:
        return torch.nn.functional.linear(x, weight, bias)
    y = torch.ops.hipsight.gemm(x.reshape(-1, x.shape[-1]), weight.mT).view(*x.shape[:-1], -1)
    return y if bias is None else y + bias


def route(logits, count, renormalize, bias):
    return torch.ops.hipsight.moe_route(logits, count, bias, renormalise=renormalize)


class HipsightRMSNorm(RMSNorm):

    def forward_oot(self, x, residual=None):
        if self.variance_size_override is not None or self.weight.dtype != x.dtype:
            return self.forward_native(x, residual)
        if residual is None:
            return torch.ops.hipsight.rms_norm(x, self.weight, self.variance_epsilon)
        return torch.ops.hipsight.add_rms_norm(x, residual, self.weight, self.variance_epsilon)


class HipsightSiluAndMul(SiluAndMul):

    def forward_oot(self, x):
        return torch.ops.hipsight.silu_mul(*x.chunk(2, -1))


class HipsightRotary:
    """Of RotaryEmbedding and those that differ from it in their tables alone."""

    def forward_oot(self, positions, query, key=None):
        cos, sin = self.rotary_tables(query)
        rotated = [None if heads is None else torch.ops.hipsight.rope(
            heads.view(positions.numel(), -1, self.head_size), cos, sin, positions.flatten(),
            not self.is_neox_style).view(heads.shape) for heads in (query, key)]
        return tuple(rotated)

    def rotary_tables(self, query):
        """Positions x pairs, in float32, of values that are rounded to the query's type, as in vLLM."""
        cache = self._match_cos_sin_cache_dtype(query)
        if getattr(self, "tables_of", None) is not cache:
            self.tables_of, self.tables = cache, [one.float().contiguous() for one in cache.chunk(2, -1)]
        return self.tables


def rotary_layers(layer):
    if layer.forward_native is RotaryEmbedding.forward_native:
        yield layer
    for derived in layer.__subclasses__():
        yield from rotary_layers(derived)
