"""What a system gets wrong, counted by kind and type of mention, with examples."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from corelax.analysis.decisions import (
    CORRECT_LINK,
    ERRORS,
    OF_ANAPHORIC,
    TYPES,
    JudgedMention,
    judged_mentions,
)
from corelax.core.errors import CorelaxError, one_line
from corelax.core.printable import MAX_NAME, shortened
from corelax.core.text_table import format_table
from corelax.document import Document, Span
from corelax.document.pairing import same_documents
from corelax.io import stream

STANDARD = "-"
NO_PERCENT = " " * 7  # keeps counts below counts where only some have a percentage
MAX_TEXT = 60  # characters of a mention in an example


class MentionError(NamedTuple):
    """One error: which mention, and what it was and should have been linked to.

    Attributes:
        document: The name of its document.
        span: The mention.
        type: One of `TYPES`.
        kind: One of `ERRORS`.
        text: Its words.
        gold_antecedent: The words of the closest gold antecedent; None if it has none.
        system_antecedent: The words of the system's; None if it has none.
        sentence: The sentence around it, with the mention in brackets.
    """

    document: str
    span: Span
    type: str
    kind: str
    text: str
    gold_antecedent: str | None
    system_antecedent: str | None
    sentence: str


@dataclass(frozen=True, slots=True)
class ErrorCounts:
    """How many mentions of each type are of each kind. Counts add.

    >>> counts = ErrorCounts({("false_new", "proper"): 1, ("correct_link", "pronominal"): 3})
    >>> (counts + counts).number("correct_link"), counts.anaphoric("proper"), counts.share("false_new")
    (6, 1, 0.25)

    Attributes:
        counts: (kind, type) → number of mentions; a mean where there are several runs.
        examples: Errors that were asked for, in the order of documents.
    """

    counts: Mapping[tuple[str, str], float] = field(default_factory=Counter)
    examples: tuple[MentionError, ...] = ()

    def __add__(self, other: ErrorCounts) -> ErrorCounts:
        both = Counter(self.counts) + Counter(other.counts)
        return ErrorCounts(both, self.examples + other.examples)

    def number(self, kind: str, type: str | None = None) -> float:
        """The mentions of a kind, of one type or of all."""
        return sum(self.counts.get((kind, name), 0) for name in ([type] if type else TYPES))

    def anaphoric(self, type: str | None = None) -> float:
        return sum(self.number(kind, type) for kind in OF_ANAPHORIC)

    def share(self, kind: str, type: str | None = None) -> float:
        """The part of the anaphoric mentions that is of a kind (0 where there are none)."""
        if kind not in OF_ANAPHORIC:
            raise CorelaxError(f"{kind} is no share; choose from {', '.join(OF_ANAPHORIC)}")
        return self.number(kind, type) / (self.anaphoric(type) or 1)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, as `corelax errors --json` prints them."""
        columns = {**{name: name for name in TYPES}, "total": None}
        result: dict[str, Any] = {
            kind: {title: self.number(kind, type) for title, type in columns.items()}
            for kind in (*ERRORS, CORRECT_LINK)
        }
        result["anaphoric"] = {title: self.anaphoric(type) for title, type in columns.items()}
        result["shares"] = {
            kind: {title: self.share(kind, type) for title, type in columns.items()}
            for kind in OF_ANAPHORIC
        }
        if self.examples:
            result["examples"] = [
                error._asdict() | {"span": list(error.span)} for error in self.examples
            ]
        return result


def count_errors(
    *,
    gold: Iterable[Document],
    system: Iterable[Document],
    examples: int = 0,
    path: str | None = None,
) -> ErrorCounts:
    """The errors of a system, over documents of the same names and words.

    Args:
        gold: The right answers. Types of mentions are told by their Penn or universal tags, named
            entities and English pronouns; in bare text, names are told by capital letters.
        system: The answers, in any order.
        examples: How many errors of each kind to keep as examples: the first ones.
        path: Where the system's documents are from, for messages.

    >>> text = [["Ann", "saw", "Bo", "and", "waved", "to", "him"]]
    >>> gold = Document.from_sentences("d", text, clusters=[[(2, 3), (6, 7)]])
    >>> system = Document.from_sentences("d", text, clusters=[[(0, 1), (6, 7)]])
    >>> count_errors(gold=[gold], system=[system]).counts
    Counter({('wrong_link', 'pronominal'): 1})
    """
    counts: Counter[tuple[str, str]] = Counter()
    shown: list[MentionError] = []
    wanted = Counter(dict.fromkeys(ERRORS, examples))
    for gold_doc, system_doc in same_documents(gold=gold, system=system, where=path or ""):
        for mention in judged_mentions(gold_doc, system_doc):
            counts[mention.kind, mention.type] += 1
            if wanted[mention.kind] > 0:
                wanted[mention.kind] -= 1
                shown.append(_described(gold_doc, mention))
    return ErrorCounts(counts, tuple(shown))


def count_errors_of_files(
    *, gold: str, systems: Sequence[str], examples: int = 0, format: str | None = None
) -> dict[str, ErrorCounts]:
    """The errors of several systems by their names: files without folders and suffixes.

    Args:
        gold: The file with the right answers; "-" is standard input.
        systems: The files of the systems, of the same documents.
        examples: How many errors of each kind and system to keep as examples.
        format: The format of the files; None is by suffix or content.

    >>> counts = count_errors_of_files(
    ...     gold="examples/data/gold.conll", systems=["examples/data/system.conll"]
    ... )
    >>> list(counts)
    ['system']
    """
    if [gold, *systems].count(STANDARD) > 1:
        raise CorelaxError("only one of GOLD and SYSTEM can be standard input")
    paths = dict(zip(system_names(systems), systems, strict=True))
    gold_docs = list(stream(gold, format))
    return {
        name: count_errors(
            gold=gold_docs,
            system=stream(path, format, layers=False),
            examples=examples,
            path=name if path == STANDARD else path,
        )
        for name, path in paths.items()
    }


def mean_errors(runs: Sequence[ErrorCounts]) -> ErrorCounts:
    """The mean counts of several runs of a system; of a single run its own.

    >>> mean_errors([ErrorCounts({("wrong_link", "proper"): n}) for n in (1, 2)]).number("wrong_link")
    1.5
    """
    if len(runs) == 1:
        return runs[0]
    total = sum(runs, ErrorCounts())
    means = {kind: number / len(runs) for kind, number in total.counts.items()}
    return ErrorCounts(means, total.examples)


def document_errors(*, gold: Document, system: Document) -> list[MentionError]:
    """The errors of one document, in the order of the text.

    >>> text = [["Ann", "saw", "Bo", "and", "waved", "to", "him"]]
    >>> gold = Document.from_sentences("d", text, clusters=[[(2, 3), (6, 7)]])
    >>> system = Document.from_sentences("d", text, clusters=[[(0, 1), (6, 7)]])
    >>> [error] = document_errors(gold=gold, system=system)
    >>> error.kind, error.text, error.gold_antecedent, error.system_antecedent
    ('wrong_link', 'him', 'Bo', 'Ann')
    """
    [(gold, system)] = same_documents(gold=[gold], system=[system])
    return [_described(gold, m) for m in judged_mentions(gold, system) if m.kind in ERRORS]


def errors_table(systems: Mapping[str, ErrorCounts]) -> str:
    """Errors as text: kinds below each other, in each a row for every system; types beside each other.

    >>> counts = ErrorCounts({("false_anaphor", "nominal"): 1, ("wrong_link", "proper"): 2})
    >>> print(errors_table({"lea": counts}))
                         Proper   Nominal  Pronominal     Total
    ───────────────────────────────────────────────────────────
    False anaphor      0         1           0         1
    False new          0   0.0%  0   0.0%    0   0.0%  0   0.0%
    Wrong link         2 100.0%  0   0.0%    0   0.0%  2 100.0%
    Correct link       0   0.0%  0   0.0%    0   0.0%  0   0.0%
    <BLANKLINE>
    Anaphoric in gold  2         0           0         2
    """
    columns = (*TYPES, None)
    rows: list[list[str]] = []
    gaps: list[int] = []
    for kind in (*ERRORS, CORRECT_LINK):
        if len(systems) > 1:
            gaps.append(len(rows))
            rows.append([title_of_kind(kind), *("" for _ in columns)])
        for name, counts in systems.items():
            label = f"  {name}" if len(systems) > 1 else title_of_kind(kind)
            rows.append([label, *(_cell(counts, kind, type) for type in columns)])
    first = next(iter(systems.values()))
    gaps.append(len(rows))
    anaphoric = (f"{round(first.anaphoric(type)):,}{NO_PERCENT}" for type in columns)
    rows.append(["Anaphoric in gold", *anaphoric])
    header = ["", *(type.capitalize() for type in TYPES), "Total"]
    return format_table(header, rows, gaps_before=[gap for gap in gaps if gap])


def error_examples(name: str, counts: ErrorCounts) -> Iterator[str]:
    """The examples of one system as lines of text, kind by kind."""
    for kind in ERRORS:
        shown = [error for error in counts.examples if error.kind == kind]
        if shown:
            yield f"\n{name}: {title_of_kind(kind).lower()}, {len(shown)} of {figure(counts.number(kind))}"
        for error in shown:
            links = (error.gold_antecedent, error.system_antecedent)
            gold, system = ("–" if link is None else one_line(link, MAX_TEXT) for link in links)
            text = one_line(error.text, MAX_TEXT)
            name_of_document = shortened(error.document, MAX_NAME)
            yield f"  {text} ({error.type}; gold: {gold}; system: {system}) in {name_of_document}"
            yield f"    {one_line(error.sentence)}"


def system_names(paths: Sequence[str]) -> list[str]:
    """Files without folders and suffixes; as given where that would not tell them apart.

    >>> system_names(["out/lea.conll.gz", "out/b3.conll"]), system_names(["1/out.conll", "2/out.conll"])
    (['lea', 'b3'], ['1/out.conll', '2/out.conll'])
    """
    if again := [path for path, times in Counter(paths).items() if times > 1]:
        raise CorelaxError(f"{again[0]}: this system is named twice")
    stems = ["<stdin>" if p == STANDARD else Path(p.removesuffix(".gz")).stem for p in paths]
    times = Counter(stems)
    return [stem if times[stem] == 1 else path for stem, path in zip(stems, paths, strict=True)]


def title_of_kind(kind: str) -> str:
    return kind.replace("_", " ").capitalize()


def _cell(counts: ErrorCounts, kind: str, type: str | None) -> str:
    percent = f" {counts.share(kind, type):6.1%}" if kind in OF_ANAPHORIC else NO_PERCENT
    return f"{figure(counts.number(kind, type))}{percent}"


def figure(number: float) -> str:
    """A number of mentions, or a mean of such numbers.

    >>> figure(1200), figure(1200.5)
    ('1,200', '1,200.5')
    """
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"


def _described(doc: Document, mention: JudgedMention) -> MentionError:
    return MentionError(
        document=doc.name,
        span=mention.span,
        type=mention.type,
        kind=mention.kind,
        text=doc.text(mention.span),
        gold_antecedent=None if mention.gold is None else doc.text(mention.gold),
        system_antecedent=None if mention.system is None else doc.text(mention.system),
        sentence=_sentence(doc, mention.span),
    )


def _sentence(doc: Document, span: Span) -> str:
    """The sentence of a mention (or the sentences, if it goes over several), the mention in brackets."""
    starts = doc.sentence_starts or (0,)
    first = starts[max(bisect_right(starts, span.start) - 1, 0)]
    after = bisect_left(starts, max(span.end, span.start + 1))
    last = starts[after] if after < len(starts) else len(doc.words)
    before, behind = doc.words[first : span.start], doc.words[span.end : last]
    return " ".join([*before, f"[{doc.text(span)}]", *behind])
