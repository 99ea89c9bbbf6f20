"""Markup in texts: tags and character references of HTML, marks of Markdown, addresses, pictures.

Tokens of markup stand alone, and no mention begins or ends with one.
"""

from __future__ import annotations

import re

# Names of tags that are not mistaken for something else: `a <b and c> d` has none.
_BLOCKS = (
    "address article aside blockquote body caption center dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 "
    "head header hr html li main nav ol p pre section table tbody td tfoot th thead title tr ul"
).split()
_TAGS = (
    *_BLOCKS,
    *"a abbr b big br button cite code del em embed figcaption font i iframe img input ins kbd label link "
    "mark meta option q ref s script select small source span strike strong style sub summary sup svg tt u "
    "var video wbr".split(),
)
_REFERENCES = (
    "amp lt gt quot apos nbsp copy reg trade hellip mdash ndash lsquo rsquo ldquo rdquo laquo raquo bull "
    "middot deg euro pound shy thinsp ensp emsp"
).split()

# All repetitions are bounded, so that a text full of open brackets takes linear time.
_VALUE = r"""(?: "[^"<>]{0,500}+" | '[^'<>]{0,500}+' | [^\s"'<>]{1,500}+ )"""
TAG = re.compile(
    rf"""
    </? (?:{"|".join(_TAGS)}) (?![\w-]) (?: \s{{1,8}}+ [\w:-]{{1,40}}+ = {_VALUE} ){{0,20}}+ \s{{0,8}}+ /?>
    | <!--[^<>]{{0,500}}+(?<=--)>
    """,
    re.VERBOSE | re.IGNORECASE,
)
REFERENCE = rf"&(?:(?:{'|'.join(_REFERENCES)})|\#\d{{1,6}}|\#[xX][0-9A-Fa-f]{{1,5}});"  # &amp;
PICTURE = r"[\xa9\xae\u203c\u2049\u2122\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001fbff]"

_FIRST_OF_BLOCK = re.compile(rf"<(?:{'|'.join(_BLOCKS)})(?![\w-])", re.IGNORECASE)
_LAST_OF_BLOCK = re.compile(rf"</(?:{'|'.join(_BLOCKS)})(?![\w-])", re.IGNORECASE)
_MARKUP = re.compile(
    rf"""
    </?[a-z!].* | [^<]*/?> | {REFERENCE} | [*_\#~`=|<>]++ | [\[\]]
    | (?:https?|ftp)://.* | www\..* | {PICTURE}.*
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


def is_markup(word: str) -> bool:
    """Whether a token is markup alone.

    >>> [is_markup(word) for word in ("**", "</b>", "&amp;", "https://x.org", "AT&T", "#tag", "@ann")]
    [True, True, True, True, False, False, False]
    """
    return _MARKUP.fullmatch(word) is not None


def begins_block(word: str) -> bool:
    """Whether a token opens a paragraph, an item or the like: `<p>`."""
    return _FIRST_OF_BLOCK.match(word) is not None


def ends_block(word: str) -> bool:
    """Whether a token closes one: `</p>`."""
    return _LAST_OF_BLOCK.match(word) is not None
