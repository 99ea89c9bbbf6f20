"""Dialogue written as `Name: what is said`: who speaks in which characters."""

from __future__ import annotations

import re

from corelax.text.markup import TAG

_GAP = r"[^\S\n]"  # a blank that is no line break
_LETTERS = r"[\w.'’-]*+"
_FIRST = rf"[^\W\d_]{_LETTERS}"
# Other words of a name: with a capital or a digit (`Speaker 2`), or particles.
_MORE = rf"(?:(?![a-z])[^\W_]{_LETTERS}|(?:of|the|and|de|da|di|la|le|van|von|der|den)(?!\w))"
_NAME = rf"{_FIRST}(?:{_GAP}{_MORE}){{0,4}}"
# 12:01, [12:01:33], (00:12), 3:05 pm, [2024-01-31 12:01], 31/01/24, 12:01 -
_STAMP = (
    rf"[\[(]?(?:\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}},?{_GAP})?\d{{1,2}}:\d\d(?::\d\d)?"
    rf"(?:{_GAP}?[AaPp]\.?[Mm]\.?)?[\])]?{_GAP}*+(?:[-–]{_GAP}++)?"
)
_ASIDE = rf"(?:{_GAP}*+[\[(][^][()\n]{{1,60}}[])])?"  # Ann (laughing): ...
_TURN = re.compile(
    rf"^{_GAP}*+(?P<stamp>{_STAMP})?"
    rf"(?:<[@+~]?(?P<nick>{_NAME})>|(?:\*\*)?(?P<name>{_NAME}){_ASIDE}(?:\*\*)?:(?:\*\*)?)"
    rf"{_GAP}++(?P<said>\S.*(?:\n{_GAP}*+[a-z].*)*+)",
    re.MULTILINE,
)
# `Note: ...` is said by nobody.
_NOBODY = frozenset(
    """
    act address attention caution cc chapter conclusion contents date edit email example fact figure from
    fwd hint important info keywords lesson location note notes nb part place ps re reason remember
    result scene section see setting source step subject subtitle summary table time tip title to topic
    update warning
    """.split()
)


def speakers_of(text: str) -> list[tuple[int, int, str]]:
    """The speaker of each line that looks like `Name: what is said`.

    The name is one to five words, the first with a capital, followed by a colon and a blank. Known are also
    `[12:01] Ann: hi`, `31/01/24, 12:01 - Ann: hi`, `ANN (laughing): hi`, `**Ann:** hi` and `<ann> hi`. After
    a time and in angle brackets the name may be in lower case. A line that goes on in lower case belongs to
    the line before.

    Returns:
        (first character, one past the last, name) of what each speaker says, which is what `document_of`
        and `Resolver.resolve` take as `speakers`.

    >>> speakers_of("A hall.\\nAnn: Hello!\\nDr. Bo Li:  At 5:30?")
    [(13, 19, 'Ann'), (32, 40, 'Dr. Bo Li')]
    >>> speakers_of("[12:01] Ann (laughing): hi\\n<bo_99> yes\\nNote: nobody says this")
    [(24, 26, 'Ann'), (35, 38, 'bo_99')]
    """
    turns = []
    for match in _TURN.finditer(text):
        name = match["name"] or match["nick"]
        is_name = name[0].isupper() or match["stamp"] or match["nick"]
        if match["nick"] and TAG.fullmatch(f"<{name}>"):
            continue
        if is_name and name.split()[0].lower() not in _NOBODY:
            turns.append((*match.span("said"), name))
    return turns
