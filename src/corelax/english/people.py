"""Words that tell a man from a woman: titles before names, nouns that end a description, first names.

Only words that mean one gender alone are here: no *actor*, no *Dr.*, and only first names of which nearly all
bearers are of one gender (`data/first_names.txt` says where they are from). Some are common surnames as well,
such as *Nelson*: these are first names only before another name. Pronouns are in `pronouns.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from corelax.english.pronouns import FEMALE, MALE, POSSESSIVE_ENDINGS, word_set

# Before a name, in lower case and without their full stop.
MALE_TITLES = word_set(
    "mr mister messrs sir lord king prince duke earl baron count emperor master father brother uncle "
    "monsieur herr signor señor squire pope grandpa"
)
FEMALE_TITLES = word_set(
    "mrs ms miss madam madame mme mlle mademoiselle lady dame queen princess duchess countess baroness "
    "empress mistress mother sister aunt auntie frau signora señora grandma"
)

# At the end of a description: "her old father".
MALE_NOUNS = word_set(
    "man boy gentleman lad guy father dad daddy papa stepfather grandfather grandpa son grandson brother "
    "stepson stepbrother husband bridegroom widower fiancé boyfriend uncle nephew king prince duke earl "
    "emperor lord monk businessman policeman salesman fisherman nobleman workman clergyman sportsman"
)
FEMALE_NOUNS = word_set(
    "woman girl lady lass mother mom mum mommy mummy mama mamma stepmother grandmother grandma daughter "
    "granddaughter sister stepdaughter stepsister wife bride widow fiancée girlfriend aunt niece queen "
    "princess duchess countess empress nun actress waitress hostess heiress businesswoman policewoman "
    "housewife noblewoman maid landlady"
)

# Before given names, or mostly so.
GIVEN_NAME_TITLES = word_set(
    "miss lady dame aunt auntie uncle queen king prince princess emperor empress pope sir saint st father "
    "mother brother sister master grandma grandpa"
)

# Two of these with different surnames are two people. Ladies and lords go by given names as well.
SURNAME_TITLES = word_set("mr mister dr doctor prof professor captain capt")

TITLES = MALE_TITLES | FEMALE_TITLES | SURNAME_TITLES | GIVEN_NAME_TITLES

_FILE = Path(__file__).parent / "data" / "first_names.txt"
_NOT_ALONE = ", not alone"
_ALIKE = 2  # letters at the beginning that names and their short forms share

# Short forms that do not begin as the name does.
_SHORT = """
anthony tony|barbara bobbie|catherine kate kathy kitty|charles chuck|dorothy dolly dot|edward ned ted teddy
eleanor nell nelly|elizabeth bess betsy betty lisa liz|eugene gene|frances fanny|helen ellen nell|henry hank
james jim jimmy|john jack johnny|lawrence laurence larry|margaret maggie meg peggy daisy|martha patty
mary molly polly|richard dick rick|robert bob bobby|sarah sally|theodore ted teddy|theresa tess
virginia ginny|william bill billy willy
"""


def _name_lists() -> dict[str, frozenset[str]]:
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    rows = (line.split(": ") for line in lines if not line.startswith("#"))
    return {name: frozenset(names.split()) for name, names in rows}


_LISTS = _name_lists()
_ALONE = _LISTS["male"] | _LISTS["female"]
MALE_NAMES = _LISTS["male"] | _LISTS["male" + _NOT_ALONE]
FIRST_NAMES = MALE_NAMES | _LISTS["female"] | _LISTS["female" + _NOT_ALONE]
# name: it, its short forms and what it is short for
_FORMS: dict[str, set[str]] = {}
for _group in _SHORT.replace("\n", "|").split("|"):
    for _name in _group.split():
        _FORMS.setdefault(_name, set()).update(_group.split())


def first_name(words: Sequence[str]) -> str | None:
    """The first name in a name, in lower case, if it is a listed one; a title may stand before it.

    >>> first_name(["Anna"]), first_name(["Nelson", "Mandela"]), first_name(["Nelson"])
    ('anna', 'nelson', None)
    >>> first_name(["Prince", "Henry"]), first_name(["Dr.", "Henry"])  # a doctor goes by the surname
    ('henry', None)
    """
    if not words or not all(word[:1].isupper() for word in words):
        return None
    title = words[0].lower().removesuffix(".")
    if len(words) > 1 and title in TITLES:
        words = words[1:]
        if len(words) == 1 and title not in GIVEN_NAME_TITLES:
            return None
    name = words[0].lower()
    return name if name in (_ALONE if len(words) == 1 else FIRST_NAMES) else None


def may_be_one_person(name: str, other: str) -> bool:
    """Whether one may be a form of the other; both in lower case.

    >>> may_be_one_person("larry", "lawrence"), may_be_one_person("beth", "elizabeth")
    (True, True)
    >>> may_be_one_person("jack", "john"), may_be_one_person("henry", "george")
    (True, False)
    """
    if name[:_ALIKE] == other[:_ALIKE] or name in other or other in name:
        return True
    return other in _FORMS.get(name, ())


IS_MALE, IS_FEMALE = 1, 2
_JOINING = word_set("and or & , with of / -") | set(POSSESSIVE_ENDINGS)


class Person(NamedTuple):
    """What the words of a mention say about a person. Names are in lower case.

    Attributes:
        lowered: The words in lower case, without a possessive ending.
        gender: `IS_MALE`, `IS_FEMALE`, or 0.
        given: The first name.
        alone: A first name that is all of it; it may be a surname, too.
        last: A first name at the end, where it is a surname.
        surname: The surname that a title goes with.
    """

    lowered: tuple[str, ...]
    gender: int
    given: str | None
    alone: str | None
    last: str | None
    surname: str | None


@lru_cache(maxsize=20_000)  # in most texts a few mentions are all of them
def person_called(words: tuple[str, ...]) -> Person | None:
    """What a mention of these words says; None where they are several things, or nothing.

    >>> person_called(("Mr.", "Henry", "'s")).surname, person_called(("Ann", "and", "Bo"))
    ('henry', None)
    """
    if words[-1] in POSSESSIVE_ENDINGS:
        words = words[:-1]
    lowered = tuple(word.lower() for word in words)
    if not words or not _JOINING.isdisjoint(lowered):
        return None
    title = None  # the first word of a name of two words or more
    if len(words) > 1 and all(word[:1].isupper() for word in words):
        title = lowered[0].removesuffix(".")
    given, last = first_name(words), lowered[-1]
    name = last if last in FIRST_NAMES else None
    has_surname = title is not None and title not in GIVEN_NAME_TITLES
    return Person(
        lowered,
        gender=_gender(lowered, title, given),
        given=given,
        alone=name if len(words) == 1 else None,
        last=name if has_surname else None,
        surname=last if title in SURNAME_TITLES else None,
    )


def _gender(lowered: Sequence[str], title: str | None, given: str | None) -> int:
    last = lowered[-1]
    is_alone = len(lowered) == 1
    if is_alone and last in MALE:
        return IS_MALE
    if is_alone and last in FEMALE:
        return IS_FEMALE
    if title in MALE_TITLES or last in MALE_NOUNS:
        return 0 if title in FEMALE_TITLES else IS_MALE
    if title in FEMALE_TITLES or last in FEMALE_NOUNS:
        return IS_FEMALE
    return 0 if given is None else IS_MALE if given in MALE_NAMES else IS_FEMALE
