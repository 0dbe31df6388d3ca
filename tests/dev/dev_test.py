"""What ./dev test makes of its stages: a copy of the script in a small repository, with stand-ins for its tools."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DEV = Path(sys.argv.pop(1))

# Each stand-in notes how it was called, and fails if there is a file that says so.
NOTES = """#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
"""
CHECK = """! [ -e "$FAIL/$(basename "$0")" ]
"""
CMAKE = """
mkdir -p build/Testing/Temporary
echo '[' >build/compile_commands.json
for file in $(find src -name '*.cpp'); do
  echo "{\\"file\\": \\"$PWD/$file\\", \\"command\\": \\"c++\\"},"
done | sed '$ s/,$//' >>build/compile_commands.json
echo ']' >>build/compile_commands.json
[ "$1" = --build ] || exit 0
! [ -e "$FAIL/build" ]
"""
CTEST = """
sleep "${SLOW:-0}"
[ -e "$FAIL/ctest" ] || exit 0
echo "7:Gpus/Test.Adds/mi300x  # GetParam() = 16-byte object" >build/Testing/Temporary/LastTestsFailed.log
exit 8
"""


class DevTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.root, tools, self.fail = (self.folder / name for name in ("root", "tools", "fail"))
        for folder in (self.root / "src", tools, self.fail):
            folder.mkdir(parents=True)
        for name, does in {"cmake": CMAKE, "ctest": CTEST, "clang-tidy-22": CHECK, "clang-format-22": CHECK,
                           "mkdocs": CHECK, "doxygen": CHECK}.items():
            (tools / name).write_text(NOTES + does)
        (tools / "dpkg-query").write_text("#!/bin/sh\nshift 3\nfor p in \"$@\"; do echo \"$p installed\"; done\n")
        self.calls = self.folder / "calls"
        self.write("build/hipsight", "#!/bin/sh\n")
        self.write("build/triton-venv/recipe", re.search(r"triton-venv recipe=(\d+)", DEV.read_text())[1] + "\n")
        self.write("build/triton-venv/bin/python", NOTES + CHECK)
        self.write(".gitignore", "/build/\n")
        self.write(".clang-tidy", "")
        self.write("CMakeLists.txt", "")
        self.write("CMakePresets.json", "")
        shutil.copy(DEV, self.root / "dev")
        for name in ("a", "b", "c"):
            self.write(f"src/{name}.cpp", f'#include "{name}.h"\n')
            self.write(f"src/{name}.h", "")
        self.write("src/only.h", "")
        for page in set(re.findall(r"docs/[\w-]+\.md", DEV.read_text())):
            self.write(page, "")
        self.write("src/user.cpp", '#include "x/only.h"\n')
        for file in (*tools.iterdir(), self.root / "build/hipsight", self.root / "build/triton-venv/bin/python"):
            file.chmod(0o755)
        self.environment = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(self.folder), "HIPSIGHT_SDK": "/sdk",
                            "CALLS": str(self.calls), "FAIL": str(self.fail), "GIT_CONFIG_NOSYSTEM": "1"}
        self.git("init", "-q", "-b", "main")
        self.commit()
        self.write("src/a.cpp", '#include "a.h"\nint a;\n')
        self.commit()

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.root, check=True,
                       env=self.environment, stdout=subprocess.DEVNULL)

    def commit(self):
        self.git("add", ".")
        self.git("commit", "-q", "-m", "change")

    def dev(self, *words, **variables):
        self.calls.write_text("")
        done = subprocess.run(["./dev", *words], cwd=self.root, env=self.environment | variables, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout

    def linted(self):
        return sorted(line.split()[-1] for line in self.calls.read_text().splitlines() if line.startswith("clang-tidy"))

    def test_all_that_passes(self):
        code, text = self.dev("test")
        self.assertEqual(code, 0, text)
        for stage in ("setup", "format", "build", "tests", "triton", "frameworks", "vllm", "site", "lint"):
            self.assertRegex(text, rf"(?m)^{stage} +\d+ s +$")
        self.assertIn("all that ran passed", text)
        self.assertRegex(self.calls.read_text(), r"(?m)^python -m pytest .* integrations/python/tests integrations/rccl/tests --ignore .*/test_tensorflow.py$")

    def test_a_page_that_is_named_is_there(self):
        page = "docs/" + "nothing.md"  # apart: the script looks in here, too
        self.write("src/a.h", f"// {page}\n")
        code, text = self.dev("site")
        self.assertEqual(code, 1, text)
        self.assertIn(f"named, but no page: {page}", text)
        self.write(page, "")
        self.assertEqual(self.dev("site")[0], 0)

    def test_packages_out_of_reach_are_no_fault(self):
        (self.fail / "python").touch()
        code, text = self.dev("test")
        self.assertEqual(code, 0, text)
        self.assertIn("NOT RUN: frameworks: their packages cannot be installed", text[text.index("== summary"):])
        self.assertNotIn("-m pytest", self.calls.read_text())

    def test_findings_are_advice_for_people_and_faults_in_ci(self):
        for tool in ("clang-tidy-22", "clang-format-22"):
            (self.fail / tool).touch()
        code, text = self.dev("test")
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"(?m)^lint +\d+ s +findings")
        self.assertRegex(text, r"(?m)^format +\d+ s +findings")
        code, text = self.dev("test", CI="1")
        self.assertEqual(code, 1, text)
        self.assertIn("FAILED: format lint\n", text)
        self.assertIn("ctest ", self.calls.read_text())
        self.assertRegex(text, r"(?m)^triton +\d+ s +$")

    def test_a_failing_test_fails_and_is_named_at_the_end(self):
        (self.fail / "ctest").touch()
        code, text = self.dev("test")
        self.assertEqual(code, 1, text)
        end = text[text.index("== summary"):]
        self.assertIn("failed: Gpus/Test.Adds/mi300x\n", end)
        self.assertRegex(end, r"(?m)^lint +\d+ s +$")
        self.assertIn("FAILED: tests\n", end)

    def test_what_cannot_run_is_named(self):
        (self.fail / "build").touch()
        code, text = self.dev("test")
        self.assertEqual(code, 1, text)
        self.assertIn("tests    NOT RUN, since build failed", text)
        self.assertIn("triton   NOT RUN, since build failed", text)
        self.assertNotIn("ctest ", self.calls.read_text())
        self.assertEqual(self.linted(), ["src/a.cpp"])

    def test_budgets_count_in_ci_alone(self):
        script = (self.root / "dev").read_text()
        self.assertIn("\nminute=60 ", script)
        (self.root / "dev").write_text(script.replace("\nminute=60 ", "\nminute=0 "))
        code, text = self.dev("test", SLOW="2")
        self.assertEqual(code, 0, text)
        code, text = self.dev("test", SLOW="2", CI="1")
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"(?m)^tests +\d+ s +FAILED: past its budget of 25 min$")
        budgets = [int(line.split()[4]) for line in script.splitlines() if line.startswith("    after ") and
                   " stage " in line]
        self.assertLessEqual(sum(budgets), 75)

    def test_quick_says_what_it_leaves_out(self):
        (self.fail / "clang-tidy-22").touch()
        code, text = self.dev("test", "--quick")
        self.assertEqual(code, 0, text)
        end = text[text.index("== summary"):]
        for part in ("NOT RUN: fuzzers", "lint     NOT RUN", "format   NOT RUN", "triton   NOT RUN", "frameworks NOT RUN"):
            self.assertIn(part, end)
        self.assertRegex(self.calls.read_text(), r"(?m)^ctest .* -E \S")
        self.assertEqual(self.linted(), [])

    def test_lint_looks_at_what_has_changed(self):
        self.dev("lint", "--changed")
        self.assertEqual(self.linted(), ["src/a.cpp"])  # the last commit
        self.git("checkout", "-q", "-b", "mine")
        self.write("src/b.h", "int b();\n")
        self.commit()
        self.write("src/c.cpp", '#include "c.h"\nint c;\n')
        self.write("src/new.cpp", "int d;\n")
        self.write("src/only.h", "int e();\n")
        shutil.rmtree(self.root / "build/lint")
        (self.root / "build/compile_commands.json").unlink()
        self.dev("lint", "--changed")
        self.assertEqual(self.linted(), ["src/b.cpp", "src/c.cpp", "src/new.cpp", "src/user.cpp"])
        shutil.rmtree(self.root / "build/lint")
        self.dev("lint")
        self.assertEqual(len(self.linted()), 5)

    def test_lint_looks_at_each_of_the_sources_that_are_compiled_at_once(self):
        self.dev("build")
        commands = self.root / "build/compile_commands.json"
        names = sorted(one["file"] for one in json.loads(commands.read_text()))
        joined = self.root / "build/a.dir/Unity/unity_0_cxx.cxx"
        joined.parent.mkdir(parents=True)
        joined.write_text("".join(f'#include "{name}"\n' for name in names))
        commands.write_text(json.dumps([{"file": str(joined), "command": f"c++ -c {joined}"}]))
        self.dev("lint")
        self.assertEqual(self.linted(), sorted(os.path.relpath(name, self.root) for name in names))
        found = json.loads((self.root / "build/lint/compile_commands.json").read_text())
        self.assertEqual(sorted(one["command"] for one in found), [f"c++ -c {name}" for name in names])

    def test_without_history_lint_says_so(self):
        shutil.rmtree(self.root / ".git")
        code, text = self.dev("test", CI="1")
        self.assertEqual(code, 0, text)
        self.assertIn("NOT RUN: lint: there is no history", text[text.index("== summary"):])


if __name__ == "__main__":
    unittest.main()
