"""What goes wrong."""

from ._hipsight import ErrorKind


class Error(RuntimeError):
    """What hipsight could not do, and why."""

    kind: ErrorKind
    """What kind of thing went wrong."""
    place: str
    """The file, kernel or argument that it is about; "": none."""
    text: str
    """The whole message: it names the thing and the place."""

    def __init__(self, kind: ErrorKind, place: str, text: str):
        super().__init__(text)
        self.kind, self.place, self.text = kind, place, text

    def __reduce__(self):
        return Error, (self.kind, self.place, self.text)


def usage(place: str, text: str) -> Error:
    return Error(ErrorKind.Usage, place, text)
