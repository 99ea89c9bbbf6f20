"""The figures of docs/scale.md."""

from __future__ import annotations

import json

from scripts.scale_page import PAGE, RESULTS, options_of, page_with_figures


def test_the_figures_of_the_page_are_those_of_the_results():
    results = json.loads(RESULTS.read_text())
    assert page_with_figures(PAGE.read_text(), results, options_of([])) == PAGE.read_text(), (
        "python scripts/scale_page.py"
    )


def test_hours_and_money_come_from_tokens_per_second():
    results = json.loads(RESULTS.read_text())
    page = "<!-- figures: billion -->\n<!-- end -->"
    results["speed"]["ways"]["one"] |= {"rate": 10.0, "words": 100.0}  # 1,000 tokens/s
    [core] = [
        line
        for line in page_with_figures(page, results, options_of([])).splitlines()
        if "CPU" in line
    ]
    hours = 1e9 / 1000 / 3600
    assert f"| {hours:,.1f} | {hours / 24:,.1f} | {hours * 0.04:,.0f} $ |" in core
