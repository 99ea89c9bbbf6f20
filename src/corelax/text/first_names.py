"""First names that tell whether somebody is a man or a woman.

Only names of which nearly all bearers are of one gender are listed (`data/first_names.txt` says where they
are from). Some are common surnames as well, such as *Nelson*: these tell it only before another name.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_FILE = Path(__file__).parent / "data" / "first_names.txt"
_NOT_ALONE = ", not alone"


def _read() -> dict[str, frozenset[str]]:
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    rows = (line.split(": ") for line in lines if not line.startswith("#"))
    return {name: frozenset(names.split()) for name, names in rows}


_LISTS = _read()
MALE_ALONE, FEMALE_ALONE = _LISTS["male"], _LISTS["female"]
MALE_NAMES = MALE_ALONE | _LISTS["male" + _NOT_ALONE]
FEMALE_NAMES = FEMALE_ALONE | _LISTS["female" + _NOT_ALONE]


def gender_of_name(words: Sequence[str]) -> str | None:
    """Says "male" or "female" if the words are a name that tells it.

    >>> gender_of_name(["Anna"]), gender_of_name(["Nelson", "Mandela"]), gender_of_name(["Nelson"])
    ('female', 'male', None)
    """
    if not words or not all(word[:1].isupper() for word in words):
        return None
    first = words[0].lower()
    male, female = (MALE_ALONE, FEMALE_ALONE) if len(words) == 1 else (MALE_NAMES, FEMALE_NAMES)
    if first in male:
        return "male"
    return "female" if first in female else None
