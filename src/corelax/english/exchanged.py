"""The same document in which men are women and women are men.

A ranker that has read both copies as often learns less from who usually does what. Words are exchanged one
for one, so the annotation stays as it is. Possessive and object form of *she* are both *her*: the part of
speech tells them apart, or what follows.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from corelax.document import Document
from corelax.english.pronouns import word_set

_PAIRS = """
he she|himself herself|man woman|men women|boy girl|boys girls|father mother|fathers mothers|dad mom
daddy mommy|papa mamma|son daughter|sons daughters|brother sister|brothers sisters|husband wife
husbands wives|uncle aunt|uncles aunts|nephew niece|nephews nieces|grandfather grandmother
grandpa grandma|grandson granddaughter|boyfriend girlfriend|bridegroom bride|widower widow|mr. mrs.
mr mrs|sir madam|lord lady|lords ladies|king queen|kings queens|prince princess|princes princesses
duke duchess|baron baroness|count countess|emperor empress|gentleman lady|gentlemen ladies|actor actress
actors actresses|waiter waitress|host hostess|steward stewardess|policeman policewoman
policemen policewomen|businessman businesswoman|spokesman spokeswoman|chairman chairwoman
congressman congresswoman|salesman saleswoman|fisherman fisherwoman|monk nun|monks nuns|wizard witch
god goddess|hero heroine|master mistress|landlord landlady|male female|males females|masculine feminine
guy gal|fellow lass|stepfather stepmother|stepson stepdaughter|godfather godmother|fiancé fiancée
schoolboy schoolgirl|lad lass
""".strip().replace("\n", "|")
_MALE_NAMES = """
Adam Alan Albert Alex Andrew Anthony Arthur Ben Brian Carl Charles Chris Daniel David Edward Eric Frank
Fred George Harry Henry Jack James John Joseph Kevin Leo Lewis Luke Mark Martin Matthew Max Michael Neil
Nicholas Oliver Oscar Paul Peter Philip Ralph Richard Robert Roger Samuel Simon Stephen Thomas Tim Tom
Victor Walter William Ahmed Carlos Diego Hiroshi Ivan José Kofi Mohammed Omar Pedro Rajesh Sergei Wei
Yusuf
""".split()
_FEMALE_NAMES = """
Alice Amy Anna Barbara Betty Carol Catherine Charlotte Clara Claire Diana Dorothy Elizabeth Ellen Emily
Emma Eva Florence Frances Grace Hannah Helen Irene Jane Janet Jennifer Joan Julia Karen Kate Laura Linda
Lisa Lucy Margaret Maria Martha Mary Nancy Olivia Patricia Rachel Rebecca Rose Ruth Sandra Sarah Sophie
Susan Teresa Victoria Wendy Aisha Ana Chiara Fatima Ingrid Lakshmi Mei Nadia Olga Priya Rosa Sana Yuki
Zainab
""".split()
_EXCHANGED = {"him": "her", "ms.": "mr.", "ms": "mr", "miss": "mr."}
for _one, _other in map(str.split, _PAIRS.split("|")):
    _EXCHANGED.setdefault(_one, _other)
    _EXCHANGED.setdefault(_other, _one)
_NAMES = {**dict.fromkeys(_MALE_NAMES, _FEMALE_NAMES), **dict.fromkeys(_FEMALE_NAMES, _MALE_NAMES)}
_TITLES = word_set("mr. mr mrs. mrs ms. ms miss sir lord lady king queen dr. dr prince princess")
_NOT_NOUNS = word_set("""
    . , ; : ! ? ) ” '' -- — and or but if that than then as at by for from in into of off on onto out over
    to up with again away back down when while where who because before after about like a an the this
    i you he she it we they be been is are was were will would can could not n't so too very well
    """)


def swapped(document: Document, seed: str = "") -> Document:
    """The document with men and women exchanged: pronouns, nouns, titles, first names.

    Args:
        document: Words, and perhaps the layer `pos`.
        seed: Decides the names, together with the key of the document.

    >>> words = "Her father saw her and he gave Mary his book .".split()
    >>> print(*swapped(Document.from_sentences("d", [words])).words[:7])
    His mother saw him and she gave
    """
    rng = random.Random(f"{seed} {document.key}")
    words, tags = document.words, document.layer("pos")
    names = _new_names(words, rng)
    changed = []
    for at, word in enumerate(words):
        lower = word.lower()
        if lower == "her":
            following = words[at + 1].lower() if at + 1 < len(words) else "."
            new = "his" if _is_possessive(tags[at], following) else "him"
        elif lower in ("his", "hers"):
            is_noun_next = at + 1 < len(words) and words[at + 1].lower() not in _NOT_NOUNS
            new = "his" if lower == "hers" else "her" if is_noun_next else "hers"
        else:
            new = names.get(word) or _EXCHANGED.get(lower, lower)
            if new == lower:
                new = word
        changed.append(_cased(new, word))
    return replace(document, words=tuple(changed))


def _is_possessive(tag: str | None, following: str) -> bool:
    if tag and tag != "-":
        return tag.endswith("$")
    return following not in _NOT_NOUNS


def _new_names(words: Sequence[str], rng: random.Random) -> dict[str, str]:
    """A name of the other gender for each first name that never stands behind another name or a title."""
    behind = {
        word
        for before, word in pairwise(words)
        if word in _NAMES and (before in _NAMES or before.lower() in _TITLES or before.istitle())
    }
    present = [word for word in dict.fromkeys(words) if word in _NAMES and word not in behind]
    taken = set(words)
    new: dict[str, str] = {}
    for name in present:
        free = [other for other in _NAMES[name] if other not in taken]
        if free:
            new[name] = rng.choice(free)
            taken.add(new[name])
    return new


def _cased(word: str, like: str) -> str:
    """A word with the capitals of another.

    >>> _cased("she", "He"), _cased("she", "HE"), _cased("Mary", "John")
    ('She', 'SHE', 'Mary')
    """
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word
