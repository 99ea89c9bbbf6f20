"""What systems get wrong, as data: errors by kind and type of mention, passages in which systems differ."""

from __future__ import annotations

from corelax.analysis.comparison import Comparison, compare
from corelax.analysis.errors import (
    ErrorCounts,
    MentionError,
    count_errors,
    count_errors_of_files,
    document_errors,
    error_examples,
    errors_table,
    mean_errors,
)
from corelax.analysis.passages import choose_passages
from corelax.analysis.pronouns import (
    PeopleCounts,
    PronounCounts,
    people_counts,
    pronoun_counts,
)
from corelax.analysis.reliability import Reliability, reliability
from corelax.analysis.significance import Difference, DocumentCounts, holm, paired_difference

__all__ = [
    "Comparison",
    "Difference",
    "DocumentCounts",
    "ErrorCounts",
    "MentionError",
    "PeopleCounts",
    "PronounCounts",
    "Reliability",
    "choose_passages",
    "compare",
    "count_errors",
    "count_errors_of_files",
    "document_errors",
    "error_examples",
    "errors_table",
    "holm",
    "mean_errors",
    "paired_difference",
    "people_counts",
    "pronoun_counts",
    "reliability",
]
