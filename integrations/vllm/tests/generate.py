"""generate.py MODEL PROMPTS COUNT OPTIONS: prints COUNT greedy tokens of each prompt, in one line, as JSON."""

import json
import os
import sys

os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"  # one process, one report

from vllm import LLM, SamplingParams

folder, prompts, count, options = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
llm = LLM(folder, skip_tokenizer_init=True, dtype="float32", enforce_eager=True, max_model_len=256, max_num_seqs=4,
          kv_cache_memory_bytes=1 << 24, **options)
greedy = SamplingParams(temperature=0, max_tokens=count, ignore_eos=True, detokenize=False)
answers = llm.generate([{"prompt_token_ids": prompt} for prompt in prompts], greedy, use_tqdm=False)
print(json.dumps([list(answer.outputs[0].token_ids) for answer in answers]))
