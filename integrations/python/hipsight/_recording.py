"""Profiles that are open in this process. Launches join them; hipsight.profile opens them."""

import os
import threading

_lock = threading.Lock()
_open = []  # the innermost last


def begin(profile):
    with _lock:
        _open.append(profile)


def end(profile):
    with _lock:
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
