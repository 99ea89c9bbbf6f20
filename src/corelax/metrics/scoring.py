"""Scoring documents and files: pairs them up, checks them, and adds up their counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from corelax.core.checks import check_beta, check_number
from corelax.core.errors import CorelaxError
from corelax.core.files import STANDARD, open_text, shown
from corelax.document import Document, Span
from corelax.document.clustering import without_singletons
from corelax.document.pairing import check_same_words, pair_documents
from corelax.io import Problems, format_of, stream, topic_rule
from corelax.io.topics import named_entities
from corelax.metrics.blocks import BLOCK, Pair, Wanted, blocks_of, count_block, summed
from corelax.metrics.prepared import Preparation, Prepared
from corelax.metrics.reference.hint import stream_with_hint
from corelax.metrics.registry import COREFUD, SUPPLEMENTS, check_metrics
from corelax.metrics.report import Report
from corelax.metrics.rules import Rules, rules_of

if TYPE_CHECKING:
    from corelax.core.clusters import Cluster

MAX_REPEATED = 10  # the reference scorer refuses a run with more repeated mentions than this

Entities = Iterable[Sequence[Span]]


def score(
    *,
    gold: Iterable[Document],
    system: Iterable[Document],
    metrics: Iterable[str] | None = None,
    beta: float = 1.0,
    singletons: str | None = None,
    match: str | None = None,
    zeros: str | None = None,
    only: str | None = None,
    nested: str = "keep",
    profile: str = "normal",
    check_text: bool = True,
    per_document: bool = False,
    differences: bool = False,
) -> Report:
    """Scores documents against documents of the same names.

    Args:
        gold: The right answers. Any iterable, so `corelax.stream` of a large file too.
        system: The answers to score, in any order.
        metrics: Names from `corelax.metrics.METRICS`, "mor" (mention overlap ratio) or "zero" (anaphor-level
            score of zeros); what the profile reports if None.
        beta: β of the F-measure; more than 1 favours recall.
        singletons: "keep", or "drop" to take entities of one mention off both sides first.
        match: Which mentions count as the same: "exact", "partial", "head" or "min-span" (see `align`).
        zeros: "linear" compares zeros by their place, "dependent" by what they depend on.
        only: "np" takes mentions that are verb phrases by the parse tree off both sides.
        nested: "drop" takes mentions inside another one of their entity off both sides.
        profile: "normal", or "corefud" to do as the scorer of the CRAC shared tasks: match "head", zeros
            "dependent" and singletons "drop" unless said otherwise, its BLANC, and the last entity of a
            mention in two.
        check_text: Whether both sides must have the same words.
        per_document: Whether the report has a report for each document too.
        differences: Whether it lists where the sides differ.

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
    rules = rules_of(
        profile=profile, match=match, zeros=zeros, singletons=singletons, only=only, nested=nested
    )
    if profile == "reference":
        raise CorelaxError("the profile 'reference' reads files; use corelax.metrics.score_files")
    names = _metric_names(metrics, rules)
    wanted = Wanted(names, rules, check_beta(beta), per_document, differences)
    pairs = checked_pairs(wanted, gold=gold, system=system, check_text=check_text)
    report, _ = _tally(pairs, wanted)
    return report


def score_files(
    *,
    gold: str | os.PathLike[str],
    system: str | os.PathLike[str],
    gold_format: str | None = None,
    system_format: str | None = None,
    profile: str = "normal",
    metrics: Iterable[str] | None = None,
    beta: float = 1.0,
    singletons: str | None = None,
    match: str | None = None,
    zeros: str | None = None,
    only: str | None = None,
    nested: str = "keep",
    check_text: bool = True,
    per_document: bool = False,
    differences: bool = False,
    cross_document: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    cluster: Cluster | None = None,
) -> Report:
    """Scores a file against a file, of whatever formats, without holding them in memory.

    The normal profile reads strictly and lists what it found odd in `Report.oddities`. The profile
    "reference" does as the reference scorer v8.01 does: it reads CoNLL-2012 files leniently, takes a
    document that the system lacks as empty, ignores one that gold lacks, lets the last of several
    documents of one name count, looks at no words, and refuses more than ten repeated mentions. The profile
    "corefud" does as the scorer of the CRAC shared tasks (see `score`, which explains the other arguments).

    With `cross_document` the documents of a topic are scored as one; it says how topics are told
    (`corelax.io.topic_rule`).

    With several `jobs` (processes), or on a Ray `cluster`, the report is the same to the bit. They help with
    the normal profile, for CoNLL-2012, CorefUD and jsonlines files that are not gzipped and have their
    documents in the same order; all else is scored by one process.

    >>> report = score_files(
    ...     gold="examples/data/gold.conll", system="examples/data/system.conll", metrics=["mentions"]
    ... )
    >>> report["mentions"].recall  # 22 of 24
    0.9166666666666666
    """
    rules = rules_of(
        profile=profile, match=match, zeros=zeros, singletons=singletons, only=only, nested=nested
    )
    if profile == "reference":
        if cross_document is not None:
            raise CorelaxError("topics go with the normal profile, not with 'reference'")
        if differences:
            raise CorelaxError("differences need words, which the reference profile does not read")
        formats = [gold_format, system_format]
        pairs = _reference_pairs(os.fspath(gold), os.fspath(system), formats, rules.singletons)
        names = check_metrics(metrics)
        wanted = Wanted(names, rules, check_beta(beta), per_document, differences=False)
        report, removed = _tally(pairs, wanted)
        if removed > MAX_REPEATED:
            raise CorelaxError(
                f"{shown(os.fspath(system))}: {removed} mentions are repeated; the reference scorer "
                f"refuses more than {MAX_REPEATED}"
            )
        return report
    check_number("jobs", jobs, at_least=1, integer=True)
    if (jobs > 1 or cluster is not None) and profile == "normal" and cross_document is None:
        from corelax.metrics.parallel import score_in_parallel, side_of

        ours = side_of(os.fspath(gold), gold_format, layers=rules.needs_trees)
        theirs = side_of(os.fspath(system), system_format, layers=False)
        if ours is not None and theirs is not None:
            names = _metric_names(metrics, rules)
            wanted = Wanted(names, rules, check_beta(beta), per_document, differences)
            pairing = partial(checked_pairs, check_text=check_text)
            done = score_in_parallel(ours, theirs, wanted, pairing, jobs=jobs, cluster=cluster)
            if done is not None:
                return done
    problems = [Problems(shown(os.fspath(path))) for path in (gold, system)]
    report = score(
        gold=_documents(gold, gold_format, problems[0], cross_document, layers=rules.needs_trees),
        system=_documents(system, system_format, problems[1], cross_document),
        metrics=metrics,
        beta=beta,
        singletons=singletons,
        match=match,
        zeros=zeros,
        only=only,
        nested=nested,
        profile=profile,
        check_text=check_text,
        per_document=per_document,
        differences=differences,
    )
    return replace(report, oddities=[str(p) for side in problems for p in side.oddities])


def _documents(
    path: str | os.PathLike[str],
    format: str | None,
    problems: Problems,
    cross_document: str | os.PathLike[str] | None,
    *,
    layers: bool = False,
) -> Iterator[Document]:
    """The documents of a file, or its topics."""
    documents = stream_with_hint(path, format, layers=layers, problems=problems)
    if cross_document is None:
        return documents
    from corelax.document import join_topics

    return join_topics(named_entities(documents, path, format), topic_rule(cross_document))


def _metric_names(metrics: Iterable[str] | None, rules: Rules) -> tuple[str, ...]:
    """What is scored: as asked for, or all that the profile reports."""
    if metrics is None and rules.profile == "corefud":
        return COREFUD
    return check_metrics(metrics, supplements=True)


def _tally(pairs: Iterable[Pair], wanted: Wanted) -> tuple[Report, int]:
    """The report, and how many repeated system mentions were taken out."""
    # The reference scorer adds up document by document; that of CorefUD goes by the order of all.
    size = BLOCK if wanted.rules.profile == "normal" else None
    blocks = blocks_of(pairs, size)
    return summed((count_block(block, wanted) for block in blocks), wanted)


def checked_pairs(
    wanted: Wanted, *, gold: Iterable[Document], system: Iterable[Document], check_text: bool
) -> Iterator[Pair]:
    """Documents that both sides have, with the same words."""
    supplements = [name for name in wanted.metrics if name in SUPPLEMENTS]
    preparation = Preparation(wanted.rules, supplements)
    for ours, theirs in pair_documents(gold=gold, system=system, key=lambda doc: doc.name):
        if ours is not None and theirs is not None:
            if check_text:
                check_same_words(gold=ours, system=theirs)
            yield Pair(ours.name, preparation.prepare(gold=ours, system=theirs), (ours, theirs))
        elif ours is not None:
            raise CorelaxError(_one_sided(ours, "gold", "system", "counts it as empty"))
        elif theirs is not None:
            raise CorelaxError(_one_sided(theirs, "system", "gold", "ignores it"))


def _one_sided(doc: Document, side: str, other: str, instead: str) -> str:
    missing = f"document {doc.name} is in {side} but not in {other}"
    return f"{missing} (the profile 'reference' {instead})"


def _reference_pairs(
    gold: str, system: str, formats: Sequence[str | None], singletons: str
) -> Iterator[Pair]:
    """Documents of the gold file; the last one of a name counts on each side."""
    known = []
    for path, format in zip((gold, system), formats, strict=True):
        if format is None and path == STANDARD:
            format = "conll2012"  # it can be read only once, so not to look at it first
        with open_text(path, encoding="latin-1") as file:
            known.append(format_of(path, format, head=file.head))
    mixed = known[0] != known[1]
    ours = _reference_side(gold, known[0], mixed)
    theirs = _reference_side(system, known[1], mixed)
    for name, entities in ours.items():
        sides = entities(), theirs[name]() if name in theirs else []
        gold_side, system_side = (list(without_singletons(side, singletons)) for side in sides)
        yield Pair(name, Prepared(gold_side, system_side))


def _reference_side(path: str, format: str, mixed: bool) -> dict[str, Callable[[], Entities]]:
    """Entities by document name, made only when used: errors in ignored documents are not raised."""
    if format != "conll2012":
        documents = stream(path, format, layers=False)
        return {doc.name: partial(tuple, doc.clusters) for doc in documents}
    from corelax.io.conll2012 import parse_header
    from corelax.metrics.reference.reading import stream_reference

    side: dict[str, Callable[[], Entities]] = {}
    for doc in stream_reference(path):
        name = doc.name  # the whole rest of the header line, blanks at its end included
        if mixed:
            id, part = parse_header(name)
            name = Document(id=id, part=part, words=()).name
        side[name] = doc.entities
    return side
