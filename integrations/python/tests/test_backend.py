"""torch.compile with our backend, against eager."""

import operator

import pytest
import torch
import transformers
from torch import nn
from torch.nn import functional

import hipsight
import hipsight.torch
from tensors import drawn


@pytest.fixture(autouse=True)
def fresh():
    torch.compiler.reset()


class Layer(nn.Module):
    """What models are made of, by torch's own functions."""

    def __init__(self, size=64, heads=2):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.RMSNorm(size, eps=1e-5), nn.LayerNorm(size)
        self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size, bias=False)
        self.gate, self.up, self.down = nn.Linear(size, 96), nn.Linear(size, 96), nn.Linear(96, size)

    def forward(self, x):
        q, k, v = (one.unflatten(-1, (self.heads, -1)).transpose(1, 2) for one in self.qkv(self.first(x)).chunk(3, -1))
        x = x + self.out(functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        y = self.second(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


def distance(found, wanted):
    return float(((found.float() - wanted.float()).norm() / wanted.float().norm()).detach())


@pytest.mark.parametrize("backend", [hipsight.torch.Backend(), "hipsight"])
def test_computes_a_layer(backend):
    torch.manual_seed(1)
    model, x = Layer().bfloat16(), torch.randn(2, 9, 64).bfloat16()
    wide = model.float()(x.float())
    eager = model.bfloat16()(x)
    with hipsight.profile(predict=False) as p:
        found = torch.compile(model, backend=backend, fullgraph=True)(x)
    assert distance(found, wide) < max(1.5 * distance(eager, wide), 5e-3)
    names = " ".join(one.kernel for one in p.launches)
    assert len(p.launches) == 5 + 1 + 2 + 1
    assert names.count("void hipsight::kernels::gemm_kernel") == 5 and "attention_kernel" in names
    if backend != "hipsight":
        assert backend.mapped == {"linear": 5, "scaled_dot_product_attention": 1, "rms_norm": 1, "layer_norm": 1,
                                  "silu_mul": 1}


def test_trains():
    torch.manual_seed(1)
    model, x, weight = Layer(), torch.randn(2, 9, 64), torch.randn(2, 9, 64)
    (model(x) * weight).sum().backward()
    wanted = {name: one.grad.clone() for name, one in model.named_parameters()}
    model.zero_grad()
    (torch.compile(model.bfloat16(), backend="hipsight")(x.bfloat16()).float() * weight).sum().backward()
    for name, one in model.named_parameters():
        assert distance(one.grad, wanted[name]) < 0.03, name  # bfloat16 in between


def test_maps_products_and_softmax():
    def scores(q, k, v):
        return torch.softmax(q @ k.mT, -1) @ v

    q, k, v = (drawn(2, 3, 20, 16, seed=i) for i in range(3))
    backend = hipsight.torch.Backend("mi300x")
    with hipsight.profile(predict=False) as p:
        found = torch.compile(scores, backend=backend, fullgraph=True)(q, k, v)
    torch.testing.assert_close(found, scores(q, k, v), rtol=1e-4, atol=1e-4)
    assert len(p.launches) == 3 and backend.mapped == {"matmul": 2, "softmax": 1}


def test_leaves_the_rest_to_torch():
    def other(x, w):
        y = functional.softmax(x.double(), 0) @ w.double() + functional.silu(x).sum() * w.sum(0)
        return functional.layer_norm(y, y.shape), functional.silu(w)[:1] * w

    x, w = drawn(6, 8), drawn(8, 5, seed=2)
    with hipsight.profile(predict=False) as p:
        found = torch.compile(other, backend="hipsight", fullgraph=True)(x, w)
    torch.testing.assert_close(found, other(x, w))
    assert p.launches == []


def small_llama():
    torch.manual_seed(1)
    sizes = dict(vocab_size=97, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
                 num_key_value_heads=2, head_dim=32, max_position_embeddings=64)
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes)).eval().bfloat16()


def test_compiles_in_one_graph_where_a_model_of_the_same_kind_was_replaced():
    hipsight.torch.replace(small_llama())
    compiled = torch.compile(small_llama(), backend="hipsight", fullgraph=True)
    with torch.no_grad():
        assert compiled(torch.arange(8).view(1, 8)).logits.shape == (1, 8, 97)


def test_knows_norms_that_are_written_out():
    """As transformers' models have them."""
    llama = small_llama()
    tokens = torch.arange(34).view(2, 17)
    backend = hipsight.torch.Backend()
    with torch.no_grad():
        eager, wide = llama(tokens).logits, llama.float()(tokens).logits
        llama.bfloat16()
        with hipsight.profile(predict=False) as p:
            found = torch.compile(llama, backend=backend)(tokens).logits
    assert distance(found, wide) < max(1.5 * distance(eager, wide), 5e-3)
    assert backend.mapped["rms_norm"] == 5 and backend.mapped["silu_mul"] == 2 and backend.mapped["linear"] == 15
    assert backend.mapped["scaled_dot_product_attention"] == 2
    names = " ".join(one.kernel for one in p.launches)
    assert names.count("void hipsight::kernels::row_kernel") == 5 + 2 and "attention_kernel" in names


@pytest.mark.parametrize("change", [lambda x: x.add_(1), lambda x: x.__setitem__(0, 5.0), lambda x: operator.iadd(x, 1)])
def test_joins_nothing_that_changes_in_between(change):
    def product(x):
        gate, x = x * 1, x * 2
        active = functional.silu(gate)
        change(gate)
        return active * x

    x, backend = drawn(6, 8), hipsight.torch.Backend()
    torch.testing.assert_close(torch.compile(product, backend=backend)(x), product(x))
    assert not backend.mapped


@pytest.mark.parametrize("change", ["eps", "power", "dimension"])
def test_a_norm_that_is_none_is_left(change):
    def norm(x, w):
        h = x.to(torch.float32)
        added = h.sum() if change == "eps" else 1e-6
        mean = h.pow(4 if change == "power" else 2).mean(0 if change == "dimension" else -1, keepdim=True)
        return w * (h * torch.rsqrt(mean + added)).to(x.dtype)

    x, w, backend = drawn(6, 6).abs(), drawn(6, seed=2), hipsight.torch.Backend()
    torch.testing.assert_close(torch.compile(norm, backend=backend)(x, w), norm(x, w))
    assert not backend.mapped
