"""First names: whether they tell a man from a woman, and whether two of them can be one person's.

Only names of which nearly all bearers are of one gender are listed (`data/first_names.txt` says where they
are from). Some are common surnames as well, such as *Nelson*: these are first names only before another name.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from corelax.english.people import GIVEN_NAME_TITLES, TITLES

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


def _read() -> dict[str, frozenset[str]]:
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    rows = (line.split(": ") for line in lines if not line.startswith("#"))
    return {name: frozenset(names.split()) for name, names in rows}


_LISTS = _read()
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
