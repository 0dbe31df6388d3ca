"""hipsight.torch.model."""

import pytest
import torch
import transformers
from torch import nn

import hipsight
import hipsight.torch
from tensors import drawn


class Tower(nn.Module):

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.ModuleDict({"up": nn.Linear(64, 96), "down": nn.Linear(96, 64, bias=False)})
                                    for _ in range(3))
        self.norm = nn.LayerNorm(64)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer["down"](torch.relu(layer["up"](x)))
        return self.norm(x)


def test_tells_the_time_by_module():
    model, x = Tower().bfloat16(), drawn(40, 64, dtype=torch.bfloat16)
    wanted = model(x)
    report, = hipsight.torch.model(model, x)
    assert report.gpu.name == "mi300x" and dict(report.replaced) == {"Linear": 6, "LayerNorm": 1}
    by_name = {one.name: one for one in report.modules}
    assert by_name.keys() == {f"layers.{i}.{name}" for i in range(3) for name in ("up", "down")} | {"norm"}
    # As each operation takes alone.
    with hipsight.profile() as p:
        torch.ops.hipsight.gemm(x, model.layers[0]["up"].weight.mT)
        torch.ops.hipsight.layer_norm(x, model.norm.weight, model.norm.bias)
    alone = [one.seconds for one in p.launches]
    assert by_name["layers.1.up"].seconds == pytest.approx(alone[0], rel=0.05)
    assert by_name["norm"].seconds == pytest.approx(alone[1], rel=0.05)
    assert by_name["norm"].bound == p.launches[1].bound
    kinds = {one.name: one for one in report.by_kind}
    assert kinds.keys() == {"layers.*.up", "layers.*.down", "norm"}
    assert (kinds["layers.*.up"].modules, kinds["layers.*.up"].launches) == (3, 3)
    layers = {one.name: one for one in report.layers}
    assert layers.keys() == {"layers.0", "layers.1", "layers.2", "norm"} and layers["layers.2"].launches == 2
    for times in (report.modules, report.by_kind, report.layers):
        assert sum(one.seconds for one in times) == pytest.approx(report.seconds)
        assert sum(one.share for one in times) == pytest.approx(1)
        assert [one.seconds for one in times] == sorted((one.seconds for one in times), reverse=True)
    # Bias, relu and the sums are torch's.
    assert report.rest == {"add": 6, "relu": 3}
    assert report.rest_bytes == 2 * (3 * (40 * 96 * 4 + 96) + 3 * 40 * 64 * 3)
    assert torch.equal(model(x), wanted) and "forward" not in model.layers[0]["up"].__dict__


def test_shows_itself():
    model, x = Tower().bfloat16(), drawn(40, 64, dtype=torch.bfloat16)
    mi300x, mi325x = hipsight.torch.model(model, x, gpus=["mi300x", "mi325x"])
    assert (mi300x.gpu.name, mi325x.gpu.name) == ("mi300x", "mi325x")
    assert mi325x.seconds <= mi300x.seconds  # it has more bandwidth, and is alike otherwise
    for report in (mi300x, mi325x):
        lines = str(report).split("\n")
        assert lines[0].startswith(f"{report.gpu.title}: ") and lines[0].endswith("predicted, 7 launches")
        assert lines[1].split() == ["time", "share", "modules", "launches", "bound", "module"]
        assert {line.split()[-1] for line in lines[2:5]} == {"layers.*.up", "layers.*.down", "norm"}
        assert any(line.startswith("not predicted: ") and "add (6), relu (3)" in line for line in lines)
        assert "layers.*.up" in report._repr_html_()
    assert mi300x.profile.to_html().startswith("<!")


def test_takes_a_model_of_transformers():
    torch.manual_seed(1)
    sizes = dict(vocab_size=97, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
                 num_key_value_heads=2, head_dim=32, max_position_embeddings=64)
    llama = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes)).eval().bfloat16()
    tokens = torch.arange(34).view(2, 17)
    wanted = llama(tokens).logits
    report, = hipsight.torch.model(llama, tokens, gpus="mi300x", use_cache=False)
    kinds = {one.name: one for one in report.by_kind}
    # Attention, and the rotary embedding of queries and keys of each of two sequences.
    assert kinds["model.layers.*.self_attn"].launches == 2 * (1 + 2 * 2)
    assert kinds["model.layers.*.mlp.gate_proj"].modules == 2 and "lm_head" in kinds and "model.norm" in kinds
    assert report.rest["embedding"] == 1
    assert torch.equal(llama(tokens).logits, wanted)


def test_counts_what_an_embedding_reads():
    report, = hipsight.torch.model(nn.Embedding(1000, 16), torch.tensor([3, 1, 4]))
    assert report.rest == {"embedding": 1} and report.rest_bytes == 2 * 3 * 16 * 4
    assert report.seconds == 0 and report.modules == [] and "0 launches" in str(report)


def test_leaves_a_model_as_it_was_after_an_error():
    model = Tower().bfloat16()
    with pytest.raises(RuntimeError):
        hipsight.torch.model(model, drawn(40, 63, dtype=torch.bfloat16))
    assert hipsight._recording.current_range() == ""
    assert not any(one._forward_hooks or one._forward_pre_hooks or "forward" in one.__dict__ for one in model.modules())
    with pytest.raises(hipsight.Error, match="no_such_gpu"):
        hipsight.torch.model(model, drawn(40, 64, dtype=torch.bfloat16), gpus=["no_such_gpu"])
    assert not any("forward" in one.__dict__ for one in model.modules())
