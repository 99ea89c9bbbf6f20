"""Where the corpora lie that some tests read."""

from __future__ import annotations

import os
from pathlib import Path

DATA = Path(os.environ.get("CORELAX_DATA", Path(__file__).parents[2] / "shared" / "data"))
