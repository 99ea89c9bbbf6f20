"""Reading word lists: counts by gender and number, lists of animate and inanimate words.

Every reader takes the text of a file and the name that error messages give it. Rows are matched by one
regular expression over the whole text, and counts stay text until somebody asks for them: a table of
315,000 phrases is ready in a fifth of a second.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from corelax.core.errors import FormatError
from corelax.core.files import open_text

_COUNTS_ROW = re.compile(r"^([^\t\n]+)\t([0-9]+(?:[\t ][0-9]+){3})[\t ]*\n", re.M)
_SENSE_ROW = re.compile(r"^([^\t\n]+)\t([^\t\n]+)(?:\t[^\n]*)?\n", re.M)
_WORD_ROW = re.compile(r"^([^\t\n]*)\n", re.M)
_LIVING = ("person", "animal")


class GenderCounts(NamedTuple):
    """How often a phrase was seen as masculine, feminine, neuter (all singular) and plural."""

    masculine: int
    feminine: int
    neuter: int
    plural: int


class CountTable(Mapping[str, GenderCounts]):
    """Phrase → counts, kept as the text of the file's row."""

    def __init__(self, rows: Mapping[str, str]) -> None:
        self._rows = rows

    def __getitem__(self, phrase: str) -> GenderCounts:
        return GenderCounts._make(map(int, self._rows[phrase].split()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def read_text(path: Path) -> str:
    """The text of a file, each of its lines with an end. Lines that are not UTF-8 are taken for Latin-1.

    The original `gender.data` has a few of those.
    """
    with open_text(path, encoding="latin-1") as file:
        raw = file.read().encode("latin-1")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\n".join(_decode(line) for line in raw.split(b"\n"))
    if not text.strip():
        raise FormatError("the word list is empty; copy it again, or leave it out", path=str(path))
    return text if text.endswith("\n") else text + "\n"


def _decode(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def parse_counts(text: str, path: str, *, header: bool) -> Mapping[str, GenderCounts]:
    """Rows `phrase<TAB>m f n p`, the numbers apart by blanks or tabs; a repeated phrase is summed.

    Only a first line is ever a header: phrases begin with `#` where they begin with a number.
    """
    rows = _rows(_COUNTS_ROW, text, path, "expected a phrase, a tab and four counts", header=header)
    table = dict(rows)
    if len(table) < len(rows):  # rare, so the usual case stays the fast one
        times = Counter(phrase for phrase, _ in rows)
        sums = {phrase: [0, 0, 0, 0] for phrase, count in times.items() if count > 1}
        for phrase, row in rows:
            if phrase in sums:
                pairs = zip(sums[phrase], row.split(), strict=True)
                sums[phrase] = [so_far + int(count) for so_far, count in pairs]
        table.update((phrase, " ".join(map(str, counts))) for phrase, counts in sums.items())
    return CountTable(table)


def parse_senses(text: str, path: str) -> tuple[frozenset[str], frozenset[str]]:
    """Animate and inanimate lemmas from rows `lemma<TAB>class of its first sense<TAB>…`.

    People and animals are animate, all other classes are not. Lemmas of several words (`_`) are left out:
    heads are single words.
    """
    rows = _rows(_SENSE_ROW, text, path, "expected a lemma, a tab and a class", header=True)
    words = [(lemma, sense in _LIVING) for lemma, sense in rows if "_" not in lemma]
    animate = frozenset(lemma for lemma, is_living in words if is_living)
    return animate, frozenset(lemma for lemma, _ in words) - animate


def parse_words(text: str, path: str) -> frozenset[str]:
    """One word a line, as it is written; empty lines do not matter."""
    return frozenset(_rows(_WORD_ROW, text, path, "expected one word a line")) - {""}


def parse_shipped(text: str) -> dict[str, list[str]]:
    """The sections of the shipped tables: `[name]`, then sorted words with shared beginnings left out.

    The first character of a line is how many characters it takes over from the word before, in base 36.
    """
    sections: dict[str, list[str]] = {}
    words: list[str] = []
    for line in text.splitlines():
        if line.startswith("["):
            words = sections[line[1:-1]] = []
            word = ""
        else:
            word = word[: int(line[0], 36)] + line[1:]
            words.append(word)
    return sections


def _rows(
    pattern: re.Pattern[str], text: str, path: str, wanted: str, *, header: bool = False
) -> list[Any]:
    """What the pattern's groups match in every line; the first line that does not match is an error."""
    start = text.find("\n") + 1 if header else 0
    rows = pattern.findall(text, start)
    if len(rows) < text.count("\n", start):
        lines = text[start:].split("\n")
        bad = next(i for i, line in enumerate(lines) if not pattern.fullmatch(line + "\n"))
        raise FormatError(
            f"{wanted}, not {lines[bad]!r}", path=path, line=bad + (2 if header else 1)
        )
    return rows
