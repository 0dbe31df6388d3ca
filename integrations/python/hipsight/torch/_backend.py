"""torch.compile(model, backend="hipsight"): graphs whose functions are computed by the kernel library."""

from __future__ import annotations

import collections
import functools
import operator

import torch
from torch.nn import functional

from . import _rows
from ._operands import VALUES
from ._replace import attend, multiply, weighed


class Backend:
    """A backend of torch.compile: what the kernel library has an operation for is computed by it, all else by torch.

        torch.compile(model, backend="hipsight")
        torch.compile(model, backend=(to := hipsight.torch.Backend(gpu="mi355x")))
        print(to.mapped)                                          # Counter({'linear': 14, ...})

    gpu: the emulated GPU's name; default: that of HIPSIGHT_GPU, or mi300x.

    Mapped are linear, matmul, bmm and mm, scaled_dot_product_attention, layer_norm, rms_norm, softmax of the last
    dimension, silu or gelu (in its form with tanh) times another tensor, and RMS norms that are written out as transformers
    has them. Types and shapes that no operation takes go
    to torch's own function when the graph runs. Gradients are those of the operations.
    """

    def __init__(self, gpu: str | None = None):
        self.gpu = gpu
        self.mapped: collections.Counter[str] = collections.Counter()
        """How many of each function, in all graphs so far."""

    def __call__(self, graph_module, inputs):
        graph = graph_module.graph
        # What is computed later than it was must not have changed by then.
        join = not any(map(changes, graph.nodes))
        for node in list(graph.nodes):
            found = self._function(node, join)
            if not found:
                continue
            name, function, arguments, keywords = found
            # A graph's functions have names.
            on_gpu = functools.update_wrapper(functools.partial(function, self.gpu), function)
            with graph.inserting_before(node):
                new = graph.call_function(on_gpu, arguments, keywords)
            new.meta = dict(node.meta)
            node.replace_all_uses_with(new)
            graph.erase_node(node)
            self.mapped[name] += 1
        graph.eliminate_dead_code()
        graph_module.recompile()
        return graph_module.forward

    def _function(self, node, join):
        """What computes a node: its name, the function, and its arguments; None: torch. `join`: nodes before it, too."""
        if node.op not in ("call_function", "call_method"):
            return None
        if join and node.target in PRODUCTS and len(node.args) == 2 and not node.kwargs:
            for one, other in (node.args, node.args[::-1]):
                activation = activation_of(one)
                if activation:
                    return f"{activation}_mul", GATED[activation], (one.args[0], other), {}
                norm = norm_of(one)
                if norm:
                    return "rms_norm", weighed_norm, (*norm, other), {}
        known = FUNCTIONS if node.op == "call_function" else METHODS
        if node.target in known:
            name, function = known[node.target]
            if name == "matmul" and (node.kwargs or len(node.args) != 2):
                return None
            return name, function, node.args, node.kwargs
        return None


PRODUCTS = (operator.mul, torch.mul, "mul")


def changes(node):
    """Whether it changes a tensor that there is."""
    if node.op == "call_method":
        return node.target.endswith("_") and not node.target.endswith("__")
    return node.op == "call_function" and (
        "out" in node.kwargs or node.kwargs.get("inplace") is True or node.target is operator.setitem or
        getattr(node.target, "__name__", "") in IN_PLACE or getattr(node.target, "__name__", "").endswith("_"))


IN_PLACE = {name for name in dir(operator) if name.startswith("i") and name[1:] in dir(operator)} | {
    "iand", "ior"}  # iadd, ...


def is_call(node, *targets, users=1):
    return isinstance(node, torch.fx.Node) and node.op in ("call_function", "call_method") and (
        node.target in targets and len(node.users) == users)


def norm_of(node):
    """Of x.to(float32), over the root of its mean square, as a type again: x, what is added to the mean, and the type;
    None: the node is something else."""
    if not is_call(node, "to") or len(node.args) != 2 or node.kwargs:
        return None
    wide_norm, dtype = node.args
    if not is_call(wide_norm, *PRODUCTS):
        return None
    wide, factor = wide_norm.args
    if not is_call(factor, torch.rsqrt) or not is_call(factor.args[0], operator.add, torch.add):
        return None
    mean, eps = factor.args[0].args
    if not is_call(mean, "mean") or mean.args[1:] != (-1,) or mean.kwargs != {"keepdim": True} or (
            not isinstance(eps, float)):
        return None
    square = mean.args[0]
    if not is_call(square, "pow") or square.args != (wide, 2) or not is_call(wide, "to", users=2) or (
            wide.args[1:] != (torch.float32,) or wide.kwargs):
        return None
    return wide.args[0], eps, dtype


def activation_of(node):
    """Of a node that only a product uses: "silu" or "gelu"; None: neither."""
    if not isinstance(node, torch.fx.Node) or len(node.users) != 1 or node.op != "call_function" or len(node.args) != 1:
        return None
    if node.target is functional.silu and not node.kwargs.get("inplace"):
        return "silu"
    if node.target is functional.gelu and node.kwargs == {"approximate": "tanh"}:
        return "gelu"
    return None


def alike(*tensors):
    return all(isinstance(one, torch.Tensor) for one in tensors) and tensors[0].dtype in VALUES and len(
        {one.dtype for one in tensors}) == 1


def gated(operation, activation):
    def run(gpu, gate, up):
        if alike(gate, up) and gate.dim() and gate.shape == up.shape:
            return operation(gate, up, gpu=gpu)
        return activation(gate) * up

    return run


GATED = {"silu": gated(_rows.silu_mul, functional.silu),
         "gelu": gated(_rows.gelu_mul, functools.partial(functional.gelu, approximate="tanh"))}


def linear(gpu, input, weight, bias=None):
    return weighed(input, weight, bias, gpu)


def matmul(gpu, input, other):
    return multiply(input, other, gpu)


def attention(gpu, *arguments, **keywords):
    found, _ = attend(gpu, *arguments, **keywords)
    return functional.scaled_dot_product_attention(*arguments, **keywords) if found is None else found


def layer_norm(gpu, input, normalized_shape, weight=None, bias=None, eps=1e-5):
    if len(normalized_shape) == 1 and alike(input, weight, bias):
        return _rows.layer_norm(input, weight, bias, eps, gpu=gpu)
    return functional.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(gpu, input, normalized_shape, weight=None, eps=None):
    if len(normalized_shape) == 1 and alike(input, weight):
        return _rows.rms_norm(input, weight, torch.finfo(input.dtype).eps if eps is None else eps, gpu=gpu)
    return functional.rms_norm(input, normalized_shape, weight, eps)


def weighed_norm(gpu, input, eps, dtype, weight):
    if alike(input, weight) and input.dtype == dtype and input.dim() and weight.shape == input.shape[-1:]:
        return _rows.rms_norm(input, weight, eps, gpu=gpu)
    wide = input.to(torch.float32)
    return weight * (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)).to(dtype)


def softmax(gpu, input, dim=None, dtype=None):
    if dtype is None and dim is not None and alike(input) and input.dim() and dim in (-1, input.dim() - 1):
        return _rows.softmax(input, gpu=gpu)
    return torch.softmax(input, dim, dtype)


def softmax_of_functional(gpu, input, dim=None, _stacklevel=3, dtype=None):
    return functional.softmax(input, dim, _stacklevel, dtype) if dim is None else softmax(gpu, input, dim, dtype)


FUNCTIONS = {
    functional.linear: ("linear", linear),
    **{one: ("matmul", matmul) for one in (operator.matmul, torch.matmul, torch.bmm, torch.mm)},
    functional.scaled_dot_product_attention: ("scaled_dot_product_attention", attention),
    functional.layer_norm: ("layer_norm", layer_norm),
    functional.rms_norm: ("rms_norm", rms_norm),
    torch.rms_norm: ("rms_norm", rms_norm),
    functional.softmax: ("softmax", softmax_of_functional),
    torch.softmax: ("softmax", softmax),
}
METHODS = {**{one: ("matmul", matmul) for one in ("matmul", "bmm", "mm")}, "softmax": ("softmax", softmax)}


def hipsight(graph_module, inputs):
    """What torch.compile finds by the name "hipsight"."""
    return Backend()(graph_module, inputs)
