"""The page of the server in a real Chromium: paste, resolve, correct, undo, save, reload; the explorer."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.chromium import Chromium

from corelax.io import read
from corelax.metrics import evaluate as exact
from corelax.resolve import Resolver
from tests.render.page_reader import DESKTOP, PHONE, Reader, in_browser
from tests.render.test_page_looks import FAINT, UNNAMED
from tests.serve.running import Client, server

pytestmark = in_browser
STORY = "Ann fed her dog. Then it barked at her."
METRICS = ("muc", "b_cubed", "ceaf_e", "lea", "blanc")


@pytest.fixture(scope="module")
def tab() -> Iterator[Chromium]:
    with Chromium() as tab:
        yield tab


@pytest.fixture(scope="module")
def resolver() -> Resolver:
    return Resolver.from_pretrained(threads=1)


@pytest.fixture(scope="module")
def client(resolver: Resolver) -> Iterator[Client]:
    with server(resolver, max_characters=20_000) as (client, _):
        yield client


@pytest.fixture
def page(tab: Chromium, client: Client, tmp_path: Path) -> Iterator[Page]:
    page = Page(tab, tmp_path)
    page.visit(client)
    yield page
    assert tab.errors == []  # the policy for content is part of this


class Page(Reader):
    """Somebody in front of the page of a server."""

    def visit(self, client: Client) -> None:
        """Opens the page as a new reader."""
        for _ in range(2):
            self.tab._load("Page.navigate", url=client.url)
            self.js("localStorage.clear(), sessionStorage.clear()")
        self.tab.reload()

    def until(self, expression: str) -> Any:
        """Waits until an expression is true."""
        end = time.monotonic() + 30
        while not (value := self.js(expression)):
            assert time.monotonic() < end, expression
            time.sleep(0.02)
        return value

    def paste(self, text: str) -> None:
        """Puts a text in, and resolves it by keys."""
        self.js("source.focus(), source.select()")
        self.tab.type(text)
        self.tab.press("Control+Enter")

    def shown(self) -> list[str]:
        """The mentions of the text."""
        return self.mentions("mention")

    def set(self, id: str, value: object) -> None:
        """Moves a control."""
        self.js(
            f"(e => {{ e.value = {str(value)!r}; e.dispatchEvent(new Event('input')); }})"
            f"(document.getElementById({id!r}))"
        )
        self.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def table(self) -> dict[str, list[float]]:
        """The numbers of the explorer."""
        rows = self.js(
            "[...measures.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))"
        )
        return {name: [float(cell) for cell in cells] for name, *cells in rows}


def test_paste_resolve_correct_undo_save_reload(page: Page, client: Client) -> None:
    assert page.js("document.querySelector('main').checkVisibility()") is False
    page.paste(STORY)
    page.until("document.querySelectorAll('.mention').length")
    found = [m["text"] for e in client.resolve(STORY).json["entities"] for m in e["mentions"]]
    assert sorted(page.shown()) == sorted(found)
    page.focus(0)
    page.tab.press("t")  # takes the mention out of its entity
    [document] = read(page.save("jsonlines"))
    assert 1 in map(len, document.clusters)
    page.tab.press("Control+z")
    assert 1 not in map(len, read(page.save("jsonlines"))[0].clusters)
    page.tab.press("t")
    page.tab.reload()
    page.until("document.querySelectorAll('.mention').length")
    assert page.js("source.value") == STORY
    assert "again" in page.status
    assert 1 in map(len, read(page.save("jsonlines"))[0].clusters)


def test_files_are_opened_and_dropped(page: Page) -> None:
    drop = """(bytes => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], "my text.txt"));
      const event = { dataTransfer: data, bubbles: true, cancelable: true };
      document.body.dispatchEvent(new DragEvent("drop", event));
    })"""
    page.js(f"{drop}({list(STORY.encode())})")
    page.until("document.querySelectorAll('.mention').length")
    assert page.save("jsonlines").name == "my_text.txt.jsonl"
    page.js(f"{drop}([65, 255, 66])")
    assert page.until("problem.textContent") == "my text.txt is not a text in UTF-8."


def test_examples_are_resolved_at_once(page: Page) -> None:
    for name in page.js("[...example.options].slice(1).map(o => o.value)"):
        page.js(f"example.value = {name!r}, example.dispatchEvent(new Event('change'))")
        page.until(
            f"!resolve.disabled && document.querySelector('main').checkVisibility() && {len(name)}"
        )
        assert len(page.shown()) > 8
        assert page.js("document.querySelectorAll('#measures tbody tr').length") == 5


def test_what_the_server_refuses_is_said(page: Page) -> None:
    page.js("source.value = 'x'.repeat(20_001), ask.requestSubmit()")
    said = page.until("problem.textContent")
    assert said == "20,001 characters of text; at most 20,000 are taken."
    page.tab.errors.clear()  # the browser notes every status above 399
    page.paste(STORY)
    page.until("document.querySelectorAll('.mention').length")
    assert page.js("problem.textContent") == ""


def test_hostile_text_is_text(page: Page) -> None:
    hostile = (
        "</script><img/src=x:onerror=document.title=1> Ann said <b>she</b> left. Ann fed her dog."
    )
    page.paste(hostile)
    page.until("document.querySelectorAll('.mention').length")
    assert page.js("document.title") == "corelax"
    assert page.js("document.querySelectorAll('#text img, #text b, #explorer img').length") == 0


def test_a_token_is_asked_for_and_used(page: Page, resolver: Resolver) -> None:
    with server(resolver, token="s3cret") as (client, _):
        page.visit(client)
        page.js(f"source.value = {STORY!r}, ask.requestSubmit()")
        page.until("!secret.hidden")
        page.tab.errors.clear()  # the browser notes every status above 399
        assert page.js("document.activeElement.id") == "token"
        page.tab.type("s3cret")
        page.tab.press("Enter")
        page.until("document.querySelector('main').checkVisibility()")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_everything_has_a_name_and_can_be_read(
    page: Page, size: tuple[int, int], dark: bool
) -> None:
    page.tab.look(size, dark=dark)
    for act in ("empty", "resolved"):
        if act == "resolved":
            page.paste(STORY)
            page.until("document.querySelectorAll('.mention').length")
        assert page.js(UNNAMED) == []
        assert page.js(FAINT) == []
        assert page.js("document.documentElement.scrollWidth") <= size[0]
        if axe := os.environ.get("CORELAX_AXE"):  # the file axe.min.js of axe-core
            page.js(Path(axe).read_text(encoding="utf-8") + ";0")
            found = page.js("axe.run().then(r => r.violations.map(v => [v.id, v.nodes[0].html]))")
            assert found == []


def test_the_matrix_can_be_read_with_the_arrow_keys(page: Page) -> None:
    page.paste(STORY)
    page.until("document.querySelectorAll('.mention').length")
    page.js("matrix.focus()")
    page.tab.press("ArrowDown", "ArrowDown")
    assert page.js("cell.textContent").startswith("“")
    page.set("which-matrix", "gold")
    assert "same gold entity" in page.js("cell.textContent")


def test_keys_can_be_faster_than_the_first_frame(page: Page) -> None:
    page.js("frames = [], requestAnimationFrame = frame => frames.push(frame)")
    page.paste(STORY)
    page.until("document.querySelectorAll('.mention').length && frames.length")
    page.js("matrix.focus()")
    page.tab.press("ArrowDown")
    assert page.js("cell.textContent").startswith("“")


def test_correcting_moves_the_curves(page: Page) -> None:
    page.paste(STORY)
    page.until("document.querySelectorAll('.mention').length")
    page.set("temperature", 0)
    before, curves = page.table(), page.js("curves.innerHTML")
    page.focus(0)
    page.tab.press("t")
    page.set("temperature", 0)
    after = page.table()
    assert all(after[name][2] < before[name][2] for name in after)
    assert page.js("curves.innerHTML") != curves
    page.tab.press("Control+z")
    page.set("temperature", 0)
    assert page.table() == before


def test_a_text_that_is_too_long_for_the_explorer_is_resolved_all_the_same(page: Page) -> None:
    page.js(f"source.value = {STORY + ' '!r}.repeat(120), ask.requestSubmit()")
    page.until("document.querySelectorAll('.mention').length > 400")
    assert "too many to draw" in page.js("document.getElementById('explorer-none').textContent")
    assert page.js("document.getElementById('explorer-parts').checkVisibility()") is False


def random_case(chance: random.Random, n: int) -> tuple[Any, list[int], list[int]]:
    """Links, gold entities and their full sizes."""
    links = []
    for i in range(n):
        choices = sorted({i, *chance.sample(range(i), chance.randint(min(i, 1), min(i, 4)))})
        weights = [chance.random() ** 3 + 1e-4 for _ in choices]
        links.append([[j, w / sum(weights)] for j, w in zip(choices, weights, strict=True)])
    gold = [chance.randint(-1, n // 3) for _ in range(n)]
    sizes = [gold.count(v) + (chance.random() < 0.2) for v in range(n // 3 + 1)]
    return links, gold, sizes


def in_page(page: Page, case: Any, **options: Any) -> dict[str, Any]:
    links, gold, sizes = case
    matrix = f"relax.linkMatrix({json.dumps(links)})"
    return page.js(f"relax.evaluate({matrix}, {gold}, {sizes}, {json.dumps(options)}).scores")


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("on", ["entity", "link"])
@pytest.mark.parametrize("singletons", ["drop", "keep"])
def test_the_explorer_computes_what_corelax_computes(
    page: Page, n: int, on: str, singletons: str
) -> None:
    torch = pytest.importorskip("torch")
    from corelax.relax import evaluate

    chance = random.Random(n)
    for temperature, beta in ((1.0, 1.0), (0.5, 1.0), (0.2, 1.5)):
        case = links, gold, sizes = random_case(chance, n)
        scores = torch.full((n, n), -torch.inf, dtype=torch.float64)
        for i, row in enumerate(links):
            for j, p in row:
                scores[i, j] = torch.tensor(p, dtype=torch.float64).log()
        report = evaluate(
            scores, torch.tensor(gold), gold_sizes=torch.tensor(sizes), metrics=METRICS,
            temperature=temperature, temperature_on=on, beta=beta, singletons=singletons,
        )  # fmt: skip
        options = {
            "temperature": temperature,
            "on": on,
            "beta": beta,
            "keepSingletons": singletons == "keep",
        }
        shown = in_page(page, case, **options)
        for name in METRICS:
            expected = [float(value) for value in report[name]]
            assert [shown[name][key] for key in ("recall", "precision", "f")] == pytest.approx(
                expected, abs=1e-6
            ), name


@pytest.mark.parametrize("on", ["entity", "link"])
def test_at_temperature_0_the_explorer_scores_what_is_decoded(page: Page, on: str) -> None:
    torch = pytest.importorskip("torch")
    from corelax.decode import best_entities, best_links

    chance = random.Random(5)
    for n in (3, 10, 30):
        links, gold, _ = random_case(chance, n)
        scores = torch.full((n, n), -torch.inf, dtype=torch.float64)
        for i, row in enumerate(links):
            for j, p in row:
                scores[i, j] = torch.tensor(p, dtype=torch.float64).log()
        decoded = (best_links if on == "link" else best_entities)(scores, singletons="keep")
        sizes = [gold.count(v) for v in range(n // 3 + 1)]
        shown = in_page(page, (links, gold, sizes), temperature=0, on=on, keepSingletons=True)
        entities = [[i for i in range(n) if gold[i] == v] for v in range(n // 3 + 1)]
        report = exact(gold=[e for e in entities if e], system=decoded)
        for name in METRICS:
            assert shown[name]["f"] == pytest.approx(float(report[name].f), abs=1e-9), (n, name)


def test_links_of_the_server_are_those_of_the_model(client: Client) -> None:
    answer = client.resolve(STORY, links=True).json
    links = answer["links"]
    assert links["count"] == len(links["spans"]) == len(links["links"])
    spans = {tuple(span) for span in links["spans"]}
    assert {
        (m["start_token"], m["end_token"]) for e in answer["entities"] for m in e["mentions"]
    } <= spans
    for i, row in enumerate(links["links"]):
        assert all(0 <= j <= i and 0 < p <= 1 for j, p in row)
        assert sum(p for _, p in row) == pytest.approx(1, abs=1e-5)
    assert "links" not in client.resolve(STORY).json
