"""Each hipsight command that a page shows exists, and has the options that stand there: docs_test.py COMMAND."""

import re
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = sys.argv.pop(1)
# Commands that the Python package adds, and their options.
OF_PYTHON = "".join((ROOT / "integrations/python/hipsight" / file).read_text() for file in ("__main__.py", "torch/_commands.py"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("integrations/*/README.md")]


def shown(page):
    """Lines of code that begin with the command: "    $ hipsight run ..."."""
    text = re.sub(r"\\\n\s*", " ", page.read_text())
    for line in text.splitlines():
        match = re.match(r" {4,}(?:\$ |- run: )?(?:\w+=\S+ )*(?:build/)?hipsight (.*)", line)
        if match and not match[1].startswith((":", "compare:", "tune:")):
            yield re.sub(r"\s+#.*", "", match[1])


def words_of(text):
    try:
        return shlex.split(text)
    except ValueError:  # a line that was cut off
        return text.split()


class Commands(unittest.TestCase):
    helps = {}

    def help_of(self, command):
        if f'"{command[0]}"' in OF_PYTHON:
            return set(re.findall(r'add_argument\("(--[a-z-]+)"', OF_PYTHON))
        if command not in self.helps:
            done = subprocess.run([COMMAND, *command, "--help"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"hipsight {' '.join(command)}: {done.stderr}")
            self.helps[command] = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", done.stdout))
        return self.helps[command]

    def test_are_there(self):
        seen = 0
        for page in PAGES:
            for text in shown(page):
                words = words_of(text)
                if not words or words[0].startswith("-") or not re.fullmatch(r"[a-z][a-z-]*", words[0]):
                    continue
                with self.subTest(page=page.name, command=text):
                    command = tuple(words[:2]) if words[0] == "kpi" else (words[0],)
                    known = self.help_of(command)
                    before = words[: words.index("--")] if "--" in words else words
                    for word in before:
                        name = word.split("=")[0]
                        if re.fullmatch(r"--?[a-z][a-z-]*", name):
                            self.assertIn(name, known)
                    seen += 1
        self.assertGreater(seen, 70)


if __name__ == "__main__":
    unittest.main()
