"""Each folder of src uses those before it only, in the order of CMakeLists.txt; CONTRIBUTING's picture has that order."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Layers(unittest.TestCase):
    def setUp(self):
        text = (ROOT / "CMakeLists.txt").read_text()
        self.order = re.search(r"foreach\(part (support [\w ]+)\)", text)[1].split()

    def test_nothing_is_included_from_further_down(self):
        seen = 0
        for file in ROOT.glob("src/**/*"):
            if file.suffix not in (".cpp", ".h"):
                continue
            part = file.relative_to(ROOT / "src").parts[0]
            if part not in self.order:
                continue  # programs and libraries of their own
            for used in re.findall(r'#include "(\w+)/', file.read_text()):
                if used in self.order:
                    seen += 1
                    self.assertLessEqual(self.order.index(used), self.order.index(part), f"{file} includes {used}/")
        self.assertGreater(seen, 1000)

    def test_the_picture_is_true(self):
        picture = re.search(r"    code object ─►.*?\n\n", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)[0]
        shown = re.findall(r"src/(\w+)", picture)
        self.assertGreater(len(shown), 6)
        self.assertEqual(shown, sorted(shown, key=self.order.index))

    def test_the_table_names_every_folder(self):
        named = set(re.findall(r"`src/(\w+)`", (ROOT / "CONTRIBUTING.md").read_text()))
        self.assertEqual({f.name for f in (ROOT / "src").iterdir() if f.is_dir()} - named, set())


if __name__ == "__main__":
    unittest.main()
