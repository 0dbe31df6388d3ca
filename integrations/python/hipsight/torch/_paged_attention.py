"""torch.ops.hipsight.paged_attention: decoding from a cache in pages."""

from __future__ import annotations

import math
from typing import Optional

import torch
from torch import Tensor

from .. import _kernels
from .._arrays import attention_options
from ._attention import SIZES, check_changes, scale_of
from ._operands import FP8, plain, refuse, workspace

NAME = "paged_attention"


def check(q, keys, values, pages, lengths, scale, key_scale, value_scale):
    given = dict(q=q, keys=keys, values=values)
    if q.dtype not in (torch.float16, torch.bfloat16):
        refuse(NAME, "q must be float16 or bfloat16", q=q)
    if keys.dtype != values.dtype or keys.dtype not in (q.dtype, *FP8):
        refuse(NAME, "keys and values must be of q's type, or float8_e4m3fn or float8_e4m3fnuz, both alike", **given)
    if q.dim() != 4 or keys.dim() != 4 or keys.shape != values.shape:
        refuse(NAME, "q must be batch x heads x places x size, keys and values pages x places x heads x size", **given)
    batch, heads, _, size = q.shape
    places, of_keys = keys.shape[1:3]
    if size != keys.shape[3] or size % SIZES or not 0 < size <= 256:
        refuse(NAME, f"heads have {SIZES} to 256 values, a multiple of {SIZES}, q's and the cache's alike", **given)
    if of_keys == 0 or heads % max(1, of_keys):
        refuse(NAME, "q's heads must be a multiple of the cache's", **given)
    if places < 1 or places & (places - 1):
        refuse(NAME, "a page's places must be a power of two", **given)
    whole = (torch.int32, torch.int64)
    if pages.dim() != 2 or lengths.dim() != 1 or pages.dtype not in whole or lengths.dtype not in whole:
        refuse(NAME, "pages must be integers, batch x the most pages of a sequence, lengths integers, one of each",
               pages=pages, lengths=lengths)
    torch._check(pages.shape[0] == batch and lengths.shape[0] == batch,
                 lambda: f"hipsight::{NAME}: pages and lengths must have a row for each sequence of q")
    for name, one in dict(scale=scale, key_scale=key_scale, value_scale=value_scale).items():
        if one is not None and not (one > 0 and math.isfinite(one)):
            raise ValueError(f"hipsight::{NAME}: {name} is {one}: it must be positive and finite")


def check_numbers(q, keys, pages, lengths):
    """Of pages and lengths: the kernel reads where they say."""
    queries, places = q.shape[2], keys.shape[1]
    least, most = int(lengths.min()), int(lengths.max())
    if least < queries or most > pages.shape[1] * places:
        raise ValueError(f"hipsight::{NAME}: lengths go from {least} to {most}: they must be {queries}, the queries, to "
                         f"{pages.shape[1] * places}, the places of {pages.shape[1]} pages")
    used = torch.arange(pages.shape[1]) * places < lengths[:, None]
    named = pages[used]
    if named.numel() and not 0 <= int(named.min()) <= int(named.max()) < keys.shape[0]:
        raise ValueError(f"hipsight::{NAME}: pages go from {int(named.min())} to {int(named.max())}; the cache has "
                         f"{keys.shape[0]}")


@torch.library.custom_op(f"hipsight::{NAME}", mutates_args=(), device_types="cpu")
def paged_attention(q: Tensor, keys: Tensor, values: Tensor, pages: Tensor, lengths: Tensor,
                    sinks: Optional[Tensor] = None, *, causal: bool = True, scale: Optional[float] = None, window: int = 0,
                    soft_cap: float = 0.0, key_scale: float = 1.0, value_scale: float = 1.0,
                    gpu: Optional[str] = None) -> Tensor:
    check(q, keys, values, pages, lengths, scale, key_scale, value_scale)
    check_changes(NAME, q, sinks, window, soft_cap)
    o = q.new_empty(q.shape)
    if not o.numel():
        return o
    check_numbers(q, keys, pages, lengths)
    q = plain(q)
    # Of one layout, and on 16 bytes.
    chunk = 16 // keys.element_size()
    if (keys.stride() != values.stride() or keys.stride(3) != 1 or any(one % chunk for one in keys.stride()[:3]) or
            (keys.data_ptr() | values.data_ptr()) % 16):
        keys, values = (one.clone(memory_format=torch.contiguous_format) for one in (keys, values))
    pages, lengths = (one.to(torch.int32).contiguous() for one in (pages, lengths))
    tensors = q, keys, values, pages, lengths, o
    lent = workspace("paged_attention_workspace", gpu, *tensors)
    _kernels.call("paged_attention", gpu, *tensors, lent, None if sinks is None else sinks.contiguous(),
                  attention_options(scale_of(q, scale), causal, window, soft_cap), float(key_scale), float(value_scale))
    return o


@paged_attention.register_fake
def _(q, keys, values, pages, lengths, sinks=None, *, causal=True, scale=None, window=0, soft_cap=0.0, key_scale=1.0,
      value_scale=1.0, gpu=None):
    check(q, keys, values, pages, lengths, scale, key_scale, value_scale)
    return q.new_empty(q.shape)


LATENT, OF_VALUES = 576, 512  # of DeepSeek-V2 and V3: 512 that are keys and values, 64 with positions


def check_latents(q, latents, scale):
    if q.dtype not in (torch.float16, torch.bfloat16) or latents.dtype != q.dtype:
        refuse("latent_attention", "q and latents must be float16 or bfloat16, both alike", q=q, latents=latents)
    if q.dim() != 4 or latents.dim() != 3 or q.shape[3] != LATENT or latents.shape[2] != LATENT:
        refuse("latent_attention", f"q must be batch x heads x places x {LATENT}, latents pages x places x {LATENT}", q=q,
               latents=latents)
    if not (scale > 0 and math.isfinite(scale)):
        raise ValueError(f"hipsight::latent_attention: scale is {scale}: it must be positive and finite")


@torch.library.custom_op("hipsight::latent_attention", mutates_args=(), device_types="cpu")
def latent_attention(q: Tensor, latents: Tensor, pages: Tensor, lengths: Tensor, scale: float, *, causal: bool = True,
                     gpu: Optional[str] = None) -> Tensor:
    """Attention of a few queries to latents (MLA, absorbed): each is the key of all heads, and its first 512 elements
    the value."""
    check_latents(q, latents, scale)
    o = q.new_empty((*q.shape[:3], OF_VALUES))
    if not o.numel():
        return o
    keys = plain(latents)[:, :, None]
    check(q.new_empty((*q.shape[:3], 64)), *[keys[..., :64]] * 2, pages, lengths, scale, 1, 1)
    check_numbers(q, keys, pages, lengths)
    pages, lengths = (one.to(torch.int32).contiguous() for one in (pages, lengths))
    tensors = plain(q), keys, keys, pages, lengths, o
    lent = workspace("paged_attention_workspace", gpu, *tensors)
    _kernels.call("paged_attention", gpu, *tensors, lent, None, attention_options(scale, causal, 0, 0.0), 1.0, 1.0)
    return o


@latent_attention.register_fake
def _(q, latents, pages, lengths, scale, *, causal=True, gpu=None):
    check_latents(q, latents, scale)
    return q.new_empty((*q.shape[:3], OF_VALUES))


FEW_ROWS = 32  # of a kernel's tile: the queries of all heads that share keys (docs/kernels/paged_attention.md)


def decode(q, k, v, causal, scale, gpu):
    """
    Attention of a few queries to a cache that lies as k and v do, batch x heads x places x size, read where it lies: each
    place counts as a page. None where the kernels for whole sequences are better, or alone can do it: many queries,
    gradients, shorter values, other layouts.
    """
    batch, heads, places, size = k.shape
    few = places > q.shape[2] and q.shape[2] * q.shape[1] <= FEW_ROWS * heads
    needs_gradients = torch.is_grad_enabled() and (q.requires_grad or k.requires_grad or v.requires_grad)
    if not few or needs_gradients or q.shape[1] % heads or size % SIZES or not batch:
        return None
    if k.shape != v.shape or k.stride() != v.stride():
        return None
    of_batch, of_head, of_place, of_value = k.stride()
    apart = 0 if batch == 1 else of_batch
    if of_value != 1 or of_place < size or apart % of_place or of_head % 8 or of_place % 8:
        return None
    if not k.is_meta and (k.data_ptr() | v.data_ptr()) % 16:
        return None
    first = torch.arange(batch, dtype=torch.int32, device=k.device)[:, None] * (apart // of_place)
    pages = first + torch.arange(places, dtype=torch.int32, device=k.device)
    count = (batch - 1) * (apart // of_place) + places
    keys, values = (one.as_strided((count, 1, heads, size), (of_place, of_place, of_head, 1)) for one in (k, v))
    lengths = torch.full((batch,), places, dtype=torch.int32, device=k.device)
    return paged_attention(q, keys, values, pages, lengths, causal=causal, scale=scale, gpu=gpu)


def check_append(k, v, keys, values, slots):
    given = dict(k=k, v=v, keys=keys, values=values, slots=slots)
    name = "append_to_cache"
    if k.dtype not in (torch.float16, torch.bfloat16) or k.dtype != v.dtype or k.dim() != 3 or k.shape != v.shape:
        refuse(name, "k and v must be tokens x heads x size, of float16 or bfloat16, alike", **given)
    if keys.dtype != values.dtype or keys.dtype not in (k.dtype, *FP8) or keys.dim() != 4 or keys.shape != values.shape or (
            keys.shape[2:] != k.shape[1:]):
        refuse(name, "keys and values must be pages x places x heads x size, of k's type or float8, both alike", **given)
    if keys.stride() != values.stride() or keys.stride(3) != 1:
        refuse(name, "keys and values must lie alike, the values of a head side by side", **given)
    if k.shape[2] % 8 or slots.shape != k.shape[:1] or slots.dtype not in (torch.int32, torch.int64):
        refuse(name, "heads have a multiple of 8 values, and slots are integers, one for each token", **given)


@torch.library.custom_op("hipsight::append_to_cache", mutates_args=("keys", "values"), device_types="cpu")
def append_to_cache(k: Tensor, v: Tensor, keys: Tensor, values: Tensor, slots: Tensor, key_scale: float = 1.0,
                    value_scale: float = 1.0, *, gpu: Optional[str] = None) -> None:
    """Each token's k and v into the cache, at its slot: place slot % places of page slot // places; below 0: none."""
    check_append(k, v, keys, values, slots)
    if not k.numel():
        return
    if int(slots.max()) >= keys.shape[0] * keys.shape[1]:
        raise ValueError(f"hipsight::append_to_cache: a slot is {int(slots.max())}; the cache has "
                         f"{keys.shape[0] * keys.shape[1]}")
    _kernels.call("append_to_cache", gpu, plain(k), plain(v), keys, values, slots.to(torch.int32).contiguous(),
                  float(key_scale), float(value_scale))
