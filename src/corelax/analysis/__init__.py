"""What systems get wrong, as data: errors by kind and type of mention, passages in which systems differ."""

from __future__ import annotations

from corelax.analysis.agreement import Agreement, compare_outputs
from corelax.analysis.comparison import Comparison, compare
from corelax.analysis.comparison_tables import (
    agreement_page,
    agreement_passages,
    agreement_table,
    comparison_page,
    comparison_passages,
    comparison_table,
)
from corelax.analysis.errors import (
    ErrorCounts,
    MentionError,
    count_errors,
    count_errors_of_files,
    document_errors,
    error_examples,
    errors_table,
)
from corelax.analysis.passages import choose_passages
from corelax.analysis.reliability import Reliability, reliability
from corelax.analysis.significance import Difference, DocumentCounts, holm, paired_difference

__all__ = [
    "Agreement",
    "Comparison",
    "Difference",
    "DocumentCounts",
    "ErrorCounts",
    "MentionError",
    "Reliability",
    "agreement_page",
    "agreement_passages",
    "agreement_table",
    "choose_passages",
    "compare",
    "compare_outputs",
    "comparison_page",
    "comparison_passages",
    "comparison_table",
    "count_errors",
    "count_errors_of_files",
    "document_errors",
    "error_examples",
    "errors_table",
    "holm",
    "paired_difference",
    "reliability",
]
