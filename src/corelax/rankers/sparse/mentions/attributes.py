"""What is known of a mention: its words, type, agreement and surroundings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from corelax.rankers.sparse.mentions.agreement import (
    NOMINAL,
    PROPER,
    animacy_of,
    canonical_of,
    mention_gender,
    mention_type,
    number_of,
    person_of,
    tag_of,
)
from corelax.rankers.sparse.mentions.analysis import Analysis, Mention

if TYPE_CHECKING:
    from corelax.rankers.sparse.features.settings import FeatureSettings
    from corelax.rankers.sparse.mentions.lexicons import Lexicons


class Attributes(NamedTuple):
    """A mention with all that its features are made of. Words ending in `_lc` are lower-cased.

    `before` and `after` are the (lower-cased) words around the span, `governor` the word above the head, each
    with its tag. `context` and `long_context` are the tags above the head with the side they are on.
    """

    mention: Mention
    text: str
    head: str
    head_lc: str
    head_tag: str
    first_lc: str
    first_tag: str
    last_lc: str
    last_tag: str
    type: str
    ner: str
    number: str
    gender: str
    animacy: str
    person: str
    canonical: str
    speaker: str
    before: str
    before_tag: str
    after: str
    after_tag: str
    governor: str | None
    governor_tag: str
    governor_is_left: bool
    context: str | None
    long_context: str | None
    index_in_sentence: int

    @property
    def is_open_class(self) -> bool:
        return self.type in (PROPER, NOMINAL)

    @property
    def length(self) -> int:
        return self.mention.end - self.mention.start


def mention_attributes(
    analysis: Analysis,
    mentions: tuple[Mention, ...],
    lexicons: Lexicons,
    settings: FeatureSettings,
) -> Iterator[Attributes]:
    """The attributes of each mention of a document, in order."""
    words = analysis.document.words
    lower = [word.lower() for word in words]
    bounds = analysis.document.sentence_bounds
    sentence, index = -1, 0
    for mention in mentions:
        start, end, head, node = mention[1:]
        index = index + 1 if mention.sentence == sentence else 1
        sentence = mention.sentence
        first, last = bounds[sentence]
        type = mention_type(analysis, mention, plural_names=settings.plural_names)
        governor, context, long_context = None, None, None
        above, governor_tag = -1, ""
        if analysis.governors is not None:
            above = analysis.governors[node]
            governor = lower[above] if above >= 0 else "[root]"
            governor_tag = tag_of(analysis, above) if above >= 0 else "[ROOT]"
            context = _above(analysis, node)
            long_context = f"{context}-{_above(analysis, above)}"
        yield Attributes(
            mention=mention,
            text=" ".join(words[start:end]),
            head=words[head],
            head_lc=lower[head],
            head_tag=tag_of(analysis, head),
            first_lc=lower[start],
            first_tag=tag_of(analysis, start),
            last_lc=lower[end - 1] if end - 1 != head else "",
            last_tag=tag_of(analysis, end - 1) if end - 1 != head else "",
            type=type,
            ner=analysis.names[head],
            number=number_of(analysis, mention, type, lexicons, settings),
            gender=mention_gender(analysis, mention, type, lexicons),
            animacy=animacy_of(analysis, mention, type, lexicons, settings),
            person=person_of(analysis, head, settings),
            canonical=canonical_of(analysis, lower[head], head, type),
            speaker=analysis.speakers[head],
            before=lower[start - 1] if start > first else "<s>",
            before_tag=tag_of(analysis, start - 1) if start > first else "<S>",
            after=lower[end] if end < last else "</s>",
            after_tag=tag_of(analysis, end) if end < last else "</S>",
            governor=governor,
            governor_tag=governor_tag,
            governor_is_left=0 <= above < node,
            context=context,
            long_context=long_context,
            index_in_sentence=index,
        )


def _above(analysis: Analysis, token: int) -> str:
    """The tag of a token's governor, and the side that it is on."""
    if analysis.governors is None or token < 0 or (above := analysis.governors[token]) < 0:
        return "NULL"
    return f"{tag_of(analysis, above)}({'L' if token > above else 'R'})"
