"""English pronouns: person, number, gender, the form that stands for all forms of one; possessive endings.

Data sets with pronoun lists of their own (`challenges/`) keep those; this is the grammar.
"""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """Words that are written with blanks between them."""
    return frozenset(words.split())


DEMONSTRATIVES = word_set("this that these those")

FIRST_PERSON = word_set("i me my mine myself we us our ours ourself ourselves")
SECOND_PERSON = word_set("you your yours yourself yourselves")
THIRD_PERSON = word_set(
    "he him his himself she her hers herself it its itself one one's oneself "
    "they them their theirs themself themselves 'em"
)
PRONOUNS = FIRST_PERSON | SECOND_PERSON | THIRD_PERSON | word_set("who whom whose where when which")

SINGULAR = word_set(
    "i me my mine myself yourself he him his himself she her hers herself it its itself "
    "one one's oneself"
)
# "yourself" is asked for in SINGULAR first.
PLURAL = word_set(
    "we us our ours ourself ourselves yourself yourselves they them their theirs themself themselves"
)

MALE = word_set("he him his himself")
FEMALE = word_set("she her hers herself")
NEUTRAL = word_set("it its itself where here there which")

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

# Pronouns that a name can take the place of.
SUBJECTS = word_set("i you he she it we they")
POSSESSIVES = word_set("my your his its our their mine yours hers ours theirs")
REPLACED = SUBJECTS | POSSESSIVES | word_set("me him her them us 'em")


def person_of(word: str) -> int:
    """The person of a pronoun; 3 for all other words.

    >>> person_of("my"), person_of("she")
    (1, 3)
    """
    return 1 if word in FIRST_PERSON else 2 if word in SECOND_PERSON else 3
