"""Passages in which systems differ, mentions coloured by entity, as in the example of Le & Titov (2017)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from jinja2 import Environment, PackageLoader

from corelax.analysis.decisions import ERRORS
from corelax.analysis.passage_windows import Window, choose_windows
from corelax.document import Document, Span
from corelax.render.markup import escaped_markdown
from corelax.render.passage_brackets import bracketed
from corelax.render.passage_colours import entity_numbers
from corelax.render.passage_text import MISSED, Mark, ShownMention, nested

__all__ = [
    "MISSED",
    "Passage",
    "Passages",
    "ShownMention",
    "Version",
    "choose_passages",
    "passages_html",
    "passages_markdown",
]

GOLD = "gold"
LEGEND = "Numbers tell entities apart; * marks an error. A mention without a number was left out."


class Version(NamedTuple):
    """The mentions of a passage as one side has them."""

    label: str
    mentions: Sequence[ShownMention]
    note: str = ""


class Passage(NamedTuple):
    """A few sentences of a document, with the mentions of gold and of each system."""

    document: str
    note: str
    words: Sequence[str]
    versions: Sequence[Version]

    def pieces(self, version: Version) -> list[Mark | str]:
        """The text with the mentions of a version, as nested pieces."""
        return nested(self.words, version.mentions)


class Passages(NamedTuple):
    """Passages to be shown together; `key` is a name for links."""

    key: str
    title: str
    caption: str
    passages: Sequence[Passage]


def choose_passages(
    *,
    gold: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    number: int = 6,
    sentences: int = 3,
    max_words: int = 90,
) -> list[Passage]:
    """Passages where a system has fewer errors than the baseline and the other way round, in turn.

    Args:
        gold: The right answers.
        systems: The same documents with the answers of two systems or more, the baseline first.
        number: How many passages to choose at most.
        sentences: How many sentences a passage has at most.
        max_words: How many words it has at most.

    >>> text = [["Ann", "saw", "Bo"], ["He", "waved"]]
    >>> gold = Document.from_sentences("d", text, clusters=[[(2, 3), (3, 4)]])
    >>> wrong = Document.from_sentences("d", text, clusters=[[(0, 1), (3, 4)]])
    >>> [passage] = choose_passages(gold=[gold], systems={"base": [wrong], "lea": [gold]})
    >>> passage.note, [version.note for version in passage.versions]
    ('lea: 0 errors, base: 1 error', ['', '1 wrong link', 'no error'])
    >>> passage.versions[1].mentions[-1]
    ShownMention(start=3, end=4, entity=0, error='wrong_link')
    """
    windows = choose_windows(
        gold=gold, systems=systems, number=number, sentences=sentences, max_words=max_words
    )
    return [_passage(window) for window in windows]


def passages_html(item: Passages) -> str:
    """The passages as a fragment of HTML; `templates/passages.css` has its looks.

    >>> ann = Version("gold", [ShownMention(0, 1, entity=0)])
    >>> page = passages_html(Passages("p", "Title", "Caption", [Passage("d", "", ["Ann"], [ann])]))
    >>> '<span class="mention entity-0 height-0">Ann<sup>1</sup></span>' in page
    True
    """
    environment = Environment(loader=PackageLoader("corelax.render"), autoescape=True)
    macro = environment.get_template("passages.html").module.passages  # type: ignore[attr-defined]
    return str(macro(item))


def passages_markdown(item: Passages) -> str:
    """The passages as Markdown: mentions in brackets, with the numbers of their entities.

    >>> ann, she = ShownMention(0, 1, entity=0), ShownMention(2, 3, entity=1, error="false_new")
    >>> passage = Passage("d", "", ["Ann", "said", "she", "left"], [Version("lea", [ann, she])])
    >>> print(passages_markdown(Passages("p", "Title", "Caption.", [passage])).splitlines()[-1])
    - **lea**: [Ann]₁ said [she]₂\\* left
    """
    blocks = [
        f"### {escaped_markdown(item.title)}",
        escaped_markdown(item.caption),
        escaped_markdown(LEGEND),
    ]
    for passage in item.passages:
        heading = f"**{escaped_markdown(passage.document)}**"
        blocks.append(f"{heading} ({escaped_markdown(passage.note)})" if passage.note else heading)
        blocks.append("\n".join(_markdown_lines(passage)))
    return "\n\n".join(blocks) + "\n"


def _markdown_lines(passage: Passage) -> Iterator[str]:
    for version in passage.versions:
        note = f" ({escaped_markdown(version.note)})" if version.note else ""
        text = bracketed(passage.pieces(version))
        yield f"- **{escaped_markdown(version.label)}**{note}: {text}"


def _passage(window: Window) -> Passage:
    clusterings = [doc.clusters for doc in window.systems.values()]
    gold_numbers, *numbers = entity_numbers(window.gold.clusters, clusterings)
    dense: dict[int, int] = {MISSED: MISSED}
    gold = Version(GOLD, _shown(window, window.gold, gold_numbers, {}, dense))
    versions = [gold]
    for (name, doc), of_entity in zip(window.systems.items(), numbers, strict=True):
        errors = {error.span: error.kind for error in window.errors[name]}
        shown = _shown(window, doc, of_entity, errors, dense)
        versions.append(Version(name, shown, _kinds(list(errors.values()))))
    best_first = sorted(window.errors.items(), key=lambda pair: len(pair[1]))
    return Passage(
        document=window.gold.name,
        note=", ".join(f"{name}: {_counted(len(errors), 'error')}" for name, errors in best_first),
        words=window.gold.words[window.start : window.end],
        versions=versions,
    )


def _shown(
    window: Window,
    doc: Document,
    numbers: Sequence[int],
    errors: Mapping[Span, str],
    dense: dict[int, int],
) -> list[ShownMention]:
    """The mentions inside. `dense` gets the numbers that are used, in the order of the text.

    Mentions with gaps are shown from their first word to their last. Where bad input has a mention twice,
    the first place counts, as for `decisions`.
    """
    left = dict(errors)
    listed = [
        (span, number, left.pop(span, ""))
        for number, cluster in zip(numbers, doc.clusters, strict=True)
        for span in dict.fromkeys(cluster)
        if window.holds(span)
    ]
    listed += [(span, MISSED, kind) for span, kind in left.items()]
    listed.sort(key=lambda entry: (entry[0].start, -entry[0].end, entry))
    return [
        ShownMention(
            start=span.start - window.start,
            end=span.end - window.start,
            entity=dense.setdefault(number, len(dense) - 1),
            error=error,
        )
        for span, number, error in listed
    ]


def _kinds(errors: Sequence[str]) -> str:
    """How many errors of each kind.

    >>> _kinds(["wrong_link", "false_new", "wrong_link"])
    '1 false new, 2 wrong links'
    """
    number = Counter(errors)
    listed = [_counted(number[kind], kind.replace("_", " ")) for kind in ERRORS if number[kind]]
    return ", ".join(listed) or "no error"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 or what.endswith("new") else f"{number} {what}s"
