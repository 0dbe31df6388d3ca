"""hipsight.torch.model: how long a whole model takes on GPUs, module by module."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from .. import _recording
from .._error import usage
from .._gpu import Gpu, opened
from .._hipsight import GpuFacts, RecordedLaunch
from .._profile import profile, ranges_of
from .._shown import aligned, seconds_in_words, table
from ._replace import Replaced, replace
from ._stand_ins import StandIns


@dataclass(frozen=True)
class ModuleTime:
    """The launches that modules of one name made themselves, without those of modules in them."""

    name: str
    """As in named_modules(): "model.layers.0.mlp.up_proj"; in ``by_kind``: "model.layers.*.mlp.up_proj"."""
    modules: int
    launches: int
    seconds: float
    """Predicted."""
    share: float
    """Of the predicted time of all launches."""
    bound: str
    """What bounds most of that time."""


class ModelReport:
    """One forward pass of a model on one GPU."""

    gpu: GpuFacts
    replaced: Replaced
    """What of the model the kernel library computed, and what not."""
    rest: dict[str, int]
    """Torch's own operations, which no time is predicted for: how many of each."""
    rest_bytes: int
    """That these read and write."""
    profile: profile
    """All launches: kernels, pages, the trace."""

    def __init__(self, gpu: GpuFacts, replaced: Replaced, rest: dict[str, int], rest_bytes: int, of: profile,
                 launches: list[RecordedLaunch]):
        self.gpu, self.replaced, self.rest, self.rest_bytes, self.profile = gpu, replaced, rest, rest_bytes, of
        self.launches = launches

    @property
    def seconds(self) -> float:
        """Predicted, of all launches one after the other."""
        return sum(one.seconds for one in self.launches)

    def _times(self, group) -> list[ModuleTime]:
        modules = collections.defaultdict(set)
        for one in self.launches:
            modules[group(one.range)].add(one.range)
        times = [ModuleTime(one.name, len(modules[one.name]), one.launches, one.seconds, one.share, one.bound)
                 for one in ranges_of(self.gpu.name, [(group(one.range), one) for one in self.launches])]
        return sorted(times, key=lambda one: -one.seconds)

    @property
    def modules(self) -> list[ModuleTime]:
        """Each module, those that take the most time first."""
        return self._times(lambda name: name)

    @property
    def by_kind(self) -> list[ModuleTime]:
        """The modules at the same place of all layers together."""
        return self._times(lambda name: re.sub(r"(^|\.)\d+(?=\.|$)", r"\1*", name))

    @property
    def layers(self) -> list[ModuleTime]:
        """Layer by layer, each with all that is in it, such as "model.layers.0"; what is in none by its own name."""
        return self._times(lambda name: re.match(r"(.*?(?:^|\.)\d+)(?=\.|$)|.*", name).group())

    def _rows(self) -> list[list[str]]:
        rows = [["time", "share", "modules", "launches", "bound", "module"]]
        return rows + [[seconds_in_words(one.seconds), f"{one.share:.0%}", str(one.modules), str(one.launches),
                        one.bound.split(":")[0], one.name] for one in self.by_kind]

    def _notes(self) -> list[str]:
        notes = []
        saved = [(one.seconds * one.advice.gain, one) for one in self.profile.kernels if one.advice]
        for seconds, one in sorted(saved, key=lambda each: -each[0])[:3]:
            name = one.name.removeprefix("void ").split("<")[0].split("(")[0]
            notes.append(f"to try: {one.advice.change}, in {name}: -{seconds_in_words(seconds)}")
        if self.rest:
            most = sorted(self.rest.items(), key=lambda each: -each[1])
            least = seconds_in_words(self.rest_bytes / (self.gpu.dram_gb_per_s * 1e9))
            notes.append(f"not predicted: {self.rest_bytes / 1e6:.3g} MB (memory alone: {least}) of torch's own "
                         f"{', '.join(f'{name} ({count})' for name, count in most[:8])}"
                         f"{', ...' if len(most) > 8 else ''}")
        return notes + [f"left: {name}: {why}" for name, why in self.replaced.left.items()]

    def _heading(self) -> str:
        return f"{self.gpu.title}: {seconds_in_words(self.seconds)} predicted, {len(self.launches)} launches"

    def __str__(self) -> str:
        return "\n".join([self._heading(), *aligned(self._rows(), 4), *self._notes()])

    def _repr_html_(self) -> str:
        return table([[self._heading()]]) + table(self._rows()) + table([[""], *([one] for one in self._notes())])


CHOOSING = ("embedding", "gather", "index", "index_select")
"""Operations that read some of a tensor."""


class Rest(TorchDispatchMode):
    """Counts torch's own operations that read and make tensors."""

    def __init__(self):
        super().__init__()
        self.counts, self.bytes = collections.Counter(), 0

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        result = function(*arguments, **(keywords or {}))
        aliases = [one.alias_info for one in function._schema.returns]
        view = any(one is not None and not one.is_write for one in aliases)
        tensors = [one for one in tree_leaves((arguments, keywords)) if isinstance(one, torch.Tensor)]
        if function.namespace == "aten" and tensors and not view:
            name = function._schema.name.removeprefix("aten::").strip("_")
            self.counts[name] += 1
            made = [one for one in tree_leaves(result) if isinstance(one, torch.Tensor)]
            if name in CHOOSING:
                tensors = made  # it reads as much as it makes
            self.bytes += sum(one.numel() * one.element_size() for one in (*tensors, *made))
        return result


def model(model: nn.Module, *inputs: Any, gpus: Iterable[Gpu | str] = ("mi300x",), timing_only: bool | None = None,
          **keywords: Any) -> list[ModelReport]:
    """Runs a forward pass of a model on each GPU, and tells how long it would take, module by module.

        for report in hipsight.torch.model(llama, tokens, gpus=["mi300x", "mi355x"]):
            print(report)

        with torch.device("meta"):                                      # a model of any size, without its weights
            llama = transformers.AutoModelForCausalLM.from_config(config)
        print(hipsight.torch.model(llama, tokens.to("meta"))[0])

    model: its parameters are in the host's memory, or have no data (device "meta"). What the kernel library has
        operations for is computed by them while this runs (hipsight.torch.replace); then the model is as it was. What
        torch computes itself takes no time here: ``rest`` counts it.
    inputs, keywords: of its forward, which is called without gradients.
    gpus: names, or GPUs.
    timing_only: kernels compute no results, and each launch that differs is run only as far as its prediction needs;
        what the model does must not depend on results. Default: where parameters have no data. Mixtures without data
        choose each expert as often as another.
    """
    devices = {one.device.type for one in model.parameters()}
    if not devices <= {"cpu", "meta"}:
        raise usage("model", f"its parameters are on {', '.join(sorted(devices - {'cpu', 'meta'}))}: it takes a model in "
                    "the host's memory, or on meta")
    no_data = "meta" in devices
    if no_data and timing_only is False:
        raise usage("model", "its parameters are on meta: there is nothing to compute with, and timing_only is False")
    return [on_one(model, inputs, keywords, opened(gpu, True) if timing_only or no_data else gpu)
            for gpu in ([gpus] if isinstance(gpus, (str, Gpu)) else gpus)]


def on_one(model, inputs, keywords, gpu):
    replaced = replace(model)
    tokens, hooks = [], []
    root = type(model).__name__
    try:
        for name, module in model.named_modules():
            def enter(module, inputs, name=name or root):
                tokens.append(_recording.enter(name))

            def leave(module, inputs, output):
                _recording.leave(tokens.pop())

            hooks += [module.register_forward_pre_hook(enter),
                      module.register_forward_hook(leave, always_call=True)]
        with profile(gpu) as of, torch.no_grad(), StandIns(), Rest() as rest:
            model(*inputs, **keywords)
    finally:
        for hook in hooks:
            hook.remove()
        replaced.restore()
    return ModelReport(of.gpu.facts, replaced, dict(rest.counts), rest.bytes, of, of.launches)
