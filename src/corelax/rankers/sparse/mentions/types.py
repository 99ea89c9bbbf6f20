"""The type of a mention: a name, a noun phrase, a pronoun or a demonstrative."""

from __future__ import annotations

from corelax.english import pronouns
from corelax.rankers.sparse.mentions.analysis import Analysis, Mention
from corelax.rankers.sparse.mentions.layers import NO_NAME

PROPER, NOMINAL, PRONOMINAL, DEMONSTRATIVE = "PROPER", "NOMINAL", "PRONOMINAL", "DEMONSTRATIVE"
PROPER_TAGS = frozenset(["NNP", "PROPN", "Aa"])


def mention_type(analysis: Analysis, mention: Mention, *, plural_names: bool = False) -> str:
    """PROPER, NOMINAL, PRONOMINAL or DEMONSTRATIVE; pronouns are single tokens.

    >>> from corelax.document import Document, Span
    >>> from corelax.rankers.sparse.mentions.detect import analyse, given
    >>> analysis = analyse(Document(id="d", words=("Ann", "saw", "her", "dog")))
    >>> spans = [Span(0, 1), Span(2, 3), Span(2, 4)]
    >>> [mention_type(analysis, mention) for mention in given(analysis, spans)]
    ['PROPER', 'PRONOMINAL', 'NOMINAL']
    """
    head = analysis.document.words[mention.head].lower()
    if mention.end - mention.start == 1:
        if head in pronouns.DEMONSTRATIVES:
            return DEMONSTRATIVE
        if head in pronouns.PRONOUNS or analysis.pronouns[mention.head]:
            return PRONOMINAL
    tag = tag_of(analysis, mention.head)
    is_name = tag in PROPER_TAGS or (plural_names and tag == "NNPS")
    return PROPER if is_name or analysis.names[mention.head] != NO_NAME else NOMINAL


def tag_of(analysis: Analysis, token: int) -> str:
    """The tag of a token; how it is written, where there are no tags."""
    if analysis.tags is not None:
        return analysis.tags[token]
    word = analysis.document.words[token]
    if word[0].isupper():
        return "Aa"
    return "aa" if word[0].islower() else "##" if word[0].isdigit() else "."
