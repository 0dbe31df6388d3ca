"""Models that compute with torch.ops.hipsight, against themselves before."""

import pytest
import torch
import transformers
from torch import nn
from torch.nn import functional

import hipsight
import hipsight.torch


@pytest.fixture
def launched(monkeypatch):
    """Names of the kernels that ran."""
    names, launch = [], hipsight.Kernel.launch
    monkeypatch.setattr(hipsight.Kernel, "launch", lambda self, *rest, **keywords: (
        names.append(self.facts.title), launch(self, *rest, **keywords))[1])
    return names


class Block(nn.Module):
    """A layer of the usual kind, with torch's own functions."""

    def __init__(self, size=64, heads=2):
        super().__init__()
        self.heads = heads
        self.norm, self.last = nn.RMSNorm(size, eps=1e-5), nn.LayerNorm(size)
        self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size, bias=False)
        self.gate_proj, self.up_proj, self.down_proj = (nn.Linear(size, size) for _ in range(3))

    def forward(self, x):
        q, k, v = (one.unflatten(-1, (self.heads, -1)).transpose(1, 2) for one in self.qkv(self.norm(x)).chunk(3, -1))
        x = x + self.out(functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return self.last(x)


def distance(found, wanted):
    return float(((found.float() - wanted.float()).norm() / wanted.float().norm()).detach())


def test_computes_a_plain_model(launched):
    torch.manual_seed(1)
    model, x = Block().bfloat16(), torch.randn(2, 9, 64).bfloat16()
    wanted = model.float()(x.float())
    model.bfloat16()
    replaced = hipsight.torch.replace(model)
    assert dict(replaced) == {"RMSNorm": 1, "LayerNorm": 1, "Linear": 5} and not replaced.left
    found = model(x)
    assert distance(found, wanted) < 1e-2
    assert sum("gemm_kernel" in name for name in launched) == 2
    assert sum("attention_kernel" in name for name in launched) == 1
    assert sum("row_kernel" in name for name in launched) == 2


def test_computes_convolutions(launched):
    torch.manual_seed(1)
    model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2, padding=1, groups=2),
                          nn.Conv2d(32, 32, 3, groups=32), nn.Conv2d(32, 8, 3, padding="same"))
    x = torch.randn(2, 3, 12, 12)
    wanted = model(x)
    replaced = hipsight.torch.replace(model)
    assert dict(replaced) == {"Conv2d": 2}
    assert sorted(replaced.left.values()) == ["each of its channels is a group: a matrix of one column",
                                              "its padding is same of zeros"]
    assert distance(model(x), wanted) < 1e-5
    assert sum("WindowTile" in name for name in launched) == 2


def test_trains(launched):
    torch.manual_seed(1)
    model, x, weight = Block(), torch.randn(2, 9, 64), torch.randn(2, 9, 64)
    (model(x) * weight).sum().backward()
    wanted = {name: one.grad.clone() for name, one in model.named_parameters() if one.grad is not None}
    model.zero_grad()
    hipsight.torch.replace(model.bfloat16())
    (model(x.bfloat16()).float() * weight).sum().backward()
    for name, one in model.named_parameters():
        if name in wanted:
            assert distance(one.grad, wanted[name]) < 0.03, name  # bfloat16 in between
    assert any("attention_backward_kernel" in name for name in launched)


def test_leaves_what_it_does_not_know(launched):
    class OneMoreRMSNorm(nn.RMSNorm):
        def forward(self, x):
            return functional.rms_norm(x, self.normalized_shape, 1 + self.weight, self.eps)

    model = nn.Sequential(OneMoreRMSNorm(32, eps=1e-6), nn.Linear(32, 8).double(), nn.LayerNorm(8, bias=False))
    replaced = hipsight.torch.replace(model)
    assert dict(replaced) == {}
    assert "computes something else" in replaced.left["0"]
    assert "float64" in replaced.left["1"] and "no bias" in replaced.left["2"]
    assert "left: 0: OneMoreRMSNorm computes something else" in str(replaced)
    assert not launched


class Experts(nn.Module):
    """As transformers has them, without its decorators."""

    def __init__(self, count=5, size=32, inner=48, activation=functional.silu):
        super().__init__()
        self.gate_up_proj = nn.Parameter(torch.randn(count, 2 * inner, size) / size ** 0.5)
        self.down_proj = nn.Parameter(torch.randn(count, size, inner) / inner ** 0.5)
        self.act_fn = activation

    def forward(self, x, chosen, weights):
        y = torch.zeros_like(x)
        for expert in range(self.gate_up_proj.shape[0]):
            token, place = torch.where(chosen == expert)
            gate, up = functional.linear(x[token], self.gate_up_proj[expert]).chunk(2, -1)
            of_expert = functional.linear(self.act_fn(gate) * up, self.down_proj[expert])
            y = y.index_add(0, token, of_expert * weights[token, place, None])
        return y


def test_takes_experts(launched):
    torch.manual_seed(1)
    model, x = Experts().bfloat16(), torch.randn(20, 32).bfloat16()
    chosen = torch.stack([torch.randperm(4)[:2] for _ in range(20)])  # nobody takes the last one
    chosen[3, 1] = 5  # which there is not
    weights = torch.rand(20, 2)
    wanted = model.float()(x.float(), chosen, weights)
    model.bfloat16()
    assert dict(hipsight.torch.replace(model)) == {"experts": 1}
    with torch.no_grad():
        found = model(x, chosen, weights.bfloat16())
    assert distance(found, wanted) < 1e-2
    assert sum("moe_" in name for name in launched) == 2
    launched.clear()
    x.requires_grad_()
    found = model(x, chosen, weights.bfloat16())
    assert distance(found, wanted) < 1e-2
    assert [name.count("grouped_gemm_kernel") > 0 for name in launched].count(True) == 2
    found.float().sum().backward()
    assert x.grad.abs().sum() > 0 and (model.down_proj.grad[4] == 0).all() and (model.down_proj.grad[0] != 0).any()


def test_leaves_experts_that_compute_something_else():
    class Other(Experts):
        def forward(self, x, chosen, weights):
            return super().forward(x, chosen, 2 * weights)

    replaced = hipsight.torch.replace(nn.ModuleList([Other(), Experts(activation=torch.tanh)]))
    assert dict(replaced) == {}
    assert "Other computes something else" in replaced.left["0"] and "neither SiLU nor GELU" in replaced.left["1"]


@pytest.mark.parametrize("mask, ours", [(None, True), ("all", True), ("causal", True), ("added", True), ("other", False)])
def test_takes_masks_that_it_knows(mask, ours, launched):
    class Attention(nn.Module):
        def forward(self, x, mask):
            return functional.scaled_dot_product_attention(x, x, x, attn_mask=mask)

    model, x = Attention(), torch.randn(1, 2, 12, 32, generator=torch.Generator().manual_seed(1)).half()
    masks = {None: None, "all": torch.ones(12, 12, dtype=torch.bool), "causal": torch.ones(12, 12).tril().bool(),
             "added": torch.zeros(12, 12).masked_fill(~torch.ones(12, 12).tril().bool(), -torch.inf).half(),
             "other": torch.ones(12, 12).tril(-1).bool() | torch.eye(12).bool().flip(0)}
    wanted = model(x.float(), masks[mask].float() if mask == "added" else masks[mask])
    replaced = hipsight.torch.replace(model)
    assert distance(model(x, masks[mask]), wanted) < 2e-3
    assert bool(launched) == ours == ("scaled_dot_product_attention" not in replaced.left)


@pytest.mark.parametrize("places", [1, 12])
def test_takes_values_that_are_shorter(places, launched):
    class Attention(nn.Module):
        def forward(self, x):
            return functional.scaled_dot_product_attention(x[:, :, -places:], x, x[..., :24])

    model, x = Attention(), torch.randn(1, 2, 12, 32, generator=torch.Generator().manual_seed(1)).half()
    wanted = model(x.float())
    hipsight.torch.replace(model)
    assert distance(model(x), wanted) < 2e-3
    assert launched


# --- transformers --------------------------------------------------------------------------------

SIZES = dict(vocab_size=97, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, head_dim=32, max_position_embeddings=64)
MODELS = {
    "llama": lambda: transformers.LlamaForCausalLM(transformers.LlamaConfig(**SIZES)),
    "qwen3": lambda: transformers.Qwen3ForCausalLM(transformers.Qwen3Config(**SIZES)),
    "mixtral": lambda: transformers.MixtralForCausalLM(transformers.MixtralConfig(num_local_experts=4, **SIZES)),
    "qwen3_moe": lambda: transformers.Qwen3MoeForCausalLM(transformers.Qwen3MoeConfig(
        num_experts=8, num_experts_per_tok=2, moe_intermediate_size=48, **SIZES)),
}


def made(name):
    torch.manual_seed(1)
    return MODELS[name]().eval().bfloat16()


@pytest.mark.parametrize("name", MODELS)
def test_agrees_with_transformers(name, launched):
    model = made(name)
    tokens = torch.arange(2 * 17).view(2, 17) * 7 % 97
    with torch.no_grad():
        eager, wide = model(tokens).logits, made(name).float()(tokens).logits
        replaced = hipsight.torch.replace(model)
        ours = model(tokens).logits
    # As near to float32 as torch's own bfloat16.
    assert distance(ours, wide) < max(1.5 * distance(eager, wide), 5e-3)
    assert replaced["RMSNorm"] >= 5 and replaced["Linear"] >= 8
    kernels = ["gemm_kernel", "attention_kernel", "rope_kernel", "RmsNorm"]
    if name in ("mixtral", "qwen3_moe"):
        assert replaced["experts"] == 2
        kernels.append("grouped_gemm_kernel")
    for kernel in kernels:
        assert any(kernel in one for one in launched), kernel


def test_generates_what_eager_does(launched):
    tokens = torch.tensor([[5, 17, 31, 2]])
    wanted = made("llama").float().generate(tokens, max_new_tokens=6, do_sample=False, pad_token_id=0)
    model = made("llama")
    hipsight.torch.replace(model)
    found = model.generate(tokens, max_new_tokens=6, do_sample=False, pad_token_id=0)
    assert torch.equal(found, wanted)
    assert sum("paged_attention_kernel" in one for one in launched) == 5 * 2  # layers, of each token after the first
    assert sum("attention_kernel" in one for one in launched) == 6 * 2


@pytest.mark.parametrize("queries, causal, ours", [(1, False, True), (3, True, True), (3, False, True), (5, False, False)])
def test_decodes_from_a_cache_where_it_lies(queries, causal, ours, launched):
    """Keys and values of 8 heads in a cache with room for more; five queries are more than a tile has rows for."""
    torch.manual_seed(1)
    cache = torch.randn(2, 3, 4, 40, 64).half()
    q, (k, v) = torch.randn(3, 32, queries, 64).half(), cache[:, :, :, :37]
    wide = [one.double() for one in (q, k.repeat_interleave(8, 1), v.repeat_interleave(8, 1))]
    scores = wide[0] @ wide[1].mT / 8
    if causal:
        scores.masked_fill_(~torch.ones(queries, 37).tril(37 - queries).bool(), -torch.inf)
    found, why = hipsight.torch._replace.attend(
        "mi300x", q, k, v, attn_mask=torch.ones(queries, 37).tril(37 - queries).bool() if causal else None, enable_gqa=True)
    assert not why and distance(found, scores.softmax(-1) @ wide[2]) < 2e-3
    assert any("paged_attention_kernel" in one for one in launched) == ours


def test_leaves_other_models_alone(launched):
    first, second = made("llama"), made("llama")
    tokens = torch.arange(9)[None]
    wanted = second(tokens).logits
    hipsight.torch.replace(first)
    assert torch.equal(second(tokens).logits, wanted) and not launched
