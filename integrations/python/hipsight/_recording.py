"""Profiles that are open in this process. Launches join them; hipsight.profile opens them."""

from __future__ import annotations

import contextlib
import contextvars
import os
import threading
from collections.abc import Iterator

_lock = threading.Lock()
_open = []  # the innermost last


_range: contextvars.ContextVar[str] = contextvars.ContextVar("hipsight_range", default="")


def current_range() -> str:
    """Where in the program this thread is."""
    return _range.get()


@contextlib.contextmanager
def range(name: str) -> Iterator[None]:
    """Names a stretch of the program: profiles tell which launches of this thread were made in it.

        with hipsight.range("prefill"):
            model(tokens)

    Inside another range the name follows that one's: "step / prefill".
    """
    token = enter(f"{_range.get()} / {name}" if _range.get() else name)
    try:
        yield
    finally:
        leave(token)


def enter(name: str) -> contextvars.Token[str]:
    """From now on this thread is there, whatever it was in; `leave` takes what this gives."""
    return _range.set(name)


def leave(token: contextvars.Token[str]) -> None:
    _range.reset(token)


def begin(profile):
    with _lock:
        _open.append(profile)


def end(profile):
    with _lock:
        if profile in _open:  # not in a process that was forked inside
            _open.remove(profile)


def default_gpu():
    """The GPU of the innermost profile that names one: of calls inside that name none."""
    with _lock:
        return next((one.gpu for one in reversed(_open) if one.gpu is not None), None)


def join(gpu):
    """Before a launch on a GPU: all open profiles collect it."""
    with _lock:
        for profile in _open:
            profile._collect(gpu)


def _forget():
    """In a process that was forked: its launches are not those of the process that opened the profiles."""
    global _lock
    _lock = threading.Lock()
    _open.clear()


os.register_at_fork(after_in_child=_forget)
