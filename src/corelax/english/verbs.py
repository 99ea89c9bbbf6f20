"""English verbs: frequent base forms, irregular participles, and forms for one person or thing."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BE = _words("be am is are was were been being become becomes became")
AUXILIARIES = BE | _words(
    "have has had do does did can could will would shall should may might must ca wo sha"
)
# Frequent base forms. Those that are past tenses as well (cut, let, put, read) are left out.
BASE_FORMS = _words(
    """
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
    """
)
# Participles that only "has" goes before; others may also follow "is": it's made of wood, she's made tea.
PERFECT = _words(
    "been had got gotten become come slept begun run fallen risen arisen gone sat stood lain"
)
PARTICIPLES = PERFECT | _words(
    """
    beaten bent bitten blown born borne bought bound bred broken brought built burnt caught chosen cut dealt
    done drawn driven drunk eaten fed felt fled flown forbidden forgiven forgotten fought found frozen given
    ground grown heard held hidden hit hung hurt kept known laid led left lent lit lost made meant met paid
    put read ridden rung said seen sent set sewn shaken shot shown shrunk shut sold spent spoken spread
    sprung stolen stuck stung struck sung sunk sworn swum taken taught thought thrown told torn understood
    woken won worn wound woven written
    """
)
# Also base forms: what comes after "she'd" is then a wish as well as a past.
_BOTH = _words("become come run cut hit hurt put read set shut spread")

_SINGULAR = {
    "am": "is",
    "are": "is",
    "were": "was",
    "have": "has",
    "do": "does",
    "'m": "is",
    "’m": "is",
}


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
