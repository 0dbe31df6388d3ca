"""What commands write as JSON is what docs/*.schema.json says: schema_test.py BUILD_FOLDER."""

import copy
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import jsonschema

DOCS = Path(__file__).resolve().parents[2] / "docs"
BUILD = Path(sys.argv.pop(1))
EXAMPLES, PROGRAMS = BUILD / "examples", BUILD / "tests/programs"


class Schema(unittest.TestCase):
    def written(self, *words, status=0):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "report.json"
            at = words.index("--") if "--" in words else len(words)
            command = [BUILD / "hipsight", *words[:at], "--json", file, *words[at:]]
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
            self.assertEqual(done.returncode, status, done.stderr)
            return json.loads(file.read_text())

    def check(self, name, value):
        schema = json.loads((DOCS / f"{name}.schema.json").read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        jsonschema.validate(value, schema)
        return schema

    def test_reports(self):
        for gpu in ("mi300x", "rx7900xtx"):
            run = ("--gpu", gpu, "--report", "none")
            for words in (
                ("profile", *run, "--what-if", "clock=1", "--", EXAMPLES / "sgemm"),
                ("profile", *run, "--what-if", "occupancy=99", "--", EXAMPLES / "flash_attention"),
                ("run", *run, "--fidelity", "--", EXAMPLES / "softmax"),
                ("run", *run, "--no-predict", "--kernel", "a", "--launch", "1", "--", EXAMPLES / "saxpy"),
                ("predict", *run, "--also", "mi210", "--", EXAMPLES / "saxpy"),
                ("timeline", *run, "--", EXAMPLES / "streams"),
            ):
                with self.subTest(words=words):
                    self.check("report", self.written(*words))

    def test_findings_and_failures(self):
        self.check("report", self.written("check", "--", PROGRAMS / "races", "sum", status=87))
        self.check("report", self.written("check", "--", PROGRAMS / "stray", "past_end", status=87))
        failed = self.written("run", "--strict", "--report", "none", "--", PROGRAMS / "stray", "past_end", status=86)
        self.assertTrue(failed["errors"])
        self.check("report", failed)

    def test_comparisons_and_configurations(self):
        both = PROGRAMS / "two_ways", PROGRAMS / "two_ways_tiled"
        self.check("compare", self.written("compare", "--", both[0], "--", both[1]))
        self.check("compare", self.written("compare", "--also", "rx7900xtx", "--", both[0]))
        self.check("tune", self.written("tune", "--set", "ROWS=8,99", "--", both[1], "{ROWS}"))

    def test_what_is_not_said_is_refused(self):
        report = self.written("run", "--report", "none", "--", EXAMPLES / "saxpy")
        schema = self.check("report", report)
        for change in (
            lambda r: r.update(more=1),
            lambda r: r.pop("caveat"),
            lambda r: r["kernels"][0].pop("verdict"),
            lambda r: r["kernels"][0]["resources"].update(vgprs="8"),
            lambda r: r["kernels"][0]["verdict"].update(share=2),
        ):
            wrong = copy.deepcopy(report)
            change(wrong)
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(wrong, schema)


if __name__ == "__main__":
    unittest.main()
