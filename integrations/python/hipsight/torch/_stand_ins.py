"""Operations on tensors without data (device "meta"), which a GPU that computes no results can still time."""

from __future__ import annotations

import mmap

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from .._error import usage

PAGE = 2 << 20
"""What tensors begin at: as hipMalloc's large allocations."""
APART = 64 << 30
"""At a multiple of it they begin, all of them: where memory lies tells caches' sets, and so a prediction, apart."""
RESULTS = 64 << 30
"""Room for what operations make."""
MAP_NORESERVE = 0x4000  # Linux's, on x86-64; Python has it from 3.13 on


class StandIns(TorchDispatchMode):
    """While it is open, operations of hipsight take tensors of "meta", and give such.

    They run on memory that is only reserved: the few workgroups that a prediction needs touch some of it, and read
    zeros. Whole numbers by which a kernel goes (FILLED) have values as in an ordinary run. Whether something holds of
    a tensor without data is answered by yes.
    """

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        keywords = keywords or {}
        tensors = [one for one in tree_leaves((arguments, keywords)) if isinstance(one, torch.Tensor)]
        if not any(one.is_meta for one in tensors):
            return function(*arguments, **keywords)
        if function is torch.ops.aten._local_scalar_dense.default:
            if tensors[0].dtype == torch.bool:
                return True  # models ask so whether all is as usual: `if (positions[:, -1] == 0).all()`
            raise usage("model", "it goes by a number that it computes, and tensors on meta hold none")
        if function.namespace != "hipsight":
            return function(*arguments, **keywords)
        memory = Reserved(tensors)
        names = [one.name for one in function._schema.arguments]
        fill = FILLED.get(function._schema.name.removeprefix("hipsight::"), lambda given: {})
        filled = fill(dict(zip(names, arguments)) | keywords)
        given = tree_map_only(torch.Tensor, memory.stand_in, (
            tuple(filled.get(name, one) for name, one in zip(names, arguments)),
            {name: filled.get(name, one) for name, one in keywords.items()}))
        with InReserved(memory):
            result = function(*given[0], **given[1])
        return tree_map_only(torch.Tensor, lambda one: torch.empty_strided(
            one.shape, one.stride(), dtype=one.dtype, device="meta"), result)


class Reserved:
    """Memory for the storages of tensors without data."""

    def __init__(self, tensors):
        self._begin, size = {}, 0
        for one in tensors:
            storage = one.untyped_storage()
            if one.is_meta and storage._cdata not in self._begin:
                self._begin[storage._cdata] = size
                size += -(-storage.nbytes() // PAGE) * PAGE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
        all = torch.frombuffer(mmap.mmap(-1, size + RESULTS + APART, flags=flags), dtype=torch.uint8)
        self._bytes = all[-all.data_ptr() % APART:][:size + RESULTS]
        self._taken = size

    def moved(self, tensor, with_data):
        """A tensor that an operation has made, in this memory; or as it is, where that has no room."""
        size = -(-tensor.untyped_storage().nbytes() // PAGE) * PAGE
        if self._taken + size > self._bytes.numel():
            return tensor
        whole = self._bytes[self._taken:self._taken + size].view(tensor.dtype)
        self._taken += size
        moved = whole.as_strided(tensor.shape, tensor.stride(), whole.storage_offset() + tensor.storage_offset())
        return moved.copy_(tensor) if with_data else moved

    def stand_in(self, tensor):
        if not tensor.is_meta:
            return tensor
        storage = tensor.untyped_storage()
        begin = self._begin[storage._cdata]
        whole = self._bytes[begin:begin + max(storage.nbytes(), tensor.element_size())].view(tensor.dtype)
        return whole.as_strided(tensor.shape, tensor.stride(), whole.storage_offset() + tensor.storage_offset())


class InReserved(TorchDispatchMode):
    """What an operation makes on its way (results, room to work, whole numbers of another type) lies there, too: else a
    prediction would go by where the process's heap happens to be."""

    def __init__(self, memory):
        super().__init__()
        self._memory = memory

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        result = function(*arguments, **(keywords or {}))
        returns = function._schema.returns
        if function.namespace != "aten" or len(returns) != 1 or returns[0].alias_info or not isinstance(
                result, torch.Tensor) or result.is_meta or not result.numel():
            return result
        # The memory is new: it holds zeros, and need not be touched for them.
        fresh = any(word in function._schema.name for word in ("empty", "zeros"))
        return self._memory.moved(result, with_data=not fresh)


def spread(starts, a, rows=None):
    """Each group of a grouped GEMM has as many rows as the others, nearly; each row of `a` is chosen as often."""
    groups, count = starts.shape[0] - 1, a.shape[0] if rows is None else rows.shape[0]
    even = (torch.arange(groups + 1) * count) // max(1, groups)
    # Neighbours in a group are tokens that lie apart.
    return {"starts": even, **({} if rows is None else {"rows": torch.arange(count) % max(1, a.shape[0])})}


def full_cache(pages, cached):
    """Sequences that fill their pages, which lie one after the other."""
    batch, most = pages.shape
    return {"pages": (torch.arange(batch * most) % max(1, cached.shape[0])).view(batch, most),
            "lengths": torch.full((batch,), most * cached.shape[1])}


def apart(slots, keys):
    """Places of the cache as far from each other as can be: of tokens of so many sequences."""
    places = keys.shape[0] * keys.shape[1]
    return {"slots": torch.arange(slots.shape[0]) * max(1, places // max(1, slots.shape[0])) % max(1, places)}


def each_expert(experts, count):
    """All are chosen as often."""
    return {"experts": (torch.arange(experts.numel()) % count).to(experts.dtype).view(experts.shape)}


FILLED = {
    "moe_sort": lambda given: each_expert(given["experts"], given["count"]) if given["experts"].is_meta else {},
    "moe_combine": lambda given: {"places": torch.arange(given["places"].numel(), dtype=torch.int32).view(
        given["places"].shape)} if given["places"].is_meta else {},
    "grouped_gemm": lambda given: spread(given["starts"], given["a"], given.get("rows"))
                    if given["starts"].is_meta else {},
    "paged_attention": lambda given: full_cache(given["pages"], given["keys"]) if given["pages"].is_meta else {},
    "latent_attention": lambda given: full_cache(given["pages"], given["latents"]) if given["pages"].is_meta else {},
    "append_to_cache": lambda given: apart(given["slots"], given["keys"]) if given["slots"].is_meta else {},
}
