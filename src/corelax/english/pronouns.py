"""English pronouns: person, number, gender, the form that stands for all forms of one; possessive endings.

Data sets with pronoun lists of their own (`challenges/`) keep those; this is the grammar.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DEMONSTRATIVES = _words("this that these those")

FIRST_PERSON = _words("i me my mine myself we us our ours ourself ourselves")
SECOND_PERSON = _words("you your yours yourself yourselves")
THIRD_PERSON = _words(
    "he him his himself she her hers herself it its itself one one's oneself "
    "they them their theirs themself themselves 'em"
)
PRONOUNS = FIRST_PERSON | SECOND_PERSON | THIRD_PERSON | _words("who whom whose where when which")

SINGULAR = _words(
    "i me my mine myself yourself he him his himself she her hers herself it its itself "
    "one one's oneself"
)
# "yourself" is asked for in SINGULAR first.
PLURAL = _words(
    "we us our ours ourself ourselves yourself yourselves they them their theirs themself themselves"
)

MALE = _words("he him his himself")
FEMALE = _words("she her hers herself")
NEUTRAL = _words("it its itself where here there which")

CANONICAL = {
    form: forms.split()[0]
    for forms in (
        "i me my mine myself",
        "you your yours yourself yourselves y'all you're you'll",
        "he him his himself",
        "she her hers herself",
        "we us our ours ourself ourselves",
        "they them their theirs themself themselves 'em",
        "it its itself",
        "one one's oneself",
        "who whom",
    )
    for form in forms.split()
}

ANIMATE = frozenset(["i", "you", "he", "she", "we", "who", "whose"])  # canonical forms
INANIMATE = frozenset(["it", "which"])

POSSESSIVE_ENDINGS = ("'s", "’s", "'", "’")  # as tokens: "Ann 's", "the boys '"
