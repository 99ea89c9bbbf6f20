"""A report as files: what a reader, a spreadsheet and a program find in them."""

from __future__ import annotations

import csv
import json
import re
import struct
import sys
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from corelax import CorelaxError
from corelax.render.figures import COLOURS, Figure, Level, Panel, Series, figure_png, figure_svg
from corelax.render.marked_text import ShownMention
from corelax.render.markup import line_markdown
from corelax.render.pages import Page, Section, page_html, write_report
from corelax.render.passages import Passage, Passages, Version
from corelax.render.tables import Cell, Row, Table, table_csv, table_json, table_markdown

NASTY = """<script>alert("1")</script> & 'it' | *a* _b_ `c` $d$ [e](f) &lt;"""
SCORES = Table(
    "scores",
    "Scores of two losses",
    ["loss", "CoNLL", "updates"],
    [
        Row(["Baselines"], heading=True),
        Row(["ranking", Cell("61.15 ± 0.19", {"mean": 61.149812345, "sd": 0.19123}), "1,200"]),
        Row(["Metrics, relaxed"], heading=True),
        Row(
            ["LEA", Cell("62.03 ± 0.1", {"mean": 1 / 3, "sd": 0.1}, best=True, title="seeds"), "–"]
        ),
    ],
    "Means over five seeds.",
)
LINES = [
    Series("LEA loss", [0.1, 0.5, 1.0], [61.25, 62.5, 62.75], [0.25, 0.125, 0.5]),
    Series("B³ loss", [0.1, 0.5], [60.5, 61.75]),
]
PANELS = [
    Panel("dev", "temperature", "CoNLL", LINES, [Level("ranking", 61.15)], True, [0.1, 0.5, 1]),
    Panel("test", "temperature", "LEA", LINES[:1]),
]
HEAT = Figure("heat", "By temperature", PANELS, "Bands are deviations.")
GOLD = Version("gold", [ShownMention(0, 1, 0), ShownMention(2, 3, 0)])
TEXTS = Passages(
    "texts", "Passages", "Two mentions.", [Passage("doc", "", ["Ann", "saw", "her"], [GOLD])]
)
PAGE = Page(
    "Losses",
    ["LEA is **better** at `T = 1`."],
    [("seeds", "five of them")],
    [
        Section("Results", ["Some <words>."], [SCORES]),
        Section("Results", [], [HEAT, replace(HEAT, key="again"), TEXTS]),
    ],
    "corelax study --seeds 5",
)


class Reader(HTMLParser):
    """The elements, with their attributes, and the text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.inside: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "style" not in self.inside:
            self.texts.append(data.strip())

    def all(self, attribute: str) -> list[str]:
        return [attrs[attribute] for _, attrs in self.elements if attribute in attrs]


def nasty_page() -> Page:
    """A page all of whose texts are markup."""
    cell = Cell(NASTY, title=NASTY, best=True)
    table = Table("t", NASTY, [NASTY, "b"], [Row([NASTY], heading=True), Row([cell, NASTY])], NASTY)
    panel = Panel(NASTY, NASTY, NASTY, [Series(NASTY, [1], [2])], [Level(NASTY, 1)])
    figure = Figure("f", NASTY, [panel], NASTY)
    return Page(NASTY, [], [(NASTY, NASTY)], [Section(NASTY, [], [table, figure])], NASTY)


def test_the_page_shows_every_cell_heading_and_fact() -> None:
    page = Reader(page_html(PAGE))
    cells = [cell for row in SCORES.rows for cell in row.cells]
    expected = {cell.text if isinstance(cell, Cell) else cell for cell in cells}
    expected |= {SCORES.title, SCORES.caption, HEAT.title, HEAT.caption, TEXTS.title, "LEA loss"}
    expected |= {
        *SCORES.columns,
        "Losses",
        "seeds",
        "five of them",
        "corelax study --seeds 5",
        "Ann",
    }
    expected |= {"61.25 ± 0.25", "CoNLL; ranking: 61.15"}  # the numbers of a figure
    assert expected <= set(page.texts)


def test_marks_of_paragraphs_become_elements() -> None:
    html = page_html(PAGE)
    assert "LEA is <strong>better</strong> at <code>T = 1</code>." in html
    assert "Some &lt;words&gt;." in html


def test_text_is_never_taken_for_markup() -> None:
    page = Reader(page_html(nasty_page()))
    assert "script" not in {tag for tag, _ in page.elements}
    assert page.texts.count(NASTY) > 10
    assert page.all("title") == [NASTY]


def test_nothing_is_loaded_from_elsewhere() -> None:
    html = page_html(PAGE)
    page = Reader(html)
    assert not {"script", "img", "iframe", "object"} & {tag for tag, _ in page.elements}
    assert all(
        link.startswith(("#", "data:")) for link in page.all("href") + page.all("xlink:href")
    )
    assert not page.all("src")
    assert not re.search(r"@import|https?://|url\((?!#)", html)


def test_ids_are_unique_and_links_lead_somewhere() -> None:
    html = page_html(PAGE)
    page = Reader(html)
    ids = page.all("id")
    assert len(ids) == len(set(ids))
    named = [id for value in page.all("aria-labelledby") for id in value.split()]
    links = [link[1:] for link in page.all("href") if link.startswith("#")]
    assert {*named, *links, *re.findall(r"url\(#([^)]+)\)", html)} <= set(ids)
    assert {"scores", "heat", "again", "texts"} <= set(links)


def test_headings_form_an_outline_and_drawings_are_described() -> None:
    page = Reader(page_html(PAGE))
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert ("html", {"lang": "en"}) in page.elements
    drawings = [
        attrs for tag, attrs in page.elements if tag == "svg" and "aria-hidden" not in attrs
    ]
    assert len(drawings) == 4
    assert all("temperature" in attrs["aria-label"] for attrs in drawings)


def test_csv_has_the_numbers_behind_the_cells() -> None:
    first, second = csv.DictReader(table_csv(SCORES).splitlines())
    assert list(first) == ["group", "loss", "CoNLL mean", "CoNLL sd", "updates"]
    assert (first["group"], second["group"]) == ("Baselines", "Metrics, relaxed")
    assert float(first["CoNLL mean"]) == 61.149812345
    assert float(second["CoNLL mean"]) == 1 / 3
    assert first["updates"] == "1,200"


def test_text_among_numbers_is_kept() -> None:
    rows = [Row(["a", Cell("1.0", {"value": 1})]), Row(["b", "out of memory"]), Row(["c", "–"])]
    table = Table("t", "", ["", "F1"], rows)
    first, second, third = csv.DictReader(table_csv(table).splitlines())
    assert first == {"name": "a", "F1": "1", "F1 text": ""}
    assert second == {"name": "b", "F1": "", "F1 text": "out of memory"}
    assert third == {"name": "c", "F1": "", "F1 text": ""}
    assert [record["F1"] for record in json.loads(table_json(table))] == [1, "out of memory", None]


def test_json_is_unrounded() -> None:
    first, second = json.loads(table_json(SCORES))
    assert first["CoNLL"] == {"mean": 61.149812345, "sd": 0.19123}
    assert second == {
        "group": "Metrics, relaxed",
        "loss": "LEA",
        "CoNLL": {"mean": 1 / 3, "sd": 0.1},
        "updates": None,
    }


def test_a_missing_number_is_null_in_json() -> None:
    table = Table("t", "", ["a"], [Row([Cell("nan", {"mean": float("nan"), "sd": 1.0})])])
    assert json.loads(table_json(table)) == [{"a": {"mean": None, "sd": 1.0}}]


def test_markdown_reads_as_a_table() -> None:
    html = MarkdownIt("commonmark").enable("table").render(table_markdown(SCORES))
    page = Reader(html)
    assert [tag for tag, _ in page.elements].count("tr") == 5
    assert {"61.15 ± 0.19", "1,200", "Baselines", "loss"} <= set(page.texts)
    assert "<strong>62.03 ± 0.1</strong>" in html
    assert "<strong>Baselines</strong>" in html
    right = [attrs for _, attrs in page.elements if "right" in attrs.get("style", "")]
    assert len(right) == 2 * 5  # two columns of numbers


def test_markdown_of_nasty_text_shows_that_text() -> None:
    [table, _] = nasty_page().sections[0].items
    assert isinstance(table, Table)
    page = Reader(MarkdownIt("commonmark").enable("table").render(table_markdown(table)))
    tags = {tag for tag, _ in page.elements}
    assert tags == {"table", "thead", "tbody", "tr", "th", "td", "strong"}
    assert "".join(page.texts).count(NASTY) == 4


@given(st.text(st.sampled_from("ab1 .)#>-+=*_`[]()!<>&;|\\~\n"), max_size=12))
def test_a_line_of_markdown_shows_its_text(text: str) -> None:
    page = Reader(MarkdownIt("commonmark").enable("table").render(line_markdown(text)))
    assert {tag for tag, _ in page.elements} <= {"p"}
    assert "".join(page.texts) == " ".join(text.split())


def test_the_same_page_gives_the_same_bytes(tmp_path: Path) -> None:
    first = write_report(PAGE, tmp_path / "first")
    matplotlib = pytest.importorskip("matplotlib")
    with matplotlib.rc_context({"font.size": 30, "axes.grid": True}):  # whatever the user likes
        second = write_report(PAGE, tmp_path / "second")
        assert matplotlib.rcParams["font.size"] == 30
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_the_files_of_a_report(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    other = tmp_path / "tables" / "other.csv"
    other.write_text("kept")
    written = {path.relative_to(tmp_path).as_posix() for path in write_report(PAGE, tmp_path)}
    figures = {f"figures/{key}.{end}" for key in ("heat", "again") for end in ("png", "svg")}
    tables = {f"tables/scores.{end}" for end in ("csv", "json")}
    assert written == {"report.html", "report.md"} | figures | tables
    assert other.read_text() == "kept"
    report = MarkdownIt("commonmark").enable("table").render((tmp_path / "report.md").read_text())
    pictures = [attrs["src"] for tag, attrs in Reader(report).elements if tag == "img"]
    assert set(pictures) <= written
    assert {"Losses", "By temperature", "Passages"} <= set(Reader(report).texts)


def test_without_matplotlib_figures_are_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write_report(PAGE, tmp_path)
    assert not (tmp_path / "figures").exists()
    for name in ("report.html", "report.md"):
        text = (tmp_path / name).read_text()
        assert "pip install corelax[plots]" in text
        assert "61.25 ± 0.25" in text
        assert "figures/" not in text
    assert "<svg" not in (tmp_path / "report.html").read_text()


def test_a_png_is_wide_enough_to_read() -> None:
    content = figure_png(HEAT)
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    assert 1000 <= width <= 2500
    assert width / 4 <= height <= width


def test_an_svg_has_its_words_as_text_in_the_colour_of_its_surroundings() -> None:
    root = ElementTree.fromstring(figure_svg(HEAT))
    texts = [element for element in root.iter() if element.tag.endswith("}text")]
    words = {element.text for element in texts}
    assert {"LEA loss", "B³ loss", "ranking", "dev", "test", "temperature", "0.1"} <= words
    assert all("fill: currentColor" in element.attrib["style"] for element in texts)


def test_a_series_looks_the_same_in_every_panel() -> None:
    panels = [Panel("", "x", "y", LINES), Panel("", "x", "y", LINES[::-1])]
    svg = figure_svg(Figure("f", "", panels))
    assert {colour for colour in COLOURS if colour in svg} == set(COLOURS[:2])


@pytest.mark.parametrize("labels", [["_hidden", "$x$"], []])
def test_any_label_can_be_drawn(labels: list[str]) -> None:
    panel = Panel("$t$", "$x", "y$", [Series(label, [1, 2], [3, 4]) for label in labels])
    words = ElementTree.fromstring(figure_svg(Figure("f", "", [panel]))).itertext()
    assert {*labels, "$t$", "$x", "y$"} <= set(words)


def luminance(colour: Sequence[float]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def rgb(colour: str) -> list[float]:
    return [int(colour.lstrip("#")[place : place + 2], 16) / 255 for place in (0, 2, 4)]


def contrast(one: Sequence[float], other: Sequence[float]) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_have_contrast(scheme: int) -> None:
    """WCAG 2: 4.5 for text, 3 for lines."""
    styles = re.search(r"<style>.*?</style>", page_html(PAGE), re.DOTALL)
    assert styles
    found = {
        name: rgb(re.findall(rf"--{name}: (#\w{{6}})", styles[0])[scheme])
        for name in ("paper", "tint", "ink", "soft", "accent")
    }
    for ground in ("paper", "tint"):
        assert all(contrast(found[name], found[ground]) > 4.5 for name in ("ink", "soft", "accent"))
    assert all(contrast(rgb(colour), found["paper"]) > 3 for colour in COLOURS)


@pytest.mark.parametrize(("scheme", "page"), [("light", 1.0), ("dark", 0.1)])
def test_numbers_can_be_read_on_the_colour_of_their_entity(scheme: str, page: float) -> None:
    css = files("corelax.render").joinpath("templates/passages.css").read_text()
    light, dark = css.split("@media (prefers-color-scheme: dark)")
    palette = re.findall(
        r"--(?:entity-\d|mistake): #(\w{6});", {"light": light, "dark": dark}[scheme]
    )
    assert len(palette) == len(set(palette)) == 11
    for code in palette:
        ink = rgb(code)
        filling = [0.14 * part + 0.86 * page for part in ink]
        assert contrast(ink, filling) >= 4.5


@pytest.mark.parametrize(
    ("x", "shown", "hidden"),
    [
        ([0.8, 1, 1.2, 1.4, 1.6, 16], {"0.8", "1", "1.2", "1.6", "16"}, {"1.4"}),
        (list(range(1, 21)), {"1", "10"}, {"2", "15"}),  # too many: matplotlib chooses
    ],
)
def test_labels_of_an_axis_have_room(x: list[float], shown: set[str], hidden: set[str]) -> None:
    panel = Panel("", "beta", "F1", [Series("a", x, [50.0] * len(x))], log_x=True)
    words = set(ElementTree.fromstring(figure_svg(Figure("f", "", [panel]))).itertext())
    assert shown <= words
    assert not hidden & words


def test_contradictions_are_refused() -> None:
    with pytest.raises(CorelaxError, match="2 cells, not 3"):
        replace(SCORES, rows=[Row(["a", "b"])])
    with pytest.raises(CorelaxError, match="cannot name a file"):
        replace(SCORES, key="../scores")
    with pytest.raises(CorelaxError, match="used twice"):
        Page("", sections=[Section("", [], [SCORES, replace(HEAT, key="Scores")])])
    with pytest.raises(CorelaxError, match="differ in length"):
        Series("a", [1, 2], [1])
    with pytest.raises(CorelaxError, match="above 0"):
        Panel("", "", "", [Series("a", [0, 1], [1, 1])], log_x=True)


def test_an_error_writes_nothing(tmp_path: Path) -> None:
    twice = Table("t", "", ["a", "a"], [Row(["1", "2"])])
    with pytest.raises(CorelaxError, match="columns of the same name"):
        write_report(Page("", sections=[Section("", [], [twice])]), tmp_path)
    assert not list(tmp_path.iterdir())
