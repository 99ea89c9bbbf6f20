"""English verbs: frequent forms, and how they change where a name takes the place of a pronoun.

*she's* becomes *Ann is*, *they are* becomes *Alex is*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corelax.english.pronouns import word_set

BE = word_set("be am is are was were been being become becomes became")
AUXILIARIES = BE | word_set(
    "have has had do does did can could will would shall should may might must ca wo sha"
)
# Frequent base forms. Those that are past tenses as well (cut, let, put, read) are left out.
BASE_FORMS = word_set("""
    accept achieve act add admit agree allow appear apply argue arrive ask avoid be become begin believe
    belong break breathe bring build buy call carry catch cause choose claim climb close collect come
    complain complete consider contain continue cook create cross cry dance deal decide deny depend describe
    deserve destroy develop die disappear discover do draw drink drive drop earn eat enjoy enter escape
    exist expect explain face fail fall feed feel fight fill find finish fly follow forget forgive gather
    get give go grow handle hang hate have hear help hide hold hope hurry imagine improve include intend
    invite join jump keep kill kneel know laugh lead learn leave lie lift like listen live look lose love
    make marry mean meet mention miss move need notice obey occur offer open own pass pay perform pick plan
    play prefer prepare pretend prevent promise prove provide pull push raise reach realise realize receive
    recognise recognize recover refuse relax remain remember remove repeat replace reply require rest return
    ride rise run save say see seem sell send serve settle shake share show sing sit sleep smile solve speak
    spend stand start stay steal stop study succeed suffer suggest support suppose swim take talk teach tell
    think throw touch travel try turn understand use visit wait wake walk want warn wash watch wear weep win
    wish wonder work worry write
    """)
# Participles that only "has" goes before; others may also follow "is": it's made of wood, she's made tea.
PERFECT = word_set(
    "been had got gotten become come slept begun run fallen risen arisen gone sat stood lain"
)
PARTICIPLES = PERFECT | word_set("""
    beaten bent bitten blown born borne bought bound bred broken brought built burnt caught chosen cut dealt
    done drawn driven drunk eaten fed felt fled flown forbidden forgiven forgotten fought found frozen given
    ground grown heard held hidden hit hung hurt kept known laid led left lent lit lost made meant met paid
    put read ridden rung said seen sent set sewn shaken shot shown shrunk shut sold spent spoken spread
    sprung stolen stuck stung struck sung sunk sworn swum taken taught thought thrown told torn understood
    woken won worn wound woven written
    """)
# Also base forms: what comes after "she'd" is then a wish as well as a past.
_BOTH = word_set("become come run cut hit hurt put read set shut spread")

_SINGULAR = {
    "am": "is",
    "are": "is",
    "were": "was",
    "have": "has",
    "do": "does",
    "'m": "is",
    "’m": "is",
}
# What contractions stand for, and words that tell which.
_FULL = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will"}
_ADVERBS = word_set(
    "not n't never always already also just still only even ever once often probably really so very too "
    "now then soon recently all both"
)
_PASSIVE = word_set("said known supposed expected believed thought allowed meant forced made bound")
_OBJECTS = word_set("a an the my your his her its our their him them me us it this that some")
_AGREE = word_set("i you we they")


def is_participle(word: str) -> bool:
    """Whether a word may be a past participle.

    >>> [is_participle(word) for word in ("gone", "walked", "red", "go")]
    [True, True, False, False]
    """
    return word in PARTICIPLES or (word.endswith("ed") and len(word) > 4)


def follows_had(word: str) -> bool:
    """Whether "'d" before a word is "had" and not "would".

    >>> follows_had("left"), follows_had("leave"), follows_had("come")
    (True, False, False)
    """
    return word in {"better", "best"} or (is_participle(word) and word not in _BOTH)


def singular(verb: str) -> str | None:
    """The form of a verb that goes with one person or thing; None if it stays or is not known.

    >>> [singular(verb) for verb in ("are", "Were", "try", "watch", "want", "said", "is")]
    ['is', 'Was', 'tries', 'watches', 'wants', None, None]
    """
    lower = verb.lower()
    form = _SINGULAR.get(lower)
    if form is None and lower in BASE_FORMS and lower != "be":
        if lower.endswith("y") and lower[-2] not in "aeiou":
            form = lower[:-1] + "ies"
        elif lower.endswith(("s", "sh", "ch", "x", "z", "o")):
            form = lower + "es"
        else:
            form = lower + "s"
    return form if form is None or verb[0].islower() else form.capitalize()


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
