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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.rankers.sparse.mentions.lexicon_files import (
    GenderCounts,
    parse_counts,
    parse_senses,
    parse_shipped,
    parse_words,
    read_text,
)

VARIABLE = "CORELAX_LEXICONS"
SHIPPED, NOTHING = "shipped", "none"
ANIMATE, INANIMATE, UNKNOWN = "ANIMATE", "INANIMATE", "UNKNOWN"

_TABLES = Path(__file__).with_name("data") / "words.txt.gz"
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
    sections = parse_shipped(read_text(_TABLES))
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
        counts = parse_counts(read_text(path), str(path), header=_ORIGINAL not in files)
    animate, inanimate = (
        parse_words(read_text(files[name]), str(files[name])) if name in files else frozenset()
        for name in (_ANIMATE, _INANIMATE)
    )
    lemmas = not animate and not inanimate and _SENSES in files
    if lemmas:
        animate, inanimate = parse_senses(read_text(files[_SENSES]), str(files[_SENSES]))
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
