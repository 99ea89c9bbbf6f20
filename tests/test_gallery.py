"""docs/gallery and the figure of the method show what programs show today; `make gallery` renews them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from benchmarks.chromium import Chromium
from PIL import Image
from scripts import gallery

from corelax import render
from corelax.relax import evaluate
from tests.render.page_reader import in_browser

AGAIN = "make gallery"
GALLERY = gallery.GALLERY
CSS = Path(render.__file__).parent / "templates"


def stored(name: str) -> str:
    return (GALLERY / name).read_text(encoding="utf-8")


def entities(data: dict[str, list[dict[str, list[dict[str, int]]]]]) -> list[list[tuple[int, int]]]:
    return [[(m["start"], m["end"]) for m in entity["mentions"]] for entity in data["entities"]]


def test_the_page_is_what_the_command_writes() -> None:
    now = gallery.resolved_page()
    assert gallery.around_data(now) == gallery.around_data(stored("page.html")), AGAIN
    [shown], [found] = gallery.data_of(stored("page.html")), gallery.data_of(now)
    assert entities(shown) == entities(found), AGAIN


def test_the_explorer_is_that_of_the_server() -> None:
    answer = gallery.data_of(stored("explorer.html"))
    assert gallery.explorer_page(answer) == stored("explorer.html"), AGAIN
    [shown] = gallery.data_of(stored("page.html"))
    assert entities(answer) == entities(shown), AGAIN


def test_the_figure_is_current() -> None:
    assert gallery.method_figure() == gallery.FIGURE.read_text(encoding="utf-8"), AGAIN


def test_the_report_has_the_styles_of_reports() -> None:
    for name in ("report.css", "passages.css"):
        assert (CSS / name).read_text(encoding="utf-8").strip() in stored("report.html"), AGAIN


def outline(page: str) -> list[str]:
    """Sections and columns: what does not depend on scores and times."""
    return re.findall(r"<h[12][^>]*>(.*?)</h|<th[^>]*scope=\"?col[^>]*>(.*?)</th>", page, re.S)


@pytest.mark.slow
def test_the_report_has_the_sections_of_reports(tmp_path: Path) -> None:
    now = outline(gallery.report_page(tmp_path / "study"))
    assert len(now) > 20
    assert outline(stored("report.html")) == now, AGAIN


@pytest.mark.parametrize("name", gallery.PICTURES)
def test_a_picture_is_of_its_page(name: str) -> None:
    page, size, *_ = gallery.PICTURES[name]
    with Image.open(GALLERY / name) as picture:
        assert picture.size == size
        assert picture.info["page"] == gallery.digest_of(GALLERY / page), AGAIN


def test_the_folder_is_small() -> None:
    assert sum(file.stat().st_size for file in GALLERY.iterdir()) < 600_000


@pytest.fixture(scope="module")
def figure() -> Iterator[Chromium]:
    with Chromium() as tab:
        tab.open(gallery.FIGURE)
        yield tab
        assert tab.errors == []


def move(tab: Chromium, id: str, value: object) -> None:
    tab.js(
        f"(e => {{ e.value = {str(value)!r}; e.dispatchEvent(new Event('input')); }})"
        f"(document.getElementById({id!r}))"
    )


class TestFigure:
    pytestmark = in_browser

    @pytest.mark.parametrize("temperature", [1, 0.6, 0.25, 0.05])
    @pytest.mark.parametrize("on", ["entity", "link"])
    @pytest.mark.parametrize("she_to_paris", [0.5, 3])
    def test_soft_b_cubed_is_that_of_the_library(
        self, figure: Chromium, temperature: float, on: str, she_to_paris: float
    ) -> None:
        for id, value in (("s21", she_to_paris), ("temperature", temperature), ("on", on)):
            move(figure, id, value)
        scores = torch.tensor(
            [[0, 0, 0, 0], [-1, 1, 0, 0], [2, she_to_paris, 0, 0], [-1, 1.5, 0.5, 1]],
            dtype=torch.float64,
        )
        report = evaluate(
            scores, torch.tensor([0, 1, 0, 1]), temperature=temperature, temperature_on=on
        )
        shown = float(figure.js("document.getElementById('soft').textContent"))
        assert shown == pytest.approx(float(report["b_cubed"].f1), abs=5.1e-4)

    def test_at_zero_it_is_the_exact_metric(self, figure: Chromium) -> None:
        move(figure, "s21", 3)  # She is linked to Paris; Marie stays alone and is not written
        move(figure, "temperature", 0)
        soft, exact = (
            figure.js(f"document.getElementById({id!r}).textContent") for id in ("soft", "exact")
        )
        recall = (0 + 1 + 1 / 2 + 1) / 4  # Marie, Paris, She, there
        precision = (2 / 3 + 1 / 3 + 2 / 3) / 3  # Paris, She, there
        assert soft == exact == f"{2 * recall * precision / (recall + precision):.3f}"
