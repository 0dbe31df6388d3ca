"""Times of operations without data, and what serving reports and plans make of them."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import transformers
from torch import nn

import hipsight
import hipsight.torch
from hipsight import _kernels

ROOT = Path(__file__).resolve().parents[3]

SMALL = dict(num_hidden_layers=4, hidden_size=256, num_attention_heads=8, num_key_value_heads=2, head_dim=32,
             intermediate_size=512, vocab_size=1024)

LATENT = {**SMALL, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
"""DeepSeek's attention, whose sizes the kernels fix."""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Predictions of this test alone; compiled kernels of all."""
    from hipsight.torch._operators import Operators
    monkeypatch.setattr(Operators, "_file", lambda self, key: tmp_path / "predictions" / f"{key}.json")
    return tmp_path / "predictions"


def meta(*shape, dtype=torch.bfloat16):
    return torch.empty(shape, dtype=dtype, device="meta")


def real(*shape, dtype=torch.bfloat16):
    """On 2 MiB, as memory of a GPU."""
    count = torch.Size(shape).numel()
    bytes = torch.zeros(count * dtype.itemsize + (2 << 20), dtype=torch.uint8)
    begin = -bytes.data_ptr() % (2 << 20)
    return bytes[begin:begin + count * dtype.itemsize].view(dtype).view(shape)


@pytest.mark.parametrize("gpu", ["mi300x", "rx7900xtx"])
@pytest.mark.parametrize("operation, make", [
    ("gemm", lambda new: (new(96, 512), new(640, 512).mT)),
    ("rms_norm", lambda new: (new(300, 1024), new(1024))),
    ("silu_mul", lambda new: (new(64, 2048)[:, :1024], new(64, 2048)[:, 1024:])),
    ("attention", lambda new: (new(1, 4, 256, 64), new(1, 2, 256, 64), new(1, 2, 256, 64))),
])
def test_without_data_as_with(operation, make, gpu):
    with hipsight.profile(gpu) as p, torch.no_grad():
        getattr(torch.ops.hipsight, operation)(*make(real))
    time = hipsight.torch.Operators(gpu).time(operation, *make(meta))
    assert [one.kernel for one in time.launches] == [one.kernel for one in p.launches]
    assert time.seconds == pytest.approx(sum(one.seconds for one in p.launches), rel=0.05)
    assert time.bound == max(p.launches, key=lambda one: one.seconds).bound


def test_whole_numbers_count():
    """Groups are even where their bounds have no data; else as these say."""
    table = hipsight.torch.Operators("mi300x")
    a, b = meta(1024, 512), meta(8, 512, 512)
    even = torch.arange(9) * 128
    all_in_one = torch.tensor([0] + [1024] * 8)
    times = [table.time("grouped_gemm", a, b, starts).seconds for starts in (meta(9, dtype=torch.int64), even, all_in_one)]
    assert times[0] == pytest.approx(times[1], rel=0.02) and times[2] != times[1]
    pages, lengths = torch.arange(1024).view(4, 256), torch.full((4,), 4096)
    q, cache = meta(4, 8, 1, 64), [meta(1024, 16, 2, 64) for _ in range(2)]
    none = [meta(4, 256, dtype=torch.int64), meta(4, dtype=torch.int64)]
    times = [table.time("paged_attention", q, *cache, *of).seconds
             for of in (none, (pages, lengths), (pages, torch.full((4,), 16)))]
    assert times[0] == pytest.approx(times[1], rel=0.02) and times[2] < times[1]


def test_a_time_is_kept(cache, monkeypatch):
    arguments = meta(64, 256), meta(256)
    seconds = hipsight.torch.Operators().time("rms_norm", *arguments).seconds
    file, = cache.glob("*.json")
    # Another process takes what is there.
    monkeypatch.setattr(torch.ops.hipsight, "rms_norm", None)
    assert hipsight.torch.Operators().time("rms_norm", *arguments).seconds == seconds
    # One that was cut off counts as none.
    file.write_text(file.read_text()[:20])
    with pytest.raises(TypeError):
        hipsight.torch.Operators().time("rms_norm", *arguments)
    monkeypatch.undo()


def test_a_model_without_data():
    config = transformers.LlamaConfig(max_position_embeddings=256, **SMALL)
    with torch.device("meta"):
        none = transformers.LlamaForCausalLM(config).eval().bfloat16()
    some = transformers.LlamaForCausalLM(config).eval().bfloat16()
    report, = hipsight.torch.model(none, torch.empty(2, 64, dtype=torch.int64, device="meta"), use_cache=False)
    usual, = hipsight.torch.model(some, torch.ones(2, 64, dtype=torch.int64), use_cache=False)
    kinds, usual_kinds = ({one.name: one for one in each.by_kind} for each in (report, usual))
    assert kinds.keys() == usual_kinds.keys() and "model.layers.*.mlp.down_proj" in kinds
    assert all(one.launches == usual_kinds[name].launches for name, one in kinds.items())
    # Tensors of torch lie on 64 bytes, those of a GPU and stand-ins on more.
    assert report.seconds == pytest.approx(usual.seconds, rel=0.1)
    assert report.profile.reports[0].timing_only and not usual.profile.reports[0].timing_only


def test_a_mixture_without_data():
    config = transformers.Qwen3MoeConfig(num_experts=8, num_experts_per_tok=2, moe_intermediate_size=64, **SMALL)
    with torch.device("meta"):
        model = transformers.Qwen3MoeForCausalLM(config).eval().bfloat16()
    report, = hipsight.torch.model(model, torch.empty(1, 64, dtype=torch.int64, device="meta"), use_cache=False)
    assert report.replaced["experts"] == 4
    assert any(one.name.endswith("mlp.experts") and one.seconds > 0 for one in report.by_kind)


def test_times_without_results_of_a_model_with_data():
    model = nn.Sequential(nn.Linear(256, 256), nn.Linear(256, 256)).bfloat16()
    report, = hipsight.torch.model(model, torch.ones(32, 256, dtype=torch.bfloat16), timing_only=True)
    assert report.seconds > 0 and report.profile.reports[0].timing_only
    with pytest.raises(hipsight.Error, match="timing_only"):
        hipsight.torch.model(model.to("meta"), meta(32, 256), timing_only=False)
    with pytest.raises(hipsight.Error, match="take its name"):
        hipsight.torch.model(model, meta(32, 256), gpus=hipsight.Gpu("mi300x"))


def test_numbers_that_are_not_there():
    class Branches(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(4))

        def forward(self, x):
            return x[:int(x.argmax())]

    with pytest.raises(hipsight.Error, match="goes by a number"):
        hipsight.torch.model(Branches().to("meta"), meta(4))


def test_a_step_is_its_operations():
    serving = hipsight.torch.serving(SMALL | {"model_type": "small"}, "mi300x", tensor_parallel=2)
    step = serving.forward(batch=4, context=128)
    by_name = {one.name: one for one in step.steps}
    table = hipsight.torch.Operators("mi300x")
    assert by_name["down"].seconds == pytest.approx(4 * table.time("gemm", meta(4, 256), meta(256, 256).mT).seconds)
    assert by_name["norm of the sum"].times == 8
    reduce = hipsight.Gpu("mi300x").all_reduce(2, 4 * 256 * 2)
    assert by_name["all-reduce"].seconds == pytest.approx(8 * reduce.seconds) and by_name["all-reduce"].bound == reduce.bound
    assert step.seconds == pytest.approx(sum(one.seconds for one in step.steps))
    assert sum(one.share for one in step.steps) == pytest.approx(1)
    assert step.tokens_per_second == pytest.approx(4 / step.seconds)
    assert "all-reduce" not in {one.name for one in hipsight.torch.serving(SMALL, "mi300x").forward(4, 128).steps}
    prefill = serving.forward(1, 128, 128)
    assert prefill.steps and str(prefill).startswith("prefill: batch 1, context 128")
    # Weights: four layers of 256 x (8 + 8 + 4 heads of 32) and three matrices of 256 x 512, and words twice.
    weights = 4 * (256 * 32 * (2 * 8 + 2 * 2) + 3 * 256 * 512) + 2 * 1024 * 256
    assert serving.weight_bytes == 2 * weights // 2
    assert serving.most_sequences(1000) == serving.free_bytes // (2 * 4 * 1 * 32 * 2 * 1000)


def test_formats():
    half = hipsight.torch.serving(SMALL, "mi300x", weights="fp8", cache="fp8")
    assert {one.kernel != "" for one in half.forward(4, 128).steps if one.name in ("down", "attention")} == {True}
    assert half.weight_bytes < hipsight.torch.serving(SMALL, "mi300x").weight_bytes
    weights = lambda model, format: hipsight.torch.serving(model, "mi300x", weights=format).weight_bytes
    assert weights(SMALL, "bf16") - weights(SMALL, "fp8") == 4 * (256 * 32 * 20 + 3 * 256 * 512)
    mixture = SMALL | dict(num_experts=8, num_experts_per_tok=2, moe_intermediate_size=64)
    assert weights(mixture, "bf16") - weights(mixture, "fp8") == 4 * 256 * 32 * 20  # experts are in 16 bits
    steps = {one.name for one in hipsight.torch.serving(mixture, "rx7900xtx").forward(4, 128).steps}
    assert {"router", "gate and up", "down", "sum of experts"} <= steps


def test_every_operation_has_a_kernel():
    """But for the embedding, and for storing latents."""
    mixture = dict(n_routed_experts=8, num_experts_per_tok=2, n_shared_experts=1, moe_intermediate_size=64,
                   first_k_dense_replace=1)
    for config, without in ((SMALL, {"embedding"}), (SMALL | dict(num_experts=8, num_experts_per_tok=2), {"embedding"}),
                            (LATENT | mixture, {"embedding", "store in cache"})):
        serving = hipsight.torch.serving(config, "mi300x", weights="fp8")
        for step in (serving.forward(4, 128), serving.forward(1, 128, 128)):
            assert {one.name for one in step.steps if not one.kernel} == without
            assert all(one.seconds > 0 for one in step.steps)


def test_latent_attention():
    """DeepSeek's V2 in small: one layer is dense, the others have experts beside a shared one."""
    config = LATENT | dict(q_lora_rank=96, n_routed_experts=8, num_experts_per_tok=2, n_shared_experts=2,
                           moe_intermediate_size=64, first_k_dense_replace=1)
    serving = hipsight.torch.serving(config, "mi300x", tensor_parallel=2)
    table = hipsight.torch.Operators("mi300x")
    decode, prefill = ({one.name: one for one in serving.forward(*of).steps} for of in ((4, 128), (1, 128, 128)))
    pages = torch.arange(32).view(4, 8), torch.full((4,), 128)
    alone = table.time("latent_attention", meta(4, 4, 1, 576), meta(32, 16, 576), *pages, 192 ** -0.5)
    assert decode["attention"].seconds == pytest.approx(4 * alone.seconds, rel=0.02)
    one_long = torch.arange(512).view(1, 512), torch.full((1,), 8192)
    split = table.time("latent_attention", meta(1, 4, 1, 576), meta(512, 16, 576), *one_long, 192 ** -0.5)
    assert ["combine_splits" in one.kernel for one in split.launches] == [False, True]  # many workgroups for one sequence
    alone = table.time("attention", meta(1, 4, 128, 192), meta(1, 4, 128, 192), meta(1, 4, 128, 128), causal=True)
    assert prefill["attention"].seconds == pytest.approx(4 * alone.seconds)
    assert "latents to values" in decode and "latents to values" not in prefill and "keys and values" in prefill
    assert decode["sum of experts"].times == 3 and decode["down of shared experts"].times == 3
    assert decode["down"].times == 1 + 3  # of the dense layer, and of experts
    # Queries' and keys' latents are whole on both GPUs, and so is the cache.
    latents, heads = 256 * (96 + 512 + 64), 8 * (96 * 192 + 512 * (128 + 128) + 128 * 256)
    products = 3 * 256 * (512 + 3 * (8 + 2) * 64)
    assert serving.weight_bytes == 2 * (4 * latents + (4 * heads + products + 2 * 1024 * 256) // 2)
    assert serving.most_sequences(1000) == serving.free_bytes // (4 * 576 * 2 * 1000)
    # The sizes that its makers give: 671 and 16 thousand million weights.
    sizes = {name: hipsight.torch.Decoder.of(name).weights / 1e9 for name in ("deepseek-v3", "deepseek-v2-lite")}
    assert sizes["deepseek-v3"] == pytest.approx(671, rel=0.005) and sizes["deepseek-v2-lite"] == pytest.approx(15.7, rel=0.01)


def test_whole_experts():
    """Two GPUs with four experts each do what one would, of a mixture of four and half as many choices."""
    sizes = dict(num_experts=8, num_experts_per_tok=2, moe_intermediate_size=64)
    whole, slices = (hipsight.torch.serving(SMALL | sizes, "mi300x", tensor_parallel=2, expert_parallel=each)
                     for each in (True, False))
    assert whole.weight_bytes == slices.weight_bytes and whole.expert_parallel and not slices.expert_parallel
    steps, of_slices = ({one.name: one for one in each.forward(16, 128).steps} for each in (whole, slices))
    table = hipsight.torch.Operators("mi300x")
    alone = table.time("grouped_gemm", meta(16, 256), meta(4, 128, 256).mT, meta(5, dtype=torch.int64),
                       meta(16, dtype=torch.int64))
    assert steps["gate and up"].seconds == pytest.approx(4 * alone.seconds)
    assert all(steps[name].seconds == of_slices[name].seconds for name in ("attention", "all-reduce", "router"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hipsight.torch.Serving, "most_sequences", lambda self, context: 1)
        plan = hipsight.torch.plan(SMALL | sizes, "mi300x", gpus=2, input=64, output=8, tensor_parallel=(1, 2))
    assert {(one.tensor_parallel, one.expert_parallel) for one in plan.choices} == {(1, False), (2, False), (2, True)}
    assert "(whole experts)" in str(plan)


def test_throughput_is_made_of_steps():
    serving = hipsight.torch.serving(SMALL, "mi300x")
    served = serving.throughput(8, 64, 32)
    steps = [serving.forward(8, context).seconds for context in (65, 80, 96)]
    assert 32 * min(steps) <= served.decode <= 32 * max(steps)
    assert serving.throughput(8, 64, 32, contexts=1).decode == pytest.approx(32 * steps[1])
    assert served.prefill == pytest.approx(serving.forward(8, 64, 64).seconds)
    assert served.output_tokens_per_second == pytest.approx(8 * 32 / (served.prefill + served.decode))
    assert served.cache_bytes == 8 * 96 * 2 * 4 * 2 * 32 * 2
    # Prompts that do not fit one batch.
    assert serving.throughput(8, 64, 32, prefill_tokens=128).prefill == pytest.approx(
        4 * serving.forward(2, 64, 64).seconds)


def test_a_plan_takes_the_best_that_holds():
    def planned(**limits):
        return hipsight.torch.plan(SMALL, "mi300x", gpus=2, input=64, output=16, tensor_parallel=(1, 2), **limits)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hipsight.torch.Serving, "most_sequences", lambda self, context: 8)
        everything = planned()
        assert {(each.tensor_parallel, each.copies) for each in everything.choices} == {(1, 2), (2, 1)}
        assert {each.concurrency for each in everything.choices} == {1, 2, 4, 8}
        best = everything.choices[0]
        assert best.output_tokens_per_second == max(each.output_tokens_per_second for each in everything.choices)
        limit = sorted(each.per_token for each in everything.choices)[2]
        some = planned(per_token=limit)
        assert len(some.choices) >= 3 and all(each.per_token <= limit for each in some.choices)
        assert all(each.per_token > limit for each in some.refused) and "(beyond the limits)" in str(some)
        assert not planned(first_token=1e-9).choices
        assert "no choice holds the limits" in str(planned(first_token=1e-9))
        assert str(everything).startswith("decoder, 64 tokens in, 16 out, 2 GPUs: ")


def test_a_training_step_is_its_parts():
    training = hipsight.torch.training(SMALL, "mi300x", sequence=128, batch=16)
    one = training.step(hipsight.torch.Sharing(data=1, tensor=1, pipeline=1, micro_batch=2))
    table = hipsight.torch.Operators("mi300x")
    by_name = {step.name: step for step in one.steps}
    x, w = meta(256, 512), meta(256, 512).mT  # of "down": rows x inner, inner x hidden
    g = meta(256, 256)
    assert by_name["down"].seconds == pytest.approx(table.time("gemm", x, w).seconds)
    assert by_name["down: of inputs"].seconds == pytest.approx(table.time("gemm", g, w.mT).seconds)
    assert by_name["down: of weights"].seconds == pytest.approx(table.time("gemm", x.mT, g).seconds)
    assert by_name["attention: backward"].seconds > by_name["attention"].seconds
    assert {"norm: backward", "activation: backward"} <= {step.name for step in one.steps if step.kernel}
    # A layer's weights at once, and the words.
    state = lambda count: [*[meta(count)] * 2, *[meta(count, dtype=torch.float32)] * 3, 1, 1e-4, 0.9, 0.95, 1e-8, 0.1]
    of_layer = 256 * 32 * 20 + 3 * 256 * 512
    adamw = [table.time("adamw_", *state(count)).seconds for count in (of_layer, 2 * 1024 * 256)]
    assert one.parts["optimizer"] == pytest.approx(4 * adamw[0] + adamw[1])
    assert sum(one.parts.values()) == pytest.approx(one.seconds)
    assert one.parts["idle"] == one.parts["gradients"] == one.parts["between stages"] == one.parts["recompute"] == 0
    # 8 micro-batches of 4 layers, and the words.
    assert one.parts["forward"] + one.parts["backward"] > 8 * 4 * sum(step.seconds for step in one.steps)
    assert one.tokens_per_second == pytest.approx(16 * 128 / one.seconds)
    weights = 4 * (256 * 32 * 20 + 3 * 256 * 512) + 1024 * 256
    products = 6 * 16 * 128 * weights + 3 * 4 * 4 * 16 * 128 * 64 * 256
    peak = hipsight.Gpu("mi300x").facts.matrix_per_second["bf16"]
    assert one.utilization == pytest.approx(products / one.seconds / peak)
    # Recomputing takes a forward pass and saves memory; halves of the batch take half as long, but for their exchange.
    again = training.step(hipsight.torch.Sharing(1, 1, 1, 2, True))
    assert again.parts["recompute"] == pytest.approx(one.parts["forward"]) and again.memory_bytes < one.memory_bytes
    halves = training.step(hipsight.torch.Sharing(2, 1, 1, 2))
    assert halves.parts["forward"] == pytest.approx(one.parts["forward"] / 2)
    stages = training.step(hipsight.torch.Sharing(1, 1, 2, 2))
    assert stages.parts["idle"] > 0 and stages.parts["between stages"] > 0
    assert "copies x 2 stages" in str(stages)


def test_copies_in_several_nodes_exchange_by_rings():
    training = hipsight.torch.training(SMALL, "mi300x", sequence=128, batch=64, between_nodes=10)
    gpu = hipsight.Gpu("mi300x")
    bytes = 1 << 34
    spread = training._exchange(bytes, hipsight.torch.Sharing(32, 1, 1, 2))
    assert spread == gpu.collective("all_reduce", 32, bytes, nodes=4, network_gb_per_s=10).seconds
    assert spread == pytest.approx(2 * bytes * 31 / 32 / 8 / 10e9, rel=1e-3)
    # Two slices of each layer: a node has four copies of one.
    sliced = training._exchange(bytes, hipsight.torch.Sharing(16, 2, 1, 2))
    assert sliced == gpu.collective("all_reduce", 16, bytes, nodes=4, network_gb_per_s=10).seconds > spread
    of_node = training._exchange(bytes, hipsight.torch.Sharing(8, 1, 1, 2))
    assert of_node == gpu.all_reduce(8, bytes).seconds


def test_a_training_plan_holds_memory():
    training = hipsight.torch.training(SMALL, "mi300x", sequence=128, batch=16)
    found = training.plan(4, micro_batches=(1,))
    assert [one.seconds for one in found] == sorted(one.seconds for one in found)
    assert {one.sharing.gpus for one in found} == {4}
    assert {(one.sharing.data, one.sharing.tensor, one.sharing.pipeline) for one in found} == {
        (4, 1, 1), (2, 2, 1), (1, 4, 1), (2, 1, 2), (1, 2, 2), (1, 1, 4)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hipsight.torch.Training, "memory_bytes", lambda self, sharing: 10 ** 15)
        with pytest.raises(hipsight.Error, match="no way to share"):
            training.plan(4)


def varint(data, at):
    """A whole number of Protocol Buffers' encoding, and where it ends."""
    value, shift = 0, 0
    while data[at] > 0x7f:
        value |= (data[at] & 0x7f) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def varints(data):
    found, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def message(data):
    """{field: [values]}."""
    fields, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key % 8 == 2:
            value, at = data[at:at + value], at + value
        fields.setdefault(key // 8, []).append(value)
    return fields


def messages(data):
    found, at = [], 0
    while at < len(data):
        size, at = varint(data, at)
        found.append(message(data[at:at + size]))
        at += size
    return found


def attributes(node):
    return {one[1][0].decode(): next(value[0] for number, value in one.items() if number != 1)
            for one in map(message, node.get(10, []))}


def test_chakra_traces(tmp_path):
    training = hipsight.torch.training(SMALL, "mi300x", sequence=128, batch=8)
    alone = hipsight.torch.Sharing(data=1, tensor=1, pipeline=1, micro_batch=2)
    file, groups = training.chakra(alone, tmp_path / "alone")
    nodes = messages(file.read_bytes())[1:]
    step = training.step(alone)
    # Microseconds are whole: each node rounds.
    assert sum(one.get(7, [0])[0] for one in nodes) / 1e6 == pytest.approx(step.seconds, abs=len(nodes) * 0.5e-6)
    assert {one[3][0] for one in nodes} == {4} and json.loads(groups.read_text()) == {}
    # Two of each: every send is received, by name of its ranks and tag, and all members of a group reduce as often.
    *files, groups = training.chakra(hipsight.torch.Sharing(2, 2, 2, 2, True), tmp_path / "shared")
    assert [one.name for one in files] == [f"training.{rank}.et" for rank in range(8)]
    members = json.loads(groups.read_text())
    assert sorted(map(tuple, members.values())) == sorted([(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7)])
    sent, received, reduced = [], [], []
    for rank, file in enumerate(files):
        head, *nodes = messages(file.read_bytes())
        assert head == {1: [b"0.0.4"]} and [one[1][0] for one in nodes] == list(range(len(nodes)))
        for node in nodes:
            of, kind = attributes(node), node[3][0]
            assert all(parent < node[1][0] for each in node.get(5, []) for parent in varints(each))
            if kind == 5:
                assert of["comm_src"] == rank
                sent.append((rank, of["comm_dst"], of["comm_tag"], of["comm_size"]))
            elif kind == 6:
                assert of["comm_dst"] == rank
                received.append((of["comm_src"], rank, of["comm_tag"], of["comm_size"]))
            elif kind == 7:
                assert rank in members[of["pg_name"].decode()] and of["comm_type"] == 0
                reduced.append((rank, of["pg_name"], of["comm_size"]))
    assert sorted(sent) == sorted(received) and len(sent) == 2 * 2 * 2 * 2  # copies, slices, micro-batches, ways
    for name, ranks in members.items():
        counts = [[size for rank, group, size in reduced if rank == one and group == name.encode()] for one in ranks]
        assert counts[0] and counts[0] == counts[1]
    with pytest.raises(hipsight.Error, match="cannot be written"):
        (tmp_path / "taken").write_text("")
        training.chakra(alone, tmp_path / "taken")


@pytest.mark.parametrize("call, words", [
    (lambda: hipsight.torch.serving("llama-7"), "llama-3-8b"),
    (lambda: hipsight.torch.serving({"hidden_size": 4}), "no num_hidden_layers|no num_attention_heads"),
    (lambda: hipsight.torch.serving(LATENT | {"kv_lora_rank": 256}), r"256 \+ 64 values: .* takes 512 \+ 64"),
    (lambda: hipsight.torch.serving(LATENT, weights="fp8", cache="fp8"), "latents in 16 bits"),
    (lambda: hipsight.torch.training(LATENT), "multi-head latent attention"),
    (lambda: hipsight.torch.serving(SMALL, tensor_parallel=3), "8 heads: 3 GPUs cannot share"),
    (lambda: hipsight.torch.serving(SMALL, tensor_parallel=2, expert_parallel=True), "has no experts"),
    (lambda: hipsight.torch.serving(SMALL | dict(num_experts=6, num_experts_per_tok=2), tensor_parallel=4,
                                    expert_parallel=True), "6 experts: 4 GPUs cannot share"),
    (lambda: hipsight.torch.serving(SMALL, weights="int3"), "weights='int3'"),
    (lambda: hipsight.torch.serving(SMALL, cache="fp16"), "cache='fp16'"),
    (lambda: hipsight.torch.serving("llama-3-405b"), "812 GB of weights do not fit"),
    (lambda: hipsight.torch.serving(SMALL).forward(0, 16), "batch 0"),
    (lambda: hipsight.torch.serving(SMALL).throughput(1 << 30, 64, 64), "has room for"),
    (lambda: hipsight.torch.serving(SMALL, "rx7900xtx", tensor_parallel=2).forward(1, 16), "no links"),
    (lambda: hipsight.torch.serving(SMALL).throughput(1, 64, 64, contexts=2), "contexts=2"),
    (lambda: hipsight.torch.plan(SMALL, gpus=0), "0 GPUs"),
    (lambda: hipsight.Gpu("mi300x").all_reduce(1, 4), "two GPUs or more"),
    (lambda: hipsight.Gpu("mi300x").collective("gather", 8, 4), "it takes all_reduce, all_gather"),
    (lambda: hipsight.Gpu("mi300x").collective("all_reduce", 16, 4, nodes=2), "how quick is the network"),
    (lambda: hipsight.torch.training(SMALL | dict(num_experts=8, num_experts_per_tok=2)), "a mixture of experts"),
    (lambda: hipsight.torch.training(SMALL, batch=0), "must be positive"),
    (lambda: hipsight.torch.training(SMALL, batch=6).step(hipsight.torch.Sharing(4, 1, 1, 1)), "cannot share it evenly"),
    (lambda: hipsight.torch.training(SMALL).step(hipsight.torch.Sharing(1, 1, 3, 1)), "3 stages cannot share"),
    (lambda: hipsight.torch.training(SMALL).step(hipsight.torch.Sharing(1, 16, 1, 1)), "a node has 8"),
])
def test_says_what_is_wrong(call, words):
    with pytest.raises(hipsight.Error, match=words):
        call()


def test_commands(tmp_path):
    config, out = tmp_path / "config.json", tmp_path / "out.json"
    config.write_text(json.dumps(SMALL))

    def run(*words, **variables):
        return subprocess.run([sys.executable, "-m", "hipsight", *words], capture_output=True, text=True,
                              env=os.environ | variables)

    done = run("serve-report", str(config), "--batch", "1,4", "--context", "64", "--requests", "4:64:16", "--json", str(out))
    assert done.returncode == 0, done.stderr
    figures = json.loads(out.read_text())
    assert [step["batch"] for step in figures["decode"]] == [1, 4] and figures["requests"][0]["concurrency"] == 4
    assert f"{figures['requests'][0]['output_tokens_per_second']:.0f}" in done.stdout
    done = run("plan", str(config), "--gpus", "1", "--input", "64", "--output", "8", "--per-token", "0.0000001")
    assert done.returncode == 1 and "no choice holds the limits" in done.stdout
    # A helper says nothing, and leaves what it finds to the first process.
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / _kernels.cache_folder().name).symlink_to(_kernels.cache_folder())
    report = ["serve-report", str(config), "--batch", "1,4", "--context", "64", "--jobs", "2"]
    helper = run(*report, HIPSIGHT_CACHE=str(cache), PMI_RANK="1", PMI_SIZE="2")
    found = {one.name for one in (cache / "predictions").glob("*.json")}
    assert helper.returncode == 0 and not helper.stdout and found, helper.stderr
    first = run(*report, HIPSIGHT_CACHE=str(cache))
    assert first.returncode == 0 and "decode: batch 4" in first.stdout, first.stderr
    assert {one.name for one in (cache / "predictions").glob("*.json")} == found
    wrong = run(*report, PMI_RANK="2", PMI_SIZE="2")
    assert wrong.returncode == 125 and "no rank among so many" in wrong.stderr
    done = run("plan", str(config), "--train", "--gpus", "2", "--sequence", "64", "--batch", "2", "--jobs", "1", "--chakra",
               str(tmp_path / "traces"))
    assert done.returncode == 0, done.stderr
    assert f"2 traces and groups.json: {tmp_path / 'traces'}" in done.stdout
    assert sorted(one.name for one in (tmp_path / "traces").iterdir()) == ["groups.json", "training.0.et", "training.1.et"]
    done = run("serve-report", "no-such-model")
    assert done.returncode == 125 and "no-such-model" in done.stderr and not done.stdout


def test_takes_the_commands_of_the_pages():
    """They take minutes, so that tests/docs/run_commands.py leaves them to this."""
    from hipsight.torch._commands import COMMANDS
    from hipsight.torch._decoders import Decoder
    sys.path.insert(0, str(ROOT / "tests/docs"))
    import run_commands
    shown = {tuple(shlex.split(command)) for page in run_commands.PAGES for command, _ in run_commands.commands(page)
             if command.split()[1] in COMMANDS}
    assert {name for _, name, *_ in shown} == set(COMMANDS)
    for _, name, *words in shown:
        parser, _ = COMMANDS[name]
        asked = parser().parse_args(words)
        assert Decoder.of(asked.model)
        assert asked.gpu in {gpu.name for gpu in hipsight.gpus()}
