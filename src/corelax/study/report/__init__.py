"""The report of a study: tables, figures, answers, and the page that holds them."""

from corelax.study.report.page import study_page
from corelax.study.report.scores import summary_text

__all__ = ["study_page", "summary_text"]
