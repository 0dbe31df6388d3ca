"""Chakra traces of a training step, a file for each GPU: network simulators (ASTRA-sim) replay them on networks of theirs.

The format is MLCommons' (github.com/mlcommons/chakra, schema/protobuf/et_def.proto): messages of Protocol Buffers, each
after its length. What a GPU computes has its predicted time; what GPUs send to each other has its bytes.
"""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .._error import usage

if TYPE_CHECKING:
    from ._training import Sharing, Training

VERSION = "0.0.4"
COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7
"""Of NodeType."""
ALL_REDUCE = 0
"""Of CollectiveCommType."""


# --- messages ------------------------------------------------------------------------------------

def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, value: int | str | bytes) -> bytes:
    """A field of a message: a whole number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


KINDS = {"is_cpu_op": 27, "comm_type": 9, "comm_size": 9, "comm_src": 7, "comm_dst": 7, "comm_tag": 7, "pg_name": 29}
"""The field of AttributeProto's value by an attribute's name: bool, int64, int32, string."""


class Trace:
    """What one GPU does."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []

    def add(self, name: str, kind: int, after: Iterable[int | None] = (), seconds: float = 0.0,
            **attributes: int | str) -> int:
        """A node, and its number. after: those that must have ended."""
        number = len(self.nodes)
        parents = b"".join(varint(one) for one in sorted({one for one in after if one is not None}))
        # Rounded to microseconds, the schema's unit; none takes no time.
        micros = max(1, round(seconds * 1e6)) if seconds else 0
        self.nodes.append(b"".join([
            field(1, number), field(2, name), field(3, kind), field(5, parents) if parents else b"",
            field(7, micros) if micros else b"",
            *(field(10, field(1, key) + field(KINDS[key], value))
              for key, value in {"is_cpu_op": 0, **attributes}.items())]))
        return number

    def write(self, file: pathlib.Path) -> None:
        with open(file, "wb") as out:
            for message in [field(1, VERSION), *self.nodes]:
                out.write(varint(len(message)) + message)


# --- a training step -----------------------------------------------------------------------------

class Groups:
    """Ranks that reduce something together, by number."""

    def __init__(self) -> None:
        self._names: dict[tuple[int, ...], str] = {}

    def of(self, ranks: Iterable[int]) -> str:
        return self._names.setdefault(tuple(ranks), str(len(self._names) + 1))

    def ranks(self) -> dict[str, list[int]]:
        return {name: list(ranks) for ranks, name in self._names.items()}


def order(stage: int, stages: int, micro_batches: int) -> list[tuple[bool, int]]:
    """Whether forward, and which micro-batch: some forward ones at first, then one forward and one back in turn."""
    ahead = min(stages - 1 - stage, micro_batches)
    result = [(True, i) for i in range(ahead)]
    for i in range(micro_batches - ahead):
        result += [(True, ahead + i), (False, i)]
    return result + [(False, i) for i in range(micro_batches - ahead, micro_batches)]


class Writer:
    def __init__(self, training: Training, sharing: Sharing):
        self._training, self._sharing = training, sharing
        self._parts = training.parts_of_layer(sharing)
        self._layers = training.model.layers // sharing.pipeline
        self._groups = Groups()
        self._activations = training.activation_bytes(sharing)
        self._words = training.words_seconds(sharing)
        self._optimizer = training.optimizer_seconds(sharing)

    def rank(self, stage: int, copy: int, slice: int) -> int:
        return (stage * self._sharing.data + copy) * self._sharing.tensor + slice

    def trace(self, stage: int, copy: int, slice: int) -> Trace:
        by, training, trace = self._sharing, self._training, Trace()
        micro_batches = training.batch // (by.data * by.micro_batch)
        of_layer = self._groups.of([self.rank(stage, copy, one) for one in range(by.tensor)]) if by.tensor > 1 else ""
        of_copies = self._groups.of([self.rank(stage, one, slice) for one in range(by.data)]) if by.data > 1 else ""
        last: int | None = None      # what it computed last
        received: int | None = None  # that it got last
        reduced: list[int] = []

        def through(name, parts, after):
            """A layer, with its all-reduces if other GPUs have slices of it."""
            for seconds in parts if of_layer else [sum(parts)]:
                after = trace.add(name, COMPUTE, [after], seconds)
                if of_layer:
                    after = trace.add("all-reduce", COLLECTIVE, [after], comm_type=ALL_REDUCE,
                                      comm_size=self._activations, pg_name=of_layer)
            return after

        def hand(to, tag):
            trace.add("send", SEND, [last], comm_src=self.rank(stage, copy, slice), comm_dst=self.rank(to, copy, slice),
                      comm_size=self._activations // by.tensor, comm_tag=tag)

        def get(of, tag):
            return trace.add("receive", RECEIVE, [received], comm_src=self.rank(of, copy, slice),
                             comm_dst=self.rank(stage, copy, slice), comm_size=self._activations // by.tensor, comm_tag=tag)

        is_last = stage == by.pipeline - 1
        for forward, number in order(stage, by.pipeline, micro_batches):
            if forward:
                if stage:
                    received = get(stage - 1, 2 * number)
                    last = trace.add("begin", COMPUTE, [last, received])
                for _ in range(self._layers):
                    last = through("forward", self._parts["forward"], last)
                if is_last:
                    last = trace.add("words", COMPUTE, [last], self._words[0])
                else:
                    hand(stage + 1, 2 * number)
                continue
            if is_last:
                last = trace.add("words: backward", COMPUTE, [last], self._words[1])
            else:
                received = get(stage + 1, 2 * number + 1)
                last = trace.add("begin", COMPUTE, [last, received])
            for _ in range(self._layers):
                if by.recompute:
                    last = through("forward again", self._parts["forward"], last)
                last = through("backward", self._parts["backward"], last)
                if of_copies and number == micro_batches - 1:
                    reduced.append(trace.add("gradients", COLLECTIVE, [last], comm_type=ALL_REDUCE,
                                             comm_size=training.gradient_bytes_of_layer(by), pg_name=of_copies))
            if stage:
                hand(stage - 1, 2 * number + 1)
        trace.add("optimizer", COMPUTE, [last, *reduced], self._optimizer)
        return trace

    def write(self, folder: pathlib.Path) -> list[pathlib.Path]:
        by, files = self._sharing, []
        for stage in range(by.pipeline):
            for copy in range(by.data):
                for slice in range(by.tensor):
                    files.append(folder / f"training.{self.rank(stage, copy, slice)}.et")
                    self.trace(stage, copy, slice).write(files[-1])
        groups = folder / "groups.json"
        groups.write_text(json.dumps(self._groups.ranks()), encoding="utf-8")
        return [*files, groups]


def write(training: Training, sharing: Sharing, folder: str | os.PathLike) -> list[pathlib.Path]:
    to = pathlib.Path(folder)
    try:
        to.mkdir(parents=True, exist_ok=True)
        return Writer(training, sharing).write(to)
    except OSError as error:
        raise usage("chakra", f"{folder} cannot be written: {error.strerror}") from None
