"""Reading and writing coreference data: `read`, `stream`, `write`, `validate`, and the formats they know."""

from corelax.io.file_sets import annotated_files, match_files
from corelax.io.formats import (
    ALIASES,
    FORMATS,
    Format,
    format_for,
    format_of,
    read,
    stream,
    suffix_format,
    validate,
    write,
)
from corelax.io.problems import Problem, Problems
from corelax.io.topics import join_topics, topic_rule

__all__ = [
    "ALIASES",
    "FORMATS",
    "Format",
    "Problem",
    "Problems",
    "annotated_files",
    "format_for",
    "format_of",
    "join_topics",
    "match_files",
    "read",
    "stream",
    "suffix_format",
    "topic_rule",
    "validate",
    "write",
]
