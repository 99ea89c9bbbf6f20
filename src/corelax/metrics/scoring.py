"""Scoring documents and files: pairs them up, checks them, and adds up their counts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from corelax.core.errors import CorelaxError, FormatError
from corelax.core.files import STANDARD, open_text, shown
from corelax.document import Document
from corelax.document.pairing import pair_documents, word_difference
from corelax.io import Problems, format_of, stream, topic_rule
from corelax.io.topics import join_topics, named_entities
from corelax.metrics.convention import Convention, Prepared
from corelax.metrics.options import ScoreFilesOptions, ScoreOptions
from corelax.metrics.report import Report

# Sums of fractions depend on their order in the last bits: so many documents are counted by themselves.
BLOCK = 128
MAX_REPEATED = 10  # the reference scorer refuses a run with more repeated mentions than this
OTHER_TEXTS = "--no-check-text, in Python check_text=False, scores different texts"
HINT = "--profile reference, in Python profile='reference', reads this file"


def score(
    *,
    gold: Iterable[Document],
    system: Iterable[Document],
    options: ScoreOptions | None = None,
    **keywords: Any,
) -> Report:
    """Scores documents against documents of the same names.

    Args:
        gold: The right answers. Any iterable, so `corelax.stream` of a large file too.
        system: The answers to score, in any order.
        options: What is scored and how.
        **keywords: Fields of `ScoreOptions`, such as `metrics=["lea"]` or `singletons="drop"`.

    >>> from corelax import Document, Span
    >>> text = [["Ann", "saw", "Bo", "and", "waved", "to", "him"]]
    >>> gold = Document.from_sentences("d", text, clusters=[[(2, 3), (6, 7)], [(0, 1)]])
    >>> system = Document.from_sentences("d", text, clusters=[[(0, 1), (6, 7)], [(2, 3)]])
    >>> report = score(gold=[gold], system=[system])
    >>> round(report["b_cubed"].f1, 4), round(report["mentions"].f1, 4)
    (0.6667, 1.0)
    """
    for name, side in (("gold", gold), ("system", system)):
        if isinstance(side, str | os.PathLike | Document):
            raise CorelaxError(f"{name} must be a list of documents, as corelax.read gives it")
    options = replace(options or ScoreOptions(), **keywords)
    convention = Convention(options, options.metrics)
    if options.profile == "reference":
        raise CorelaxError("the profile 'reference' reads files; use corelax.metrics.score_files")
    pairs = _document_pairs(gold, system, convention, options)
    return _count(pairs, convention, options)[0]


def score_files(
    *,
    gold: str | os.PathLike[str],
    system: str | os.PathLike[str],
    options: ScoreFilesOptions | None = None,
    **keywords: Any,
) -> Report:
    """Scores a file against a file, of whatever formats, without holding them in memory.

    The normal profile reads strictly and lists what it found odd in `Report.oddities`. The profile
    "reference" does as the reference scorer v8.01 does: it reads CoNLL-2012 files leniently, takes a
    document that the system lacks as empty, ignores one that gold lacks, lets the last of several
    documents of one name count, looks at no words, and refuses more than ten repeated mentions. The profile
    "corefud" does as the scorer of the CRAC shared tasks.

    Args:
        gold: The right answers.
        system: The answers to score.
        options: What is scored and how.
        **keywords: Fields of `ScoreFilesOptions`.

    >>> report = score_files(
    ...     gold="examples/data/gold.conll", system="examples/data/system.conll", metrics=["mentions"]
    ... )
    >>> report["mentions"].recall  # 22 of 24
    0.9166666666666666
    """
    options = replace(options or ScoreFilesOptions(), **keywords)
    convention = Convention(options, options.metrics)
    sides = (os.fspath(gold), options.gold_format), (os.fspath(system), options.system_format)
    if options.profile == "reference":
        return _score_like_reference(*sides, convention, options)
    problems = [Problems(shown(path)) for path, _ in sides]
    layers = convention.needs_trees, False  # the trees of gold decide on both sides
    ours, theirs = (
        _documents(*side, of_side, options, layers=with_layers)
        for side, of_side, with_layers in zip(sides, problems, layers, strict=True)
    )
    pairs = _document_pairs(ours, theirs, convention, options)
    report, _ = _count(pairs, convention, options)
    return replace(report, oddities=[str(p) for side in problems for p in side.oddities])


class PreparedPair(NamedTuple):
    """A document as it is counted, and its two sides where they were read."""

    name: str
    prepared: Prepared
    documents: tuple[Document, Document] | None = None


def _count(
    pairs: Iterable[PreparedPair], convention: Convention, options: ScoreOptions
) -> tuple[Report, int]:
    """The report, and how many repeated system mentions were taken out."""
    total, block = convention.tally(), convention.tally()
    reports: dict[str, Report] = {}
    differences: dict[str, Sequence[str]] = {}
    for number, (name, prepared, documents) in enumerate(pairs, 1):
        block.add_prepared(prepared)
        if options.per_document:
            alone = convention.tally()
            alone.add_prepared(prepared)
            reports[name] = Report(alone.counts(), beta=options.beta)
        if options.differences and documents and (lines := _described(*documents, convention)):
            differences[name] = lines
        # The reference scorer adds up document by document; that of CorefUD goes by the order of all.
        if number % BLOCK == 0 and options.profile == "normal":
            total.add_tally(block)
            block = convention.tally()
    total.add_tally(block)
    report = Report(total.counts(), beta=options.beta, documents=reports, differences=differences)
    return report, total.removed


def _described(gold: Document, system: Document, convention: Convention) -> Sequence[str]:
    from corelax.document import describe_differences

    ours, theirs = convention.compared_clusters(gold=gold, system=system)
    return list(describe_differences(gold, gold=ours, system=theirs))


def _document_pairs(
    gold: Iterable[Document],
    system: Iterable[Document],
    convention: Convention,
    options: ScoreOptions,
) -> Iterator[PreparedPair]:
    for ours, theirs in pair_documents(gold=gold, system=system, key=lambda doc: doc.name):
        if ours is not None and theirs is not None:
            if options.check_text and (difference := word_difference(gold=ours, system=theirs)):
                raise CorelaxError(f"{difference} ({OTHER_TEXTS})")
            prepared = convention.prepare(gold=ours, system=theirs)
            yield PreparedPair(ours.name, prepared, (ours, theirs))
        elif ours is not None:
            raise CorelaxError(_one_sided(ours, "gold", "system", "counts it as empty"))
        elif theirs is not None:
            raise CorelaxError(_one_sided(theirs, "system", "gold", "ignores it"))


def _one_sided(doc: Document, side: str, other: str, instead: str) -> str:
    missing = f"document {doc.name} is in {side} but not in {other}"
    return f"{missing} (the profile 'reference' {instead})"


def _documents(
    path: str,
    format: str | None,
    problems: Problems,
    options: ScoreFilesOptions,
    *,
    layers: bool,
) -> Iterator[Document]:
    documents = _stream_with_hint(path, format, problems, layers=layers)
    if options.cross_document is None:
        return documents
    rule = topic_rule(options.cross_document)
    return join_topics(named_entities(documents, path, format), rule)


def _stream_with_hint(
    path: str, format: str | None, problems: Problems, *, layers: bool
) -> Iterator[Document]:
    """The documents of a file. An error in it names the profile that would read it, if that is so."""
    try:
        yield from stream(path, format, layers=layers, problems=problems)
    except FormatError as error:
        if not _reference_reads(path, format):
            raise
        room = 199 - len(HINT) - 3
        message = f"{error.message[:room]} ({HINT})"
        raise FormatError(message, path=error.path, line=error.line) from None


def _reference_reads(path: str, format: str | None) -> bool:
    """Whether the reference scorer reads all documents of a CoNLL-2012 file."""
    if path == STANDARD:
        return False
    from corelax.metrics.reference_files import stream_reference

    try:
        with open_text(path, encoding="latin-1") as file:
            if format_of(path, format, head=file.head) != "conll2012":
                return False
        return sum(doc.entities() is not None for doc in stream_reference(path)) > 0
    except CorelaxError:
        return False


def _score_like_reference(
    gold: tuple[str, str | None],
    system: tuple[str, str | None],
    convention: Convention,
    options: ScoreFilesOptions,
) -> Report:
    from corelax.metrics.reference_files import reference_entities

    if options.cross_document is not None:
        raise CorelaxError("topics go with the normal profile, not with 'reference'")
    if options.differences:
        raise CorelaxError("differences need words, which the reference profile does not read")
    entities = reference_entities(gold, system, convention.singletons)
    pairs = (PreparedPair(name, Prepared(*sides)) for name, sides in entities)
    report, removed = _count(pairs, convention, options)
    if removed > MAX_REPEATED:
        raise CorelaxError(
            f"{shown(system[0])}: {removed} mentions are repeated; the reference scorer "
            f"refuses more than {MAX_REPEATED}"
        )
    return report
