"""Tokens of a text, cut as in English treebanks: one pattern, tried once at each place."""

from __future__ import annotations

import re
from collections.abc import Iterable

from corelax.text.markup import PICTURE, REFERENCE, TAG

# English abbreviations that keep their full stop, which is not written here.
# The sentence goes on after these.
NEVER_LAST = """
    Mr Mrs Ms Mx Messrs Dr Drs Prof Rev Fr Sr St Ste Mme Mlle Gen Col Maj Capt Cpt Cmdr Lt Sgt Adm Hon Sen
    Rep Gov Pres Supt Mt Ft MR MRS MS DR ST vs cf viz approx ca al div i.e e.g I.e E.g
""".split()

# The sentence may end with these.
ABBREVIATIONS = """
    etc Jr Inc Ltd Co Corp Bros Dept Univ Assn Ave Blvd Rd Ph.D M.Sc B.Sc Ed Eds Esq
    Jan Feb Apr Aug Sept Oct Nov Dec Mon Tues Wed Thurs Fri
    Ala Ariz Calif Colo Conn Del Fla Ga Ill Ind Kan Md Mich Minn Mont Neb Nev Okla Ore Penn Tenn Tex Va Vt
    Wis Wyo
""".split()

# Ordinary words, unless a number follows.
BEFORE_NUMBERS = """
    No Nos no nos Fig Figs fig figs p pp vol Vol ch Ch sec Sec Art art c Mar Jun Jul
""".split()

# Joined to what follows by a hyphen, they make one word; other hyphens stand between words.
_PREFIXES = """
    anti bi co counter cross de e ex extra hyper inter intra macro mega meta micro mid mini multi non
    over post pre pro proto pseudo re semi socio sub super trans tri ultra un under
""".split()

# Outside of words: white space, controls, characters without width.
_BLANK = (
    r"\s\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
)
# Signs that stand alone: the punctuation of most scripts, currencies, arrows, symbols, emoji.
_SIGN = (
    r"!-/:-@\[-`{-~\xa1-\xa9\xab\xac\xae-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7\u037e\u0387\u0589\u05be\u05c0"
    r"\u05c3\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u1361-\u1368\u17d4-\u17d6\u2010-\u2027"
    r"\u2030-\u205e\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3030\u3036-\u303f\u30fb"
    r"\ufe10-\ufe1f\ufe30-\ufe6f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffee"
    r"\U0001f000-\U0001fbff\U000e0000-\U000e007f"
)
_HIRAGANA = r"\u3041-\u309f"
_KATAKANA = r"\u3031-\u3035\u30a0-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HAN = r"\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# All the rest: letters, digits and combining marks of all scripts.
_LETTER = rf"[^{_BLANK}{_SIGN}{_HIRAGANA}{_KATAKANA}{_HAN}]"
_END = rf"(?!{_LETTER})"  # of a word
_CLITIC = rf"['’](?:[sSmMdD]|re|RE|ve|VE|ll|LL){_END}"
_NOT = rf"[nN]['’][tT]{_END}"
_ADDRESS = rf"""[^{_BLANK}<>"“”]"""
_VARIANT = r"[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"


def _any(words: Iterable[str]) -> str:
    return "(?:" + "|".join(map(re.escape, words)) + ")"


# Linear in the length of the text: what an alternative reads and gives up again is short, or it is
# read once. Hence the bounded repetitions, and the possessive ones (++, *+), which give nothing back.
_TOKEN = re.compile(
    rf"""
    # Words that are two: can|not, gon|na, wan|na, got|ta, lot|ta, y'|all.
      (?: [cC]an(?=not\b) | (?:[gG]on|[wW]an)(?=na\b) | (?:[gG]ot|[lL]ot)(?=ta\b) | [yY]['’](?=all\b) )

    # The most frequent case, for speed: a plain word or sign, and what follows cannot be part of it.
    | [A-Za-z]++ (?=[ \n,;?!)])
    | [,;:?!()] (?=[ \n])

    # What is cut off a word: 's, 're, n't.
    | {_CLITIC} (?!['’]) | {_NOT}

    # Character references; addresses, tags, names of hosts.
    | {REFERENCE}
    | (?: (?:https?|ftp):// | www\. | doi:(?=\d) ) {_ADDRESS}* (?![.,;:!?'’)\]}}…]) {_ADDRESS}
    | [\w.+-]{{1,64}} @ (?:[\w-]{{1,63}}\.){{1,8}} [A-Za-z]{{2,24}} (?!\w)
    | [A-Za-z] [\w-]{{0,62}} (?: \.[a-z][\w-]{{1,62}} ){{1,8}} (?: /[\w/.%~?=&\#-]*[\w/] )? (?!\w)
    | (?<!\w) [@\#] [^\W\d]\w*+

    # Abbreviations with their full stop, initials, the number of an item on a list.
    | {_any([*NEVER_LAST, *ABBREVIATIONS])} \. {_END}
    | {_any(BEFORE_NUMBERS)} \. (?=\ ?\d)
    | (?<=\() [bcdm]\. (?=\ )
    | (?: [A-Za-z]\. ){{2,}}+ {_END}
    | [A-Z]\.[A-Z] {_END}
    | [A-HJ-Z]\. (?= \ ?[A-Z(&] | [,;] ) | I\. (?=\ [A-Z]\.)
    | ^ \d{{1,3}} (?: \.\d{{1,2}} )*+ \. (?=\s)

    # Numbers: 555-1234, +4512345678, '80s, 1,000.50, 3:30, 1/2. A unit is a word of its own: 6|pm.
    | \d{{3}} - (?:\d{{3}}-)? \d{{4}} (?![\d-]) | \+ \d[\d-]{{5,30}}
    | ['’]\d\d (?:['’]?s)?+ {_END}
    | (?: \d{{1,3}} (?:,\d{{3}})++ (?!\d) | \d++ ) (?: [.:/]\d++ )*+
      (?: (?:s|st|nd|rd|th)?+ {_END} | (?= (?:am|pm|km|kg|cm|mm|mg|ml|m|g) {_END} ) )
    | (?<!\d) \.\d++ {_END}

    # Words: non-profit, friend(s), o'clock, R&D, snake_case; th- breaks off.
    | {_any([*_PREFIXES, *map(str.capitalize, _PREFIXES)])} -
      (?: (?: [A-Z]\. ){{2,}}+ | {_LETTER}++ (?!['’][tT]) )
    | {_LETTER}++ (?! (?<=[nN]) ['’][tT]{_END} )
      (?: (?!{REFERENCE}) [_&\xad\u200c\u200d\u2060]++ {_LETTER}++ | (?!{_CLITIC})['’] {_LETTER}++ )*+
      (?: \(s\) | -(?=[\s,.?!]|\Z) )?+
    | {_LETTER}+ (?={_NOT})
    | {_LETTER}++
    | ['’] (?:cause|cuz|em|tis|twas|til) {_END}
    | [{_HIRAGANA}]++ | [{_KATAKANA}]++

    # Emoji: flags, keycaps, pictures joined by zero-width joiners, all with their variants; faces.
    | [\U0001f1e6-\U0001f1ff]{{2}}
    | [\#*] \ufe0f?+ \u20e3
    | {PICTURE} {_VARIANT}*+ (?: \u200d {PICTURE} {_VARIANT}*+ )*+
    | (?<!\S) [:;=]-?[()DP] (?!\S)

    # Runs of one sign; any other sign. Chinese is cut into characters here.
    | \.{{2,}}+ | …++ \.?+ | ([-–—*=_~\#+<>|`])\1*+
    | [^{_BLANK}]
    """,
    re.VERBOSE | re.MULTILINE,
)

_VISIBLE = re.compile(rf"[^{_BLANK}]++")


def is_visible(text: str) -> bool:
    """Whether anything of a text can be seen.

    >>> is_visible("a"), is_visible(" \u200b")
    (True, False)
    """
    return _VISIBLE.search(text) is not None


def token_spans(text: str) -> list[tuple[int, int]]:
    """First and last + 1 character of each token. Tags of HTML are cut at blanks alone.

    >>> text = "They can't pay Ann's $1,000.50, e.g. for non-U.S. well-known e-mail."
    >>> "|".join(text[start:end] for start, end in token_spans(text))
    "They|ca|n't|pay|Ann|'s|$|1,000.50|,|e.g.|for|non-U.S.|well|-|known|e-mail|."
    """
    if "<" not in text:
        return [match.span() for match in _TOKEN.finditer(text)]
    spans: list[tuple[int, int]] = []
    done = 0
    for tag in TAG.finditer(text):
        spans += [match.span() for match in _TOKEN.finditer(text, done, tag.start())]
        spans += [match.span() for match in _VISIBLE.finditer(text, *tag.span())]
        done = tag.end()
    return spans + [match.span() for match in _TOKEN.finditer(text, done)]
