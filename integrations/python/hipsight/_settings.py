"""Options: what a call says, else what the environment says, else the default (docs/configuration.md)."""

import os

from ._error import usage


def text(name, given, default, allowed=()):
    value = default if given is None and not (given := os.environ.get(_variable(name))) else given
    if allowed and value not in allowed:
        raise usage(name, f"{_told(name, given, value)}: it takes {', '.join(allowed[:-1])} or {allowed[-1]}")
    return value


def number(name, given, default, kind=float):
    value = text(name, given, default)
    try:
        return kind(value)
    except (TypeError, ValueError):
        what = "a whole number" if kind is int else "a number"
        raise usage(name, f"{_told(name, given, value)}: it takes {what}") from None


def flag(name, given):
    value = text(name, given, False)
    if value in (True, "1"):
        return True
    if value in (False, "0"):
        return False
    raise usage(name, f"{_told(name, given, value)}: it takes {'0 or 1' if given is None else 'True or False'}")


def _variable(name):
    return "HIPSIGHT_" + name.upper()


def _told(name, given, value):
    return f"{_variable(name)}={value}" if given is None else f"{name}={value!r}"
