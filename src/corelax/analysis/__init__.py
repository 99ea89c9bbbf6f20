"""What systems get wrong: errors by kind and by type of mention."""

from __future__ import annotations

from corelax.analysis.errors import ErrorCounts, MentionError, count_errors, document_errors

__all__ = ["ErrorCounts", "MentionError", "count_errors", "document_errors"]
