"""The commands of `python -m hipsight` that need torch: serve-report and plan."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from .._error import Error, usage
from .._shown import aligned, seconds_in_words
from ._decoders import NAMED, Decoder
from ._jobs import Helpers, helps
from ._plan import SIZES, Search, plan
from ._serving import serving
from ._steps import FORMATS, WEIGHTS
from ._training import BETWEEN_NODES, training


def numbers(text):
    return [number(one) for one in text.split(",")]


def number(text):
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def requests(text):
    concurrency, input, output = text.split(":")
    return number(concurrency), number(input), number(output)


def of_a_model(parser):
    parser.add_argument("model", help=f"{', '.join(NAMED)}, or a config.json of transformers")
    parser.add_argument("--gpu", default="mi300x", help="as `hipsight gpus` has it (mi300x)")
    parser.add_argument("--weights", choices=WEIGHTS, default="bf16", help="their format (bf16)")
    parser.add_argument("--cache", choices=FORMATS, help="of keys and values (that of the activations)")
    parser.add_argument("--json", metavar="FILE", help="write all figures there; - for stdout")
    parser.add_argument("--jobs", type=number, metavar="N", help="processes that predict (one a processor, 8 at most)")


def serve_report_parser():
    parser = argparse.ArgumentParser("hipsight serve-report", description="How long the prefill and the decode steps "
                                     "of a language model take, by operation, and what bounds them.")
    of_a_model(parser)
    parser.add_argument("--tensor-parallel", type=number, default=1, metavar="N", help="GPUs that share a layer (1)")
    parser.add_argument("--expert-parallel", action="store_true", help="each of them has whole experts, not slices of all")
    parser.add_argument("--batch", type=numbers, default=[1, 16, 64, 256], metavar="N,...", help="sequences (1,16,64,256)")
    parser.add_argument("--context", type=numbers, default=[1024, 8192], metavar="N,...",
                        help="tokens of each sequence (1024,8192)")
    parser.add_argument("--requests", type=requests, action="append", default=[], metavar="COUNT:IN:OUT",
                        help="tokens per second of so many requests at once; may be given again")
    return parser


def serve_report(asked):
    one = serving(asked.model, asked.gpu, tensor_parallel=asked.tensor_parallel,
                  expert_parallel=asked.expert_parallel, weights=asked.weights, cache=asked.cache)
    cases = [(batch, context, 1) for context in asked.context for batch in asked.batch
             if batch <= one.most_sequences(context)] + [(1, context, context) for context in asked.context]
    if helps([lambda case=case: one.forward(*case) for case in cases] +
             [lambda each=each: one.throughput(*each) for each in asked.requests]):
        return 0
    rows = [["batch", "context", "step", "tokens/s", "a sequence", "most of it"]]
    decodes, left = [], []
    for context in asked.context:
        for batch in asked.batch:
            if batch > (most := one.most_sequences(context)):
                left.append(f"left: batch {batch} of {context} tokens: the cache has room for {most}")
                continue
            step = one.forward(batch, context)
            decodes.append(step)
            rows.append([str(batch), str(context), seconds_in_words(step.seconds), f"{step.tokens_per_second:.0f}",
                         f"{1 / step.seconds:.0f}", most_of(step)])
    prefills = [one.forward(1, context, context) for context in asked.context]
    lines = [str(one), "", "decode", *aligned(rows, 5), *left, "", "prefill of one sequence"]
    lines += aligned([["tokens", "step", "tokens/s", "most of it"]] +
                     [[str(step.context), seconds_in_words(step.seconds), f"{step.tokens_per_second:.0f}", most_of(step)]
                      for step in prefills], 3)
    served = [one.throughput(*each) for each in asked.requests]
    if served:
        lines += ["", "requests at once"]
        lines += aligned([["count", "in", "out", "output tokens/s", "all tokens/s", "prefill", "decode"]] +
                         [[str(each.concurrency), str(each.input), str(each.output),
                           f"{each.output_tokens_per_second:.0f}", f"{each.tokens_per_second:.0f}",
                           seconds_in_words(each.prefill), seconds_in_words(each.decode)] for each in served], 7)
    if decodes:
        lines += ["", str(decodes[-1])]
    lines += ["", "mind: this is the GPUs' work alone, one operation after the other; schedulers, sampling and gaps "
              "come on top (docs/serving.md)"]
    figures = {"model": asdict(one.model), "gpu": one.gpu.name, "gpus": one.gpus, "weight_bytes": one.weight_bytes,
               "decode": [asdict(step) | {"seconds": step.seconds} for step in decodes],
               "prefill": [asdict(step) | {"seconds": step.seconds} for step in prefills],
               "requests": [asdict(each) | {"output_tokens_per_second": each.output_tokens_per_second,
                                            "tokens_per_second": each.tokens_per_second} for each in served]}
    write(asked.json, figures, lines)


def plan_parser():
    parser = argparse.ArgumentParser("hipsight plan", description="How many GPUs should share a language model, and how "
                                     "many requests they should serve at once.")
    of_a_model(parser)
    parser.add_argument("--gpus", type=number, default=8, metavar="N", help="all there are (8)")
    parser.add_argument("--input", type=number, default=1024, metavar="N", help="tokens of a prompt (1024)")
    parser.add_argument("--output", type=number, default=1024, metavar="N", help="tokens of an answer (1024)")
    parser.add_argument("--train", action="store_true", help="plan a training step, not serving")
    parser.add_argument("--sequence", type=number, default=4096, metavar="N", help="--train: tokens of a sequence (4096)")
    parser.add_argument("--batch", type=number, default=1024, metavar="N", help="--train: sequences of a step (1024)")
    parser.add_argument("--between-nodes", type=float, default=BETWEEN_NODES, metavar="GB/S",
                        help=f"--train: from a GPU to other nodes ({BETWEEN_NODES:g})")
    parser.add_argument("--chakra", metavar="FOLDER", help="--train: write the best way's Chakra traces there")
    parser.add_argument("--first-token", type=float, metavar="MS", help="the longest that a prompt may take")
    parser.add_argument("--per-token", type=float, metavar="MS", help="the longest from one token to the next")
    return parser


def plan_command(asked):
    if asked.train:
        return train_plan(asked)
    limits = {name: None if value is None else value / 1e3
              for name, value in (("first_token", asked.first_token), ("per_token", asked.per_token))}
    search = Search(Decoder.of(asked.model), asked.gpu, asked.gpus, asked.input, asked.output, asked.weights, asked.cache,
                    **limits)
    if helps([lambda way=way: list(search.choices(*way)) for way in search.ways(SIZES)]):
        return 0
    found = plan(asked.model, asked.gpu, gpus=asked.gpus, input=asked.input, output=asked.output,
                 weights=asked.weights, cache=asked.cache, **limits)
    write(asked.json, asdict(found), [str(found), "mind: this is the GPUs' work alone (docs/serving.md)"])
    return 0 if found.choices else 1


def train_plan(asked):
    step = training(asked.model, asked.gpu, sequence=asked.sequence, batch=asked.batch, between_nodes=asked.between_nodes)
    if helps([lambda way=way: step.step_that_fits(way) for way in step.ways(asked.gpus)]):
        return 0
    found = step.plan(asked.gpus)
    rows = [["step", "tokens/s", "a GPU", "utilization", "memory", "copies", "stages", "GPUs each", "at a time", ""]]
    for one in found[:12]:
        by = one.sharing
        rows.append([seconds_in_words(one.seconds), f"{one.tokens_per_second:.0f}",
                     f"{one.tokens_per_second / by.gpus:.0f}", f"{one.utilization:.0%}", f"{one.memory_bytes / 1e9:.0f} GB",
                     str(by.data), str(by.pipeline), str(by.tensor), str(by.micro_batch),
                     "recomputed" if by.recompute else ""])
    lines = [str(found[0]), "", *aligned(rows, 9), *([f"and {len(found) - 12} more"] if len(found) > 12 else []),
             "mind: this is the GPUs' work alone, and what of their exchange it does not hide (docs/serving.md)"]
    if asked.chakra:
        files = step.chakra(found[0].sharing, asked.chakra)
        lines.append(f"{len(files) - 1} traces and groups.json: {asked.chakra}")
    write(asked.json, [asdict(one) for one in found], lines)
    return 0


def most_of(step):
    one = step.steps[0]
    return f"{one.name}, {one.share:.0%}: {one.bound.split(':')[0]}"


def write(file, figures, lines):
    if file != "-":
        print("\n".join(lines))
    if file == "-":
        print(json.dumps(figures, indent=2))
    elif file:
        try:
            with open(file, "w", encoding="utf-8") as out:
                json.dump(figures, out, indent=2)
        except OSError as error:
            raise usage("json", f"{file} cannot be written: {error.strerror}") from None


COMMANDS = {"serve-report": (serve_report_parser, serve_report), "plan": (plan_parser, plan_command)}


def run(name, words):
    """The exit code."""
    parser, command = COMMANDS[name]
    try:
        asked = parser().parse_args(words)
        with Helpers(asked.jobs, [name, *words]):
            return command(asked) or 0
    except Error as error:
        print(f"hipsight {name}: {error.text}", file=sys.stderr)
        return 125
