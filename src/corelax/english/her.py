"""Whether *her* owns something (her dog) or is an object (saw her), from the words around it."""

from __future__ import annotations

from collections.abc import Sequence

from corelax.english.people import FEMALE_NOUNS, MALE_NOUNS
from corelax.english.pronouns import DEMONSTRATIVES, PRONOUNS, word_set
from corelax.english.verbs import AUXILIARIES, BASE_FORMS

# Words that no noun phrase goes on with after "her".
_CLOSED = (PRONOUNS | DEMONSTRATIVES | AUXILIARIES) - {"one"} | word_set("""
        a an the some any no every each both all enough much about above across after against along among
        around as at before behind below beneath beside besides between beyond but by despite down during
        except for from if in into instead like near of off on onto or and nor out over past since so than
        that though through throughout till to toward towards under unless until up upon via when whenever
        where wherever whether while why how with within without because although again ago ahead alone
        already also altogether always anyway anything aside away ever everything either nothing something
        somewhere anywhere everywhere forward further here hence instead just maybe never not n't now
        nowadays often once perhaps please quite rather sometimes soon still then there therefore though
        today according later regarding thus together tomorrow tonight too twice very well what whatever who
        yesterday yet
        """)
# What is nice about her, and not how something is done.
_LY_ADJECTIVES = word_set("""
    ally assembly belly bully costly cowardly chilly curly daily deadly early elderly family friendly
    ghostly heavenly holy homely jolly likely lively lonely lovely monthly motherly nightly only orderly
    reply scholarly silly sisterly supply timely ugly weekly woolly worldly yearly
    """)
# After these verbs "her" may be the one who does or is what comes next: let her go, made her angry.
_CAUSES = word_set("""
    let lets letting make makes made making help helps helped helping have having had see sees saw seen
    seeing hear hears heard hearing watch watches watched watching feel felt bid
    """)
_PERCEIVES = _CAUSES | word_set("""
    find finds found keep keeps kept leave leaves left catch catches caught notice noticed remember
    remembers remembered spot spotted stop stopped start started set sets picture imagine imagined want
    wants wanted send sent get gets got saying hearing
    """)
_NOUNS = word_set("claim deal face hope offer own plan reply share study")  # rather than verbs
_STATES = word_set("""
    afraid alive angry anxious asleep awake aware better busy certain comfortable confident crazy curious
    dead dizzy famous free glad guilty happy hungry ill mad nervous pregnant proud ready rich sad safe sick
    sorry speechless strong sure thirsty unhappy upset weak welcome worried worse
    """)
_ARTICLES = word_set("a an the some this that")
# She may be given or told what comes next: gave her strength, told her Bo had left.
_GIVE = word_set("give gives gave given giving")
_GIVES = _GIVE | word_set("""
    tell tells told telling show shows showed shown showing send sent sending offer offers offered offering
    teach teaches taught teaching buy bought buying bring brought bringing hand handed grant granted owe
    owes owed lend lent promise promised feed fed pour poured remind reminded assure assured ask asked
    asking allow allowed deny denied cost costs wish wished
    """)
# Things that are given more often than told to: gave her strength, not gave her mother.
_GIVEN = word_set("""
    advice birth cash chocolate comfort courage credit directions energy flowers food gas hope information
    instructions lessons medicine money news nightmares peace permission pleasure presents power shelter
    strength support time tea trouble two three four five six seven eight nine ten hundreds thousands
    millions plenty more water wine
    """)
# What she herself gives: gave her life.
_HER_OWN = word_set("""
    account address age all approval assent attention best blessing body breath child children consent first
    hand heart interview last lecture life love maiden name new opinion own performance reasons son speech
    testimony views vote word work
    """)
_MOVES = word_set("""
    take takes took taken taking bring brings brought bringing drive drives drove driven walk walked send
    sends sent follow followed invite invited carry carried get got getting see saw escort escorted call
    called want wanted welcome welcomed pay paid win won put hold held kiss kissed love loved write wrote
    chase chased lead led
    """)


def is_possessive_her(words: Sequence[str], at: int) -> bool:
    """Whether *her* is possessive where no larger mention says so.

    A word that can belong to a noun phrase must follow. After verbs such as *let*, *give* and *take* she may
    be the object all the same.

    Args:
        words: The words of the sentence or of the document.
        at: The place of *her*.

    >>> def judged(text):
    ...     return is_possessive_her(text.split(), text.split().index("her"))
    >>> judged("it was her home"), judged("we saw her dog")
    (True, True)
    >>> judged("we took her home"), judged("we saw her"), judged("let her go")
    (False, False, False)
    """
    before = words[at - 1].lower() if at else ""
    follows = words[at + 1 : at + 3]
    if not follows or not follows[0][:1].isalnum():
        return False
    word, after = follows[0].lower(), follows[1].lower() if len(follows) > 1 else ""
    if word in _CLOSED:
        return word == "will" and before in {"in", "by", "under"}
    if before in {"and", "or"}:
        return _owned_after_coordination(words, at, word)
    if word.endswith("ly") and word not in _LY_ADJECTIVES:
        return bool(after) and after[0].isalnum() and after not in _CLOSED
    if before in _CAUSES and word in (BASE_FORMS - _NOUNS) | _STATES:
        return False
    if (
        before in _PERCEIVES
        and word.endswith("ing")
        and len(word) > 5
        and not word.endswith("thing")
    ):
        return False
    if before in _GIVES and (
        word in _GIVEN or (follows[0][0].isupper() and before[:4] in {"told", "tell"})
    ):
        return False
    if before in _GIVE and word not in _HER_OWN | MALE_NOUNS | FEMALE_NOUNS:
        return bool(after) and after in _ARTICLES  # gave her cat a fish
    return not (word in {"home", "back"} and before in _MOVES)


def _owned_after_coordination(words: Sequence[str], at: int, word: str) -> bool:
    """Of *him or her*, *his and her*: as the pronoun before it, if that is clear."""
    other = words[at - 2].lower() if at > 1 else ""
    if other in {"him", "them", "me", "us"}:
        return False
    return word not in _CLOSED
