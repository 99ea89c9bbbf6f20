"""The options of scoring: each with its default and a line about it, once for Python and for the command."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

Profile = Literal["normal", "reference", "corefud"]
Match = Literal["exact", "partial", "head", "min-span"]
Zeros = Literal["linear", "dependent"]
Singletons = Literal["keep", "drop"]
Nested = Literal["keep", "drop"]
Only = Literal["np"]

_MATCH = (
    "Which mentions count as the same: same words (the default); inside the gold mention, with its head; "
    "same head; same minimum span by the parse tree."
)
_ZEROS = "Whether zeros are compared by their place (the default) or by what they depend on."
_SINGLETONS = "Whether entities of one mention count; they do, but not with --profile corefud."
_ONLY = "'np' leaves out mentions that are verb phrases by the parse tree."
_NESTED = "Whether mentions inside another one of their entity count."
_PROFILE = (
    "'reference' does as the reference scorer v8.01, 'corefud' as the scorer of the CRAC shared tasks, to "
    "the digit."
)
_BETA = "β of the F-measure: above 1 favours recall; only 1 has a CoNLL score."
_CROSS_DOCUMENT = (
    "Score a topic as one document. RULE is what ends the topic in a document's name (_ for ECB+), a file "
    "with a document, a tab and its topic on each line, or 'all'."
)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What is scored, and when mentions count as the same. What is None is as the profile has it.

    Attributes:
        match: "exact" (the same words), "partial" (the system's mention lies inside the gold one and has its
            head), "head" (the same head) or "min-span" (the same minimum span by the parse tree of gold).
        zeros: "linear" compares zeros by their place, "dependent" by what they depend on.
        singletons: "keep", or "drop" to take entities of one mention off both sides first.
        only: "np" takes mentions that are verb phrases by the parse tree off both sides.
        nested: "drop" takes mentions inside another one of their entity off both sides.
        profile: "normal"; "corefud" does as the scorer of the CRAC shared tasks: match "head", zeros
            "dependent" and singletons "drop" unless said otherwise, its BLANC, and the last entity of a
            mention in two; "reference" does as the reference scorer v8.01, with files only.
    """

    match: Match | None = field(default=None, metadata={"help": _MATCH})
    zeros: Zeros | None = field(default=None, metadata={"help": _ZEROS})
    singletons: Singletons | None = field(default=None, metadata={"help": _SINGLETONS})
    only: Only | None = field(default=None, metadata={"help": _ONLY})
    nested: Nested = field(default="keep", metadata={"help": _NESTED})
    profile: Profile = field(default="normal", metadata={"help": _PROFILE})


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(Rules):
    """What `score` takes beside documents.

    Attributes:
        metrics: Names from `corelax.metrics.METRICS`, "mor" (mention overlap ratio) or "zero" (anaphor-level
            score of zeros); what the profile reports if None.
        beta: β of the F-measure; more than 1 favours recall.
        check_text: Whether both sides must have the same words.
        per_document: Whether the report has a report for each document too.
        differences: Whether it lists where the sides differ.
    """

    metrics: Iterable[str] | None = None
    beta: float = field(default=1.0, metadata={"help": _BETA})
    check_text: bool = field(
        default=True, metadata={"help": "Whether both sides must have the same words."}
    )
    per_document: bool = field(default=False, metadata={"help": "Also show each document."})
    differences: bool = field(
        default=False, metadata={"help": "Also show where the two differ, with the words."}
    )


@dataclass(frozen=True, kw_only=True)
class ScoreFilesOptions(ScoreOptions):
    """What `score_files` takes beside files.

    Attributes:
        gold_format: The format of the gold file; by suffix or content if None.
        system_format: The same of the system's file.
        cross_document: Scores the documents of a topic as one, and says how topics are told
            (`corelax.io.topic_rule`).
    """

    gold_format: str | None = field(default=None, metadata={"help": "Format of GOLD."})
    system_format: str | None = field(default=None, metadata={"help": "Format of SYSTEM."})
    cross_document: str | os.PathLike[str] | None = field(
        default=None, metadata={"help": _CROSS_DOCUMENT, "metavar": "RULE"}
    )
