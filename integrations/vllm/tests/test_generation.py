"""vLLM on the emulated GPU against eager transformers, on models with random weights. Each in a process of its own,
under `hipsight run`: one engine a process, and its report is of that engine alone."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import transformers

HERE = Path(__file__).parent
HIPSIGHT = HERE.parents[2] / "build/hipsight"
# 21, 4 and 1 tokens: more and fewer than a block of the cache holds.
PROMPTS = [list(range(5, 26)), [7, 1, 91, 33], [64]]
NEW_TOKENS = 6


def eager(folder):
    """Greedy tokens of transformers, without a cache, and how far the best logit is from the second, at the least."""
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32)
    answers, margin = [], float("inf")
    for prompt in PROMPTS:
        tokens = list(prompt)
        for _ in range(NEW_TOKENS):
            with torch.no_grad():
                best = model(torch.tensor([tokens])).logits[0, -1].topk(2)
            margin = min(margin, float(best.values[0] - best.values[1]))
            tokens.append(int(best.indices[0]))
        answers.append(tokens[len(prompt):])
    return answers, margin


def vllm(folder, report, gpu, **options):
    """vLLM's tokens, and the report on its kernels."""
    command = [HIPSIGHT, "run", "--gpu", gpu, "--no-report", "--json", report, "--", sys.executable,
               HERE / "generate.py", folder, json.dumps(PROMPTS), str(NEW_TOKENS), json.dumps(options)]
    child = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=500)
    assert child.returncode == 0, child.stderr[-5000:]
    return json.loads(child.stdout.splitlines()[-1]), json.loads(report.read_text())


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    folder = tmp_path_factory.mktemp("llama")
    transformers.set_seed(1)
    config = transformers.LlamaConfig(vocab_size=128, hidden_size=128, intermediate_size=256, num_hidden_layers=2,
                                      num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=256)
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("gpu, options", [("mi300x", {}), ("mi300x", {"max_num_batched_tokens": 16}),
                                          ("rx7900xtx", {})])
def test_greedy_tokens_are_those_of_eager(llama, tmp_path, gpu, options):
    """Also with prompts that do not fit one step of 16 tokens (chunked prefill)."""
    want, margin = eager(llama)
    assert margin > 1e-4  # float32's rounding does not choose the token
    tokens, report = vllm(llama, tmp_path / "report.json", gpu, **options)
    assert tokens == want
    chunks = [range for range in report["ranges"] if range["name"].startswith("prefill")]
    assert (len(chunks) > 1) == bool(options)


def test_each_kernel_of_a_decode_step_is_predicted(llama, tmp_path):
    _, report = vllm(llama, tmp_path / "report.json", "mi300x")
    decode = [range for range in report["ranges"] if re.fullmatch(r"decode of 3 requests, context up to 32", range["name"])]
    assert len(decode) == 1 and decode[0]["times"] == NEW_TOKENS - 1
    kernels = [kernel for kernel in report["kernels"] if kernel["range"] == decode[0]["name"]]
    assert all(kernel["prediction"]["seconds"] > 0 for kernel in kernels)
    assert decode[0]["seconds"] == pytest.approx(sum(kernel["verdict"]["seconds"] for kernel in kernels))
    launches = {kernel["name"]: kernel["launches"] for kernel in kernels}
    # Once a layer and step.
    for name in ["reshape_and_cache_kernel_flash", "kernel_unified_attention"]:
        assert launches[name] == 2 * decode[0]["times"], launches
