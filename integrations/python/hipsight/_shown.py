"""What values look like: in words, and in notebooks."""

from __future__ import annotations

import html


def seconds_in_words(seconds: float | None) -> str:
    if seconds is None:
        return ""
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def shortened(name: str, length: int) -> str:
    return name if len(name) <= length else name[:length - 3] + "..."


def aligned(rows: list[list[str]], right: int) -> list[str]:
    """As a table: the first columns to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(text.rjust(width) if i < right else text.ljust(width)
                      for i, (text, width) in enumerate(zip(row, widths))).rstrip() for row in rows]


def table(rows: list[list[str]]) -> str:
    """In HTML; the first row is its head."""
    head, *body = ["".join(f"<{cell}>{html.escape(text)}</{cell}>" for text in row)
                   for cell, row in zip(["th"] + ["td"] * len(rows), rows)]
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in (head, *body)) + "</table>"


def report(shown) -> str:
    """A report's page, in a frame, as its styles are those of a page."""
    page = html.escape(shown.to_html())
    return f'<iframe srcdoc="{page}" style="width: 100%; height: 40em; border: 0"></iframe>'


def _lines(prediction) -> list[list[str]]:
    error = prediction.error
    if error is None:
        trust = "UNVALIDATED: nothing like it was measured"
    else:
        most = "more" if error.seconds_at_most is None else seconds_in_words(error.seconds_at_most)
        trust = f"nine of ten measured times lie from {seconds_in_words(error.seconds_at_least)} to {most}"

    def shares(amounts):
        return ", ".join(f"{name} {share:.0%}" for name, share in list(amounts.items())[:3])

    return [["time", f"{seconds_in_words(prediction.seconds)}, {seconds_in_words(prediction.launch_seconds)} of it the "
             "launch"],
            ["bound", prediction.bound.sentence],
            ["busy", shares(prediction.busy)],
            ["waits for", shares(prediction.stalls)],
            ["mind", trust]]


def prediction_text(prediction) -> str:
    return "\n".join(f"{name:<9}  {text}" for name, text in _lines(prediction))


def prediction(prediction) -> str:
    return table([["prediction", ""], *_lines(prediction)])
