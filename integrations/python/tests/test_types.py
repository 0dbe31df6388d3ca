"""The types that the package tells, by a type checker."""

import pathlib
import re

from mypy import api

PROGRAM = pathlib.Path(__file__).parent / "typed_program.py"


def test_a_typed_program(tmp_path):
    told, failed, _ = api.run(["--strict", "--no-error-summary", "--cache-dir", str(tmp_path), str(PROGRAM)])
    assert not failed
    found = {int(line) for line in re.findall(r"typed_program\.py:(\d+): error:", told)}
    wanted = {number for number, line in enumerate(PROGRAM.read_text().split("\n"), 1) if "# wrong:" in line}
    assert found == wanted and len(wanted) == 4, told
