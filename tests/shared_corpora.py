"""Corpora and word lists that some tests read, where the environment says that they lie."""

from __future__ import annotations

import os
from pathlib import Path

ABSENT = Path("not-given")  # no such folder
DATA = Path(os.environ.get("CORELAX_DATA", ABSENT))
# Taken out of the environment: other tests must find the shipped tables whatever is set outside. Processes
# that are started later, those of pytest-xdist among them, find the folder under another name.
_KEPT = "CORELAX_TEST_LEXICONS"
os.environ.setdefault(_KEPT, os.environ.pop("CORELAX_LEXICONS", str(ABSENT)))
LEXICONS = Path(os.environ[_KEPT])
