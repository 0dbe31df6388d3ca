"""A tiny Llama with random weights, made here, answers two prompts of token numbers.

hipsight run --gpu mi300x -- python serve.py              # attention by vLLM's Triton kernels
hipsight run --gpu mi300x -- python serve.py hipsight     # and linear layers, norms, ... by ours
mpirun -n 2 hipsight run --gpu mi300x -- python serve.py  # tensor parallel, a GPU for each process
"""

import os
import sys
import tempfile

os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")  # one process, one report

import transformers
from vllm import LLM, SamplingParams

PROMPTS = [list(range(5, 26)), [7, 1, 91, 33]]


def tiny_llama(folder):
    config = transformers.LlamaConfig(vocab_size=128, hidden_size=128, intermediate_size=256, num_hidden_layers=2,
                                      num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=256)
    transformers.set_seed(1)
    transformers.LlamaForCausalLM(config).save_pretrained(folder)


def main():
    with tempfile.TemporaryDirectory() as folder:
        tiny_llama(folder)
        ranks = int(os.environ.get("OMPI_COMM_WORLD_SIZE", 1))
        several = {"tensor_parallel_size": ranks, "distributed_executor_backend": "external_launcher"} if ranks > 1 else {}
        llm = LLM(folder, skip_tokenizer_init=True, dtype="float32", enforce_eager=True, max_model_len=256,
                  max_num_seqs=4, kv_cache_memory_bytes=1 << 24,
                  additional_config={"hipsight_operations": "hipsight" in sys.argv[1:]}, **several)
        greedy = SamplingParams(temperature=0, max_tokens=6, ignore_eos=True, detokenize=False)
        for answer in llm.generate([{"prompt_token_ids": prompt} for prompt in PROMPTS], greedy):
            print(answer.prompt_token_ids, "->", list(answer.outputs[0].token_ids))


if __name__ == "__main__":
    main()
