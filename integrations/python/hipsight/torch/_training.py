"""hipsight.torch.training: how long a training step of a language model takes on many GPUs, and how to share it."""

from __future__ import annotations

import math
import os
import pathlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from .._error import Error, usage
from .._gpu import Gpu
from .._shown import aligned, seconds_in_words
from . import _chakra
from ._decoders import Decoder
from ._operators import Operators
from ._serving import FREE, StepTime, step_times
from ._steps import Step, Steps, on_meta

VALUE = 2
"""Bytes of a weight, a gradient or an activation: bf16."""
STATE_BYTES = 12
"""AdamW's of each weight: a copy, and two moments, in 32 bits."""
BETWEEN_NODES = 50.0
"""GB/s of a GPU to other nodes: one 400 Gb/s port each, as in AMD's and Supermicro's nodes of eight MI300X."""


@dataclass(frozen=True)
class Sharing:
    """How GPUs share a training step."""

    data: int
    """Copies of the model, each with its part of the batch."""
    tensor: int
    """GPUs that share each layer."""
    pipeline: int
    """Groups of these, each with its part of the layers."""
    micro_batch: int
    """Sequences that go through a layer at a time."""
    recompute: bool = False
    """Activations are computed again for the backward pass, instead of kept."""

    @property
    def gpus(self) -> int:
        return self.data * self.tensor * self.pipeline

    def __str__(self) -> str:
        return (f"{self.data} copies x {self.pipeline} stages x {self.tensor} GPUs, {self.micro_batch} sequences at a time" +
                (", recomputed" if self.recompute else ""))


@dataclass(frozen=True)
class TrainingTime:
    """A training step."""

    sharing: Sharing
    seconds: float
    tokens_per_second: float
    utilization: float
    """Products that the model needs (6 for each weight and token, and attention's), of what the matrix units could do."""
    memory_bytes: int
    """On the fullest GPU: weights, gradients, the optimizer's state, activations."""
    parts: Mapping[str, float]
    """Seconds: "forward", "backward", "recompute", "idle" (stages that wait), "between stages", "gradients" (what of their
    exchange the backward pass does not hide), "optimizer"."""
    steps: tuple[StepTime, ...]
    """Of one micro-batch through one layer, forward and backward, the longest first."""

    def __str__(self) -> str:
        lines = [f"{self.sharing}: {seconds_in_words(self.seconds)} a step, {self.tokens_per_second:.0f} tokens/s, "
                 f"{self.utilization:.0%} of the matrix units, {self.memory_bytes / 1e9:.0f} GB a GPU"]
        rows = [["time", "share", "part"]] + [[seconds_in_words(seconds), f"{seconds / self.seconds:.0%}", name]
                                              for name, seconds in self.parts.items() if seconds]
        rows_of_layer = [["time", "share", "bound", "of a layer and a micro-batch"]]
        rows_of_layer += [[seconds_in_words(one.seconds), f"{one.share:.0%}", one.bound.split(":")[0], one.name]
                          for one in self.steps]
        return "\n".join(lines + aligned(rows, 2) + aligned(rows_of_layer, 2))


class Training:
    """A model that is trained on GPUs of one kind, in bf16 with AdamW."""

    def __init__(self, model: Decoder, operators: Operators, sequence: int, batch: int, between_nodes: float,
                 node: int):
        self.model, self._operators, self.gpu = model, operators, operators.gpu.facts
        self.sequence, self.batch, self.between_nodes, self.node = sequence, batch, between_nodes, node

    def _layer(self, sharing: Sharing) -> tuple[list[Step], list[Step]]:
        """What a layer does with a micro-batch: forward and backward."""
        of = Steps(self.model, sharing.tensor, "bf16", "bf16", None)
        rows = sharing.micro_batch * self.sequence
        forward = [step for step in of.of(sharing.micro_batch, self.sequence, self.sequence)
                   if step.name not in ("embedding", "norm", "store in cache", "words")]
        backward = []
        for step in forward:
            if step.operation == "gemm":
                a, b = step.arguments
                gradient = on_meta(rows, b.shape[1], dtype=a.dtype)
                backward += [Step(f"{step.name}: of inputs", step.times, "gemm", (gradient, b.mT)),
                             Step(f"{step.name}: of weights", step.times, "gemm", (a.mT, gradient))]
            elif step.operation == "attention":
                q, k, v = step.arguments
                sums = on_meta(*q.shape[:3], dtype=torch.float32)
                backward.append(Step("attention: backward", step.times, "attention_backward", (q, q, k, v, q, sums),
                                     step.keywords))
            elif step.operation == "rope" or step.all_reduce:
                backward.append(step)
            elif step.name == "norm of the sum":
                x, _, weight = step.arguments
                backward += [Step("norm: backward", step.times, "rms_norm_backward", (x, x, weight, 1e-6)),
                             # Of the sum: by the norm and directly.
                             Step("sum of gradients", step.times, moved=3 * x.numel() * VALUE)]
            else:  # the activation
                gate, up = step.arguments
                backward.append(Step(f"{step.name}: backward", step.times, "silu_mul_backward",
                                     (on_meta(*gate.shape, dtype=gate.dtype), gate, up)))
        return forward, backward

    def activation_bytes(self, sharing: Sharing) -> int:
        """Of a micro-batch, between layers."""
        return sharing.micro_batch * self.sequence * self.model.hidden * VALUE

    def gradient_bytes_of_layer(self, sharing: Sharing) -> int:
        """On a GPU."""
        return self.weights_of_layer * VALUE // sharing.tensor

    def parts_of_layer(self, sharing: Sharing) -> dict[str, tuple[float, float]]:
        """Seconds of a layer and a micro-batch, forward and backward, without the two all-reduces: up to the first one,
        and from there to the second."""
        forward, backward = self._layer(sharing)
        result = {}
        for name, steps in (("forward", forward), ("backward", backward)):
            times = {one.name: one.seconds for one in self._times([one for one in steps if not one.all_reduce], sharing)}
            norms = sum(times[one] for one in times if one.startswith(("norm", "sum of gradients"))) / 2
            attention = sum(times[one] for one in times if one.startswith(("queries", "rotate", "attention", "output")))
            products = sum(times.values()) - 2 * norms - attention
            ends = (norms + attention, norms + products)
            result[name] = ends if name == "forward" else ends[::-1]
        return result

    def chakra(self, sharing: Sharing, folder: str | os.PathLike) -> list[pathlib.Path]:
        """Writes a step as Chakra traces: training.RANK.et for each GPU, and groups.json, the ranks that reduce something
        together. Ranks count slices of a layer first, then copies, then stages."""
        self._check(sharing)
        return _chakra.write(self, sharing, folder)

    def _times(self, steps, sharing):
        return step_times(steps, self._operators, sharing.tensor, of=self.model.layers)

    def step(self, sharing: Sharing) -> TrainingTime:
        """One step of the optimizer."""
        self._check(sharing)
        model = self.model
        micro_batches = self.batch // (sharing.data * sharing.micro_batch)
        layers = model.layers // sharing.pipeline
        ahead, back = (self._times(steps, sharing) for steps in self._layer(sharing))
        forward, backward = (layers * sum(one.seconds for one in times) for times in (ahead, back))
        of_words = self.words_seconds(sharing)
        forward, backward = forward + of_words[0], backward + of_words[1]  # of the last stage, which is the slowest
        again = forward if sharing.recompute else 0.0
        stage = forward + backward + again
        idle = (sharing.pipeline - 1) * stage
        # Activations forward and gradients back, of each micro-batch.
        within = sharing.tensor * sharing.pipeline <= self.node
        handed = 2 * micro_batches * self._send(self.activation_bytes(sharing), within) if sharing.pipeline > 1 else 0.0
        of_gpu = self._weights(sharing)
        exchange = self._exchange(of_gpu * VALUE, sharing)
        # The last micro-batch's backward pass hides it.
        gradients = max(0.0, exchange - backward)
        optimizer = self.optimizer_seconds(sharing)
        parts = {"forward": micro_batches * forward, "backward": micro_batches * backward, "recompute": micro_batches * again,
                 "idle": idle, "between stages": handed, "gradients": gradients, "optimizer": optimizer}
        seconds = sum(parts.values())
        tokens = self.batch * self.sequence
        needed = 6 * tokens * (model.weights - model.vocabulary * model.hidden) + self._attention_products(tokens)
        merged = {}
        for one in (*ahead, *back):
            merged.setdefault(one.name, []).append(one)
        of_layer = sum(one.seconds for one in (*ahead, *back))
        steps = [StepTime(name, len(ones), sum(one.seconds for one in ones), sum(one.seconds for one in ones) / of_layer,
                          ones[0].bound, ones[0].kernel) for name, ones in merged.items()]
        return TrainingTime(sharing, seconds, tokens / seconds,
                            needed / (seconds * sharing.gpus * self.products_per_second), self.memory_bytes(sharing), parts,
                            tuple(sorted(steps, key=lambda one: -one.seconds)))

    def plan(self, gpus: int, micro_batches: Iterable[int] = (1, 2)) -> list[TrainingTime]:
        """Ways to share a step among so many GPUs whose memory suffices (90 % of it), the quickest first."""
        if gpus < 1:
            raise usage("plan", f"{gpus} GPUs: it takes one or more")
        found, why = [], ""
        for sharing in self.ways(gpus, micro_batches):
            try:
                found.append(self.step_that_fits(sharing))
            except Error as error:
                why = error.text
        if not found:
            raise usage("plan", f"no way to share a step of {self.model.name} among {gpus} {self.gpu.title} was found; the "
                        f"last one tried: {why}")
        return sorted(found, key=lambda one: one.seconds)

    def ways(self, gpus: int, micro_batches: Iterable[int] = (1, 2)) -> list[Sharing]:
        """All that a plan tries."""
        powers = [1 << i for i in range(gpus.bit_length())]
        return [Sharing(gpus // (tensor * pipeline), tensor, pipeline, micro_batch, recompute)
                for tensor in powers if tensor <= self.node for pipeline in powers if gpus % (tensor * pipeline) == 0
                for micro_batch in micro_batches for recompute in (False, True)]

    def step_that_fits(self, sharing: Sharing) -> TrainingTime:
        """One step. @raises Error if it does not fit the GPUs' memory."""
        bytes = self.memory_bytes(sharing)
        if bytes > FREE * self.gpu.dram_bytes:
            raise usage("plan", f"{bytes / 1e9:.0f} GB a GPU, for {sharing}")
        return self.step(sharing)

    def _check(self, sharing):
        model = self.model
        if model.layers % sharing.pipeline:
            raise usage("training", f"{model.name} has {model.layers} layers: {sharing.pipeline} stages cannot share them "
                        "evenly")
        if self.batch % (sharing.data * sharing.micro_batch):
            raise usage("training", f"a batch of {self.batch} sequences: {sharing.data} copies with {sharing.micro_batch} at "
                        "a time cannot share it evenly")
        if sharing.tensor > self.node:
            raise usage("training", f"{sharing.tensor} GPUs share a layer: a node has {self.node}")

    def _weights(self, sharing):
        """Of a GPU of the stage that has most: numbers."""
        model = self.model
        layers = model.layers // sharing.pipeline
        words = (2 if sharing.pipeline == 1 else 1) * model.vocabulary * model.hidden
        return (layers * self.weights_of_layer + words) // sharing.tensor

    @property
    def weights_of_layer(self) -> int:
        """Numbers."""
        return self.model.attention_weights + self.model.product_weights // self.model.layers

    def memory_bytes(self, sharing: Sharing) -> int:
        """Of the fullest GPU: weights, gradients, its part of the optimizer's state, and what is kept for the backward
        pass."""
        self._check(sharing)
        weights = self._weights(sharing)
        rows, layers = sharing.micro_batch * self.sequence, self.model.layers // sharing.pipeline
        return 4 * weights + weights * STATE_BYTES // sharing.data + self._activations(rows, layers, sharing)

    def _send(self, bytes, within_node):
        """Seconds, from one GPU to the next stage's."""
        nodes = {} if within_node else {"nodes": 2, "network_gb_per_s": self.between_nodes}
        return self._operators.gpu.collective("send", 2, bytes, **nodes).seconds

    def optimizer_seconds(self, sharing: Sharing) -> float:
        """AdamW of what a copy has of a GPU's weights, a layer's at once."""
        numbers, layers = self._weights(sharing), self.model.layers // sharing.pipeline
        of_layer = self.weights_of_layer // sharing.tensor

        def seconds(count):
            shares = on_meta(max(1, count // sharing.data), dtype=torch.bfloat16)
            state = [on_meta(*shares.shape, dtype=torch.float32) for _ in range(3)]
            of_step = dict(step=1, rate=1e-4, beta1=0.9, beta2=0.95, eps=1e-8, decay=0.1)
            return self._operators.time("adamw_", shares, shares, *state, *of_step.values()).seconds

        return layers * seconds(of_layer) + seconds(numbers - layers * of_layer)

    def words_seconds(self, sharing: Sharing) -> tuple[float, float]:
        """Of a micro-batch, forward and backward: the last GEMM with both gradients, and the loss; a third is forward."""
        model = self.model
        rows = sharing.micro_batch * self.sequence
        columns = model.vocabulary // sharing.tensor
        x, w, g = (on_meta(*shape, dtype=torch.bfloat16) for shape in ((rows, model.hidden), (columns, model.hidden),
                                                                    (rows, columns)))
        products = [self._operators.time("gemm", *pair).seconds for pair in ((x, w.mT), (g, w), (x.mT, g))]
        loss = self._operators.time("cross_entropy", g, on_meta(rows, dtype=torch.int64))
        seconds = sum(products) + loss.seconds
        return seconds / 3, seconds * 2 / 3

    def _exchange(self, bytes, sharing):
        """Of gradients and weights among the copies: as an all-reduce moves them. Copies of a slice fill a node."""
        if sharing.data == 1:
            return 0.0
        of_node = math.gcd(sharing.data, max(1, self.node // sharing.tensor))
        nodes = sharing.data // of_node
        return self._operators.gpu.collective("all_reduce", sharing.data, max(bytes, 1), nodes=nodes,
                                              network_gb_per_s=self.between_nodes if nodes > 1 else 0).seconds

    def _attention_products(self, tokens):
        """Operations of causal attention, forward and backward."""
        model = self.model
        return 3 * 2 * 2 * model.layers * tokens * self.sequence / 2 * model.heads * model.head

    def _activations(self, rows, layers, sharing):
        """Bytes that are kept for the backward pass: inputs of each operation, of as many micro-batches as there are
        stages (one forward, one backward)."""
        model, value = self.model, VALUE
        own, keys, inner = (count // sharing.tensor for count in (
            model.heads * model.head, model.kv_heads * model.head, model.intermediate))
        of_layer = rows * value * (5 * model.hidden + 2 * own + 2 * keys + 3 * inner)
        kept = rows * value * model.hidden if sharing.recompute else of_layer
        words = 2 * rows * model.vocabulary // sharing.tensor * value
        return sharing.pipeline * layers * kept + (of_layer if sharing.recompute else 0) + words

    @property
    def products_per_second(self) -> float:
        """Operations in bf16 that the matrix units could do."""
        return self.gpu.matrix_per_second.get("bf16", 0)


def training(model: Decoder | str | os.PathLike | Mapping[str, Any], gpu: Gpu | str = "mi300x", *,
             sequence: int = 4096, batch: int = 1024, between_nodes: float = BETWEEN_NODES, node: int = 8) -> Training:
    """How long training steps of a language model take on many GPUs, by the kernel library; nothing is computed.

        training = hipsight.torch.training("llama-3-70b", "mi300x", sequence=4096, batch=1024)
        print(training.step(hipsight.torch.Sharing(data=16, tensor=8, pipeline=2, micro_batch=1)))
        for one in training.plan(gpus=256)[:5]:
            print(one)

    model, gpu: as ``hipsight.torch.serving`` has them; mixtures of experts are refused.
    sequence, batch: tokens of a sequence, and sequences of a step.
    between_nodes: GB/s from a GPU to other nodes.
    node: GPUs of a node, which all have a link to each other.

    Weights and gradients are bf16, AdamW's state is in 32 bits and shared by the copies. Layers are shared as Megatron
    does; stages do one micro-batch forward and one back in turn.
    """
    decoder = Decoder.of(model)
    if decoder.experts:
        raise usage("training", f"{decoder.name}: a mixture of experts, whose exchange of tokens is not predicted")
    if decoder.latent:
        raise usage("training", f"{decoder.name}: multi-head latent attention, whose training is not planned yet")
    if sequence < 1 or batch < 1 or node < 1 or not between_nodes > 0:
        raise usage("training", f"sequence={sequence}, batch={batch}, node={node}, between_nodes={between_nodes}: they must be "
                    "positive")
    return Training(decoder, Operators(gpu), sequence, batch, between_nodes, node)
