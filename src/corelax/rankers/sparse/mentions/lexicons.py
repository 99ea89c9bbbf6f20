"""Word lists for gender, number and animacy: where they come from, and how a mention is looked up.

Counts are those of Bergsma and Lin (2006): how often a phrase was seen as masculine, feminine, neuter or
plural. Animacy is two lists of words. The package ships small tables of its own (`data/README.md`); a
folder with fuller lists takes their place:

| file, gzipped or not | holds |
|---|---|
| `gender.data`, else `bergsma_lin_gender.tsv` | counts; the second has a header line |
| `animate.unigrams.txt`, `inanimate.unigrams.txt` | words, one a line |
| `wordnet_animacy.tsv`, without those two | lemmas and the class of their first sense |
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from corelax.core.errors import CorelaxError, FormatError
from corelax.core.files import open_text

VARIABLE = "CORELAX_LEXICONS"
SHIPPED, NOTHING = "shipped", "none"
ANIMATE, INANIMATE, UNKNOWN = "ANIMATE", "INANIMATE", "UNKNOWN"

_TABLES = Path(__file__).with_name("data") / "words.txt.gz"
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


_SHIPPED_COUNTS = {  # a member of a class counts as having been seen ten times, always as that
    "masculine": GenderCounts(10, 0, 0, 0),
    "feminine": GenderCounts(0, 10, 0, 0),
    "neuter": GenderCounts(0, 0, 10, 0),
    "plural": GenderCounts(0, 0, 0, 10),
}
_ORIGINAL, _COUNTS, _SENSES = "gender.data", "bergsma_lin_gender.tsv", "wordnet_animacy.tsv"
_ANIMATE, _INANIMATE = "animate.unigrams.txt", "inanimate.unigrams.txt"
_FILES = (_ORIGINAL, _COUNTS, _ANIMATE, _INANIMATE, _SENSES)
_NEVER_SEEN = GenderCounts(0, 0, 0, 0)
_DIGITS = re.compile("[0-9]+")
# Endings of English plurals, as WordNet takes them off, and what stands there in the singular.
_ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Lexicons:
    """What is known of words and phrases before any document is read.

    Attributes:
        counts: Phrase → counts. Words are joined by one blank, lower case, with `#` for digits.
        animate: Words for people (and animals, if the lists say so).
        inanimate: Words for everything else.
        name: Where the lists come from, for people.
        digest: Hash of the files' bytes, for cache keys.
        own_lists: Whether the animacy lists are lower-case lemmas of nouns. Heads can then be reduced to such
            before they are looked up.
        irregular: Plural → singular, where endings do not tell (`children`, `child`).
    """

    counts: Mapping[str, GenderCounts]
    animate: frozenset[str]
    inanimate: frozenset[str]
    name: str
    digest: str
    own_lists: bool
    irregular: Mapping[str, str] = field(default_factory=dict)

    def counts_of(self, words: Sequence[str], head: str) -> GenderCounts:
        """Counts of the whole phrase, or of its head where the phrase was never seen."""
        counts = self.counts.get(" ".join(map(normalise, words)), _NEVER_SEEN)
        return counts if any(counts) else self.count_of_word(head)

    def count_of_word(self, word: str) -> GenderCounts:
        return self.counts.get(normalise(word), _NEVER_SEEN)

    def animacy(self, head: str, *, as_written: bool = False) -> str:
        """`ANIMATE`, `INANIMATE` or `UNKNOWN`; heads are reduced to lemmas if the lists are of lemmas."""
        for word in (head,) if as_written or not self.own_lists else self._lemmas(head.lower()):
            if word in self.animate:
                return ANIMATE
            if word in self.inanimate:
                return INANIMATE
        return UNKNOWN

    def _lemmas(self, word: str) -> Iterator[str]:
        yield word
        if word in self.irregular:
            yield self.irregular[word]
        if len(word) > 2 and not word.endswith("ss"):
            for plural, singular in _ENDINGS:
                if word.endswith(plural):
                    yield word.removesuffix(plural) + singular


EMPTY = Lexicons(
    counts={},
    animate=frozenset(),
    inanimate=frozenset(),
    name="no lists",
    digest=hashlib.sha256().hexdigest(),
    own_lists=False,
)


def normalise(word: str) -> str:
    """A word as the counts have it."""
    return _DIGITS.sub("#", word.lower())


def load_lexicons(folder: str | os.PathLike[str] | None = None) -> Lexicons:
    """The word lists of a folder, read once in a process.

    Args:
        folder: Where they lie; `"shipped"` for the package's own tables, `"none"` for no lists at all. If not
            given: what the variable `CORELAX_LEXICONS` says in the same words, else the shipped tables.

    >>> load_lexicons("shipped").count_of_word("Mary").feminine
    10
    """
    folder = folder or os.environ.get(VARIABLE) or SHIPPED
    if folder == NOTHING:
        return EMPTY
    return _shipped() if folder == SHIPPED else _from_folder(Path(folder).resolve())


def lexicons_of(digest: str, model: str | os.PathLike[str]) -> Lexicons:
    """The word lists that a model was trained with, whatever lists are set up now.

    Args:
        digest: The digest of its lists; empty where it is not known.
        model: The model, for the error.

    >>> lexicons_of(load_lexicons("shipped").digest, "runs/lea").name
    'shipped tables'
    """
    if not digest:
        return load_lexicons()
    for name in (SHIPPED, NOTHING, None):  # the lists of a folder may be large, so they come last
        lexicons = load_lexicons(name)
        if lexicons.digest == digest:
            return lexicons
    raise CorelaxError(
        f"{os.fspath(model)}: was trained with other word lists than these ({lexicons.name}); set {VARIABLE} "
        "to the folder that it was trained with"
    )


@lru_cache(maxsize=1)
def _shipped() -> Lexicons:
    sections = _parse_shipped(_read_text(_TABLES))
    counts: dict[str, GenderCounts] = {}
    for name, seen in _SHIPPED_COUNTS.items():
        counts.update(dict.fromkeys(sections[name], seen))
    return Lexicons(
        counts=counts,
        animate=frozenset(sections["animate"]),
        inanimate=frozenset(sections["inanimate"]),
        irregular=dict(line.split(" ") for line in sections["irregular"]),
        name="shipped tables",
        digest=_digest(_TABLES),
        own_lists=True,
    )


@lru_cache(maxsize=4)
def _from_folder(folder: Path) -> Lexicons:
    if not folder.is_dir():
        raise CorelaxError(f"{folder}: no such folder of word lists")
    places = [(name, folder / file) for name in _FILES for file in (f"{name}.gz", name)]
    found = {name: path for name, path in places if path.is_file()}
    files = {name: found[name] for name in _FILES if name in found}
    if not files:
        raise CorelaxError(f"{folder}: no word lists here; looked for {', '.join(_FILES)}")

    counts: Mapping[str, GenderCounts] = {}
    if path := files.get(_ORIGINAL) or files.get(_COUNTS):
        counts = _parse_counts(_read_text(path), str(path), header=_ORIGINAL not in files)
    animate, inanimate = (
        _parse_words(_read_text(files[name]), str(files[name])) if name in files else frozenset()
        for name in (_ANIMATE, _INANIMATE)
    )
    lemmas = not animate and not inanimate and _SENSES in files
    if lemmas:
        animate, inanimate = _parse_senses(_read_text(files[_SENSES]), str(files[_SENSES]))
    return Lexicons(
        counts=counts,
        animate=animate,
        inanimate=inanimate,
        name=folder.name,
        digest=_digest(*files.values()),
        own_lists=lemmas,
        irregular=_shipped().irregular if lemmas else {},
    )


def _digest(*paths: Path) -> str:
    """A hash of the names and the bytes of files."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.name} {path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _read_text(path: Path) -> str:
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


# Parsers take the text of a file and the name that error messages give it. Rows are matched by one regular
# expression over the whole text, and counts stay text until they are asked for: a table of 315,000 phrases is
# ready in a fifth of a second.


def _parse_counts(text: str, path: str, *, header: bool) -> Mapping[str, GenderCounts]:
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


def _parse_senses(text: str, path: str) -> tuple[frozenset[str], frozenset[str]]:
    """Animate and inanimate lemmas from rows `lemma<TAB>class of its first sense<TAB>…`.

    People and animals are animate, all other classes are not. Lemmas of several words (`_`) are left out:
    heads are single words.
    """
    rows = _rows(_SENSE_ROW, text, path, "expected a lemma, a tab and a class", header=True)
    words = [(lemma, sense in _LIVING) for lemma, sense in rows if "_" not in lemma]
    animate = frozenset(lemma for lemma, is_living in words if is_living)
    return animate, frozenset(lemma for lemma, _ in words) - animate


def _parse_words(text: str, path: str) -> frozenset[str]:
    """One word a line, as it is written; empty lines do not matter."""
    return frozenset(_rows(_WORD_ROW, text, path, "expected one word a line")) - {""}


def _parse_shipped(text: str) -> dict[str, list[str]]:
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
