"""The page on reliability: every test that it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")


def test_every_test_that_the_page_names_exists():
    missing = []
    named = re.findall(r"`([\w/]+\.py)?::(test_\w+)`", PAGE)
    for row in PAGE.splitlines():
        file = "rankers/encoder/test_damaged_folders.py"
        for in_file, test in re.findall(r"`([\w/]+\.py)?::(test_\w+)`", row):
            file = in_file or file
            path = ROOT / "tests" / file
            if not path.exists() or not re.search(rf"def {test}\b", path.read_text("utf-8")):
                missing.append(f"{file}::{test}")
    assert named
    assert missing == []
