"""generate.py MODEL PROMPTS COUNTS OPTIONS: prints as many greedy tokens of each prompt as COUNTS says, in one line, as
JSON."""

import json
import os
import sys

os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"  # one process, one report

from vllm import LLM, SamplingParams

folder, prompts, counts, options = sys.argv[1], *map(json.loads, sys.argv[2:])
llm = LLM(folder, skip_tokenizer_init=True, enforce_eager=True, max_model_len=256, kv_cache_memory_bytes=1 << 24,
          **{"dtype": "float32", "max_num_seqs": 4} | options)
greedy = [SamplingParams(temperature=0, max_tokens=count, ignore_eos=True, detokenize=False) for count in counts]
answers = llm.generate([{"prompt_token_ids": prompt} for prompt in prompts], greedy, use_tqdm=False)
print(json.dumps([list(answer.outputs[0].token_ids) for answer in answers]))
