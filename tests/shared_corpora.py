"""Corpora and word lists that some tests read, where the environment says that they lie."""

from __future__ import annotations

import os
from pathlib import Path

ABSENT = Path("not-given")  # no such folder
DATA = Path(os.environ.get("CORELAX_DATA", ABSENT))
# Taken out of the environment: other tests must find the shipped tables whatever is set outside.
LEXICONS = Path(os.environ.pop("CORELAX_LEXICONS", ABSENT))
