"""Verbs around a pronoun that is replaced: *she's* becomes *Ann is*, *they are* becomes *Alex is*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corelax.english.verbs import AUXILIARIES, PERFECT, follows_had, is_participle, singular

_FULL = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will"}
_ADVERBS = frozenset(
    "not n't never always already also just still only even ever once often probably really so very too "
    "now then soon recently all both".split()
)
_PASSIVE = frozenset(
    "said known supposed expected believed thought allowed meant forced made bound".split()
)
_OBJECTS = frozenset(
    "a an the my your his her its our their him them me us it this that some".split()
)
_AGREE = frozenset("i you we they".split())


def verb_changes(
    words: Sequence[str], at: int, *, is_singular: bool, first: int
) -> Iterator[tuple[int, str]]:
    """Which words around a subject pronoun change when a name or description takes its place.

    Contractions are written out, as *Ann's here* would read like a possessive. Where *'s* may be *is* or
    *has* (*she's tired*, *she's arrived*) it stays. Frequent verbs get the form for one person or thing.

    Args:
        words: All words.
        at: The place of the pronoun.
        is_singular: Whether one person or thing takes its place.
        first: The first word of the sentence.

    Yields:
        The place of a word, and the new word.

    >>> def changed(text, at):
    ...     return list(verb_changes(text.split(), at, is_singular=True, first=0))
    >>> changed("she 's a doctor", 0), changed("it 's been sold", 0), changed("she 's tired", 0)
    ([(1, 'is')], [(1, 'has')], [])
    >>> changed("he 'd left", 0), changed("he 'd leave", 0)
    ([(1, 'had')], [(1, 'would')])
    >>> changed("They want it", 0), changed("Are they here", 1)
    ([(1, 'wants')], [(0, 'Is')])
    """
    if at + 1 == len(words):
        return
    pronoun, follows = words[at].lower(), words[at + 1].lower().replace("’", "'")
    agrees = is_singular and pronoun in _AGREE
    if follows == "'s":
        full = _is_or_has(*_next_verb(words, at + 2))
    elif follows == "'d":
        full = "had" if follows_had(_next_verb(words, at + 2)[0]) else "would"
    else:
        full = _FULL.get(follows)
        if pronoun == "i" and full == "am":
            full = "is" if is_singular else "are"
    if full is not None:
        yield at + 1, (singular(full) or full) if agrees else full
        return
    before = words[at - 1].lower() if at > first else ""
    if pronoun == "i" and "am" in {before, follows} and not is_singular:
        yield (at + 1 if follows == "am" else at - 1), "are"
    if not agrees or (pronoun == "i" and before in {"and", "or"}):
        return  # Ann and I are
    if before in AUXILIARIES:
        if (form := singular(before)) and follows not in AUXILIARIES:
            yield at - 1, form.capitalize() if words[at - 1][0].isupper() else form
        elif follows in AUXILIARIES and (form := singular(follows)):
            yield at + 1, form
    elif form := singular(words[at + 1]):
        yield at + 1, form


def _next_verb(words: Sequence[str], at: int) -> tuple[str, str]:
    """The word that decides, after adverbs, and the one after it."""
    for place, word in enumerate(words[at : at + 4], at):
        lower = word.lower()
        if lower not in _ADVERBS and not lower.endswith("ly"):
            return lower, words[place + 1].lower() if place + 1 < len(words) else ""
    return "", ""


def _is_or_has(word: str, follows: str) -> str | None:
    """What 's is before a word; None if it may be either: *she's tired*, *she's arrived*."""
    if word in PERFECT:
        return "has"
    if not is_participle(word) or follows in {"by", "of"} or (word in _PASSIVE and follows == "to"):
        return "is"
    return "has" if follows in _OBJECTS else None
