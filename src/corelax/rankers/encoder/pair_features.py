"""What is known of a pair of spans beside their vectors: where the two are, and who says them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

from corelax.english.words import PERSONS

DISTANCES = (0, 1, 2, 3, 4, 5, 8, 16, 32, 64)  # buckets of distances begin here
# Who says the two: nothing is known and both are narrated; one speaker; two speakers, turn after turn; two
# others. Without names of speakers: the same quote, two quotes, only this in a quote, only the earlier one.
VOICES = 8
NARRATED, ONE_SPEAKER, NEXT_TURN, TWO_SPEAKERS, ONE_QUOTE, TWO_QUOTES, THIS_QUOTED, THAT_QUOTED = (
    range(VOICES)
)
PERSON_PAIRS = len(PERSONS) ** 2
# Features of a pair, and how many values each has. What the two are and who says them go together: "I" and
# "you" of two speakers may be the same, "I" and "I" may not.
WHERE = {"sentences": len(DISTANCES), "spans": len(DISTANCES), "text": 2, "head": 2, "nested": 2}
WHO = {"person": len(PERSONS), "their_person": len(PERSONS), "voice": VOICES}


def feature_table(tables: Iterable[Any]) -> Any:
    """[code, hidden] the sums of the vectors of features, so that a pair takes one row.

    Args:
        tables: For each feature of `WHERE` its vectors, [value, hidden]; tensors or arrays.
    """
    return reduce(lambda table, rows: (table[:, None] + rows).reshape(-1, rows.shape[-1]), tables)
