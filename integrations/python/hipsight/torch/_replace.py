"""hipsight.torch.replace: an ordinary model, computed by the kernel library."""

from __future__ import annotations

import collections
import contextlib
import contextvars
import functools
import sys
import types

import torch
from torch import nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from .._error import usage
from . import _attention, _convolution, _grouped_gemm, _int4_gemm, _moe, _paged_attention, _rows
from ._operands import VALUES

_gemm = torch.ops.hipsight.gemm


class Replaced(dict):
    """What was replaced: how many of each operation, by what it is called in torch; `left`: what was not, and why."""

    def __init__(self, counts, left, before):
        super().__init__(counts)
        self.left, self._before = left, before

    def restore(self):
        """Has the model compute as before."""
        for module, forward in reversed(self._before):
            if forward is None:
                del module.forward  # its class's is there again
            else:
                module.forward = forward
        self._before = []

    def __str__(self):
        done = ", ".join(f"{count} {name}" for name, count in self.items()) or "nothing"
        return "\n".join([f"replaced: {done}"] + [f"left: {name}: {why}" for name, why in self.left.items()])


def replace(model, *, gpu=None, int4=None) -> Replaced:
    """Has a model of ordinary modules compute with torch.ops.hipsight, in place, and tells what of it does.

    gpu: the emulated GPU's name; default: that of HIPSIGHT_GPU, or mi300x.
    int4: quantise the weights of nn.Linear to 4 bits, in groups of so many, for inference. Those that stay: the output
        embedding, and what is not float16 or bfloat16 or has no whole groups.

    Replaced are nn.Linear and nn.Conv2d; norms (nn.RMSNorm and what computes the same, nn.LayerNorm); SiLU-mul of modules with
    gate_proj, up_proj, down_proj and act_fn; the experts of transformers' mixtures; torch's scaled_dot_product_attention, and the rotary embedding of
    transformers' models, while the model's forward runs. The weights stay where they are. Whether a module computes
    what its name says is tried on numbers first, unless its weights have none (device "meta").
    """
    counts, left, before = collections.Counter(), {}, []

    def put(module, forward):
        before.append((module, module.__dict__.get("forward")))
        module.forward = forward

    quantised = in_4_bits(model, int4, gpu) if int4 is not None else {}
    for name, module in model.named_modules():
        if module in quantised:
            put(module, quantised[module])
            counts["Linear in 4 bits"] += 1
            continue
        for what, replacement in MODULES.items():
            try:
                forward = replacement(module, gpu)
            except Left as why:
                left[name or type(module).__name__] = str(why)
                break
            if forward:
                put(module, forward)
                counts[what] += 1
                break
    forward = model.forward
    rotary = rotary_functions(model)

    @functools.wraps(forward)
    def with_functions(*arguments, **keywords):
        with Functions(gpu, left), rotating(gpu, rotary):
            return forward(*arguments, **keywords)

    put(model, with_functions)
    return Replaced(counts, left, before)


class Left(Exception):
    """A module is not replaced, and why."""


def known_type(module):
    types = {one.dtype for one in module.parameters(recurse=False)}
    if not types <= VALUES:
        raise Left(f"its weights are {', '.join(sorted(str(one) for one in types))}")


def computes(module, formula, columns, *rest):
    """Whether a module gives what the formula does, of two rows of numbers by chance; `rest`: its other arguments."""
    if any(one.is_meta for one in module.parameters()):
        return True  # there are no numbers to try it on
    dtype = next(module.parameters()).dtype
    x = torch.linspace(-2, 3, 2 * columns).sin().view(2, columns).to(dtype)
    with torch.no_grad():
        found, wanted = module(x, *rest).float(), formula(x, *rest).float()
    return found.shape == wanted.shape and torch.allclose(found, wanted, rtol=2e-2, atol=2e-2 * float(wanted.abs().max()))


# --- modules -------------------------------------------------------------------------------------

def linear(module, gpu):
    if type(module) is not nn.Linear:
        return None
    known_type(module)

    return lambda x: weighed(x, module.weight, module.bias, gpu)


def in_4_bits(model, group, gpu):
    """What linear layers become whose weights are quantised now."""
    if not isinstance(group, int) or group < 32 or group & (group - 1):
        raise usage("int4", f"int4={group!r}: groups have 32 weights, 64, 128 or another power of two")
    output = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
    return {module: quantised_linear(module, group, gpu) for module in model.modules()
            if type(module) is nn.Linear and module is not output and module.in_features % group == 0
            and module.out_features % _int4_gemm.BLOCK == 0
            and module.weight.dtype in _int4_gemm.HALVES}


def quantised_linear(module, group, gpu):
    with torch.no_grad():
        codes, factors = _int4_gemm.int4_quantise(module.weight, group, gpu=gpu)

    def forward(x):
        if x.dtype != factors.dtype or x.dim() == 0 or x.shape[-1] != module.in_features:
            return functional.linear(x, module.weight, module.bias)  # or torch says what is wrong
        return _int4_gemm.int4_gemm(x, codes, factors, module.bias, gpu=gpu)

    return forward


def weighed(x, weight, bias, gpu):
    """functional.linear, by a GEMM where there is one."""
    if x.dtype not in VALUES or x.dtype != weight.dtype or x.dim() == 0 or weight.dim() != 2 or (
            x.shape[-1] != weight.shape[1]):
        return functional.linear(x, weight, bias)  # or torch says what is wrong
    y = _gemm(x.reshape(-1, x.shape[-1]), weight.mT, gpu=gpu).view(*x.shape[:-1], weight.shape[0])
    return y if bias is None else y + bias


def convolution(module, gpu):
    if type(module) is not nn.Conv2d:
        return None
    known_type(module)
    if module.padding_mode != "zeros" or isinstance(module.padding, str):
        raise Left(f"its padding is {module.padding} of {module.padding_mode}")
    if module.groups == module.in_channels > 1:
        raise Left("each of its channels is a group: a matrix of one column")

    def forward(x):
        if x.dtype not in VALUES or x.dim() != 4 or x.dtype != module.weight.dtype:
            return nn.Conv2d.forward(module, x)
        return _convolution.convolution(x, module.weight, module.bias, module.stride, module.padding, module.dilation,
                                        module.groups, gpu=gpu)

    return forward


def multiply(a, b, gpu):
    """torch.matmul, by a GEMM where there is one: of two matrices, or two batches of them, alike in all dimensions."""
    if a.dtype not in VALUES or a.dtype != b.dtype or a.dim() != b.dim() or a.dim() < 2 or (
            a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]):
        return torch.matmul(a, b)
    batches = [one if one.dim() <= 3 else one.reshape(-1, *one.shape[-2:]) for one in (a, b)]
    return _gemm(*batches, gpu=gpu).view(*a.shape[:-1], b.shape[-1])


def rms_norm(module, gpu):
    weight = getattr(module, "weight", None)
    if not type(module).__name__.endswith("RMSNorm") or weight is None or weight.dim() != 1:
        return None
    known_type(module)
    eps = getattr(module, "variance_epsilon", getattr(module, "eps", None))
    if eps is None:
        eps = torch.finfo(weight.dtype).eps  # nn.RMSNorm's
    if not computes(module, lambda x: _rows.rms_norm_formula(x, weight, eps), weight.shape[0]):
        raise Left(f"{type(module).__name__} computes something else")
    original = module.forward

    def forward(x, *rest, **keywords):
        if rest or keywords or x.dtype != weight.dtype:
            return original(x, *rest, **keywords)
        return _rows.rms_norm(x, weight, eps, gpu=gpu)

    return forward


def layer_norm(module, gpu):
    if type(module) is not nn.LayerNorm:
        return None
    if module.weight is None or module.bias is None or len(module.normalized_shape) != 1:
        raise Left("it has no weight, no bias, or more than one dimension")
    known_type(module)
    original = module.forward

    def forward(x):
        if x.dtype != module.weight.dtype:
            return original(x)
        return _rows.layer_norm(x, module.weight, module.bias, module.eps, gpu=gpu)

    return forward


def gate_of(activation):
    """The operation for an activation that is multiplied by another tensor, and torch's formula of the activation."""
    x = torch.linspace(-4, 4, 33)
    for operation, formula in [(_rows.silu_mul, functional.silu),
                               (_rows.gelu_mul, functools.partial(functional.gelu, approximate="tanh"))]:
        if torch.allclose(activation(x), formula(x), atol=1e-6):
            return operation, formula
    raise Left("its activation is neither SiLU nor GELU with tanh")


def gated(module, gpu):
    parts = [getattr(module, name, None) for name in ("gate_proj", "up_proj", "down_proj")]
    activation = getattr(module, "act_fn", None)
    if not all(isinstance(part, nn.Linear) for part in parts) or activation is None:
        return None
    known_type(parts[0])
    gate, up, down = parts
    operation, formula = gate_of(activation)
    if not computes(module, lambda x: down(formula(gate(x)) * up(x)), gate.in_features):
        raise Left(f"{type(module).__name__} computes something else")
    return lambda x: down(operation(gate(x), up(x), gpu=gpu))


def experts(module, gpu):
    """Of a mixture, as transformers has them: two tensors of all experts' weights, called with each token's choice."""
    gate_up, down = (getattr(module, name, None) for name in ("gate_up_proj", "down_proj"))
    activation = getattr(module, "act_fn", None)
    if not all(isinstance(one, nn.Parameter) and one.dim() == 3 for one in (gate_up, down)) or activation is None:
        return None
    known_type(module)
    operation, formula = gate_of(activation)
    count, size = down.shape[:2]
    if gate_up.shape != (count, 2 * down.shape[2], size):
        raise Left(f"its weights are {tuple(gate_up.shape)} and {tuple(down.shape)}")

    def one_by_one(x, chosen, weights):
        y = torch.zeros_like(x)
        for token, (of_token, its_weights) in enumerate(zip(chosen.tolist(), weights)):
            for expert, weight in zip(of_token, its_weights):
                gate, up = (gate_up[expert] @ x[token]).chunk(2)
                y[token] += weight * (down[expert] @ (formula(gate) * up))
        return y

    chosen = torch.tensor([[0, count - 1], [count - 1, count // 2]])
    if not computes(module, one_by_one, size, chosen, torch.tensor([[0.75, 0.25], [0.5, 0.5]], dtype=down.dtype)):
        raise Left(f"{type(module).__name__} computes something else")
    original = module.forward

    def forward(x, chosen, weights):
        if x.dtype != down.dtype:
            return original(x, chosen, weights)
        if not torch.is_grad_enabled() or not any(one.requires_grad for one in (x, weights, gate_up, down)):
            starts, rows, places = _moe.moe_sort(chosen, count, gpu=gpu)
            gate, up = _grouped_gemm.grouped_gemm(x, gate_up.mT, starts, rows, gpu=gpu).chunk(2, -1)
            y = _grouped_gemm.grouped_gemm(operation(gate, up, gpu=gpu), down.mT, starts, gpu=gpu)
            return _moe.moe_combine(y, places, weights.float(), gpu=gpu)
        # The same by torch, which has its gradients.
        by_expert, order = chosen.flatten().sort(stable=True)
        starts = torch.searchsorted(by_expert, torch.arange(count + 1, device=x.device))  # what chooses no expert comes last
        token = order // chosen.shape[1]
        gate, up = _grouped_gemm.grouped_gemm(x, gate_up.mT, starts, token, gpu=gpu).chunk(2, -1)
        y = _grouped_gemm.grouped_gemm(operation(gate, up, gpu=gpu), down.mT, starts, gpu=gpu)
        y = y.float() * weights.flatten()[order, None].float()
        return torch.zeros(x.shape, device=x.device).index_add_(0, token, y).to(x.dtype)

    return forward


MODULES = {"Linear": linear, "Conv2d": convolution, "RMSNorm": rms_norm, "LayerNorm": layer_norm, "gated activation": gated,
           "experts": experts}


# --- functions, while a model's forward runs -----------------------------------------------------

class Functions(TorchFunctionMode):
    """Takes calls of torch's scaled_dot_product_attention."""

    def __init__(self, gpu, left):
        super().__init__()
        self.gpu, self.left = gpu, left

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        keywords = keywords or {}
        if function is functional.scaled_dot_product_attention:
            found, why = attend(self.gpu, *arguments, **keywords)
            if found is not None:
                return found
            self.left["scaled_dot_product_attention"] = why
        return function(*arguments, **keywords)


def attend(gpu, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """The result, or None and why no kernel takes it."""
    if dropout_p:
        return None, "it has dropout"
    if query.dtype not in (torch.float16, torch.bfloat16):
        return None, "it is neither float16 nor bfloat16"
    if query.dim() != 4 or query.shape[-1] > 256 or (
            value.shape[:3] != key.shape[:3] or value.shape[-1] > key.shape[-1]):
        return None, f"queries of {tuple(query.shape)}, keys of {tuple(key.shape)}, values of {tuple(value.shape)}"
    queries, keys = query.shape[2], key.shape[2]
    causal = is_causal and queries > 1
    if is_causal and queries != keys and queries > 1:
        return None, "it is causal from the first key on"
    if attn_mask is not None:
        causal = band_of(attn_mask, queries, keys)
        if causal is None:
            return None, "its mask is neither causal nor empty"
    found = _paged_attention.decode(query, key, value, causal, scale, gpu)
    if found is None:
        found = _attention.attention(query, key, value, causal=causal, scale=scale, gpu=gpu)[0]
    return found, ""


def band_of(mask, queries, keys):
    """Whether a mask is causal; None: neither that, nor one that hides nothing. One without data is taken to be."""
    if mask.is_meta:
        return True
    hidden = ~mask if mask.dtype == torch.bool else mask < torch.finfo(mask.dtype).min / 2
    if mask.dtype != torch.bool and not torch.equal(mask.masked_fill(hidden, 0), torch.zeros_like(mask)):
        return None
    if not hidden.any():
        return False
    lower = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    return True if (hidden == ~lower).all() else None


# transformers' models call a function of their module, by this name.
ROTARY = "apply_rotary_pos_emb"
_rotating = contextvars.ContextVar("hipsight_rotating", default=None)


def rotary_functions(model):
    """Has the modules of a model's classes ask whether a replaced model is running; other models go on as they do."""
    found = False
    for name in {type(module).__module__ for module in model.modules()}:
        module = sys.modules.get(name)
        function = getattr(module, ROTARY, None)
        if not isinstance(function, types.FunctionType):
            continue
        found = True
        if not hasattr(function, "hipsight_original"):
            setattr(module, ROTARY, dispatching(function))
    return found


@contextlib.contextmanager
def rotating(gpu, on):
    token = _rotating.set((gpu,) if on else None)
    try:
        yield
    finally:
        _rotating.reset(token)


def dispatching(original):
    @functools.wraps(original)
    def apply(q, k, cos, sin, *rest, **keywords):
        # torch.compile cannot trace a context's variable. What it compiles is rotated by the model's own function.
        running = None if torch.compiler.is_compiling() else _rotating.get()
        if running and not rest and keywords.keys() <= {"unsqueeze_dim"}:
            rotated = rotate(running[0], q, k, cos, sin, keywords.get("unsqueeze_dim", 1))
            if rotated:
                return rotated
        return original(q, k, cos, sin, *rest, **keywords)

    apply.hipsight_original = original
    return apply


def rotate(gpu, q, k, cos, sin, heads_at):
    """Of batch x heads x tokens x size (heads_at = 1) or batch x tokens x heads x size (2); None: no kernel does it."""
    pairs = cos.shape[-1] // 2
    if q.dim() != 4 or cos.dim() != 3 or cos.shape[-1] != q.shape[-1] or heads_at not in (1, 2) or q.dtype not in VALUES:
        return None
    halves = [table.reshape(-1, 2 * pairs) for table in (cos, sin)]
    if not all(one.is_meta or torch.equal(one[:, :pairs], one[:, pairs:]) for one in halves):
        return None
    batch, tokens = q.shape[0], cos.shape[1]
    positions = torch.arange(cos.shape[0] * tokens, device=q.device).view(cos.shape[0], tokens).expand(batch, tokens)
    tables = [one[:, :pairs].float() for one in halves]
    by_tokens = [one.transpose(1, 2) if heads_at == 1 else one for one in (q, k)]
    rotated = [_rows.rope(one, *tables, positions, gpu=gpu) for one in by_tokens]
    return tuple(one.transpose(1, 2) if heads_at == 1 else one for one in rotated)
