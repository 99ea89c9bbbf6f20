"""The page of a whole book: the time to make it, to open it and to point at a mention, in Chromium.

    python benchmarks/page.py [--words N] [--out FILE]

The book is invented: paragraphs between blank lines, a mention for every five words, entities with sizes as
in novels (the largest has a tenth of the mentions). No model is run; resolving takes its own time
(benchmarks/resolve.py). Pointing and choosing are measured on mentions of the two largest entities in the
window, by turns; correcting takes a mention out of its entity and back. Each is measured in seconds from the
event of the mouse or the keyboard to the end of the second frame after it, and in seconds of processor time
that the page's thread takes for it; medians of 15.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from chromium import Chromium

from corelax.decode import Decision
from corelax.document import Document, Span
from corelax.render import resolutions_html
from corelax.resolve import Resolution, resolution_of

Act = Callable[[float, float], None]
WORDS = 55_760  # a novel of usual length
TIMES = 15
ENTITIES = 1_200
_SOUNDS = "ba ke li mo nu pra sti ve dor an el ir sha thu win gar".split()
_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
# Mentions of the two largest entities in the window.
_PLACES = """(() => {
  const inside = [...document.querySelectorAll(".mention")].map(m => [m, m.getClientRects()[0]])
    .filter(([, box]) => box && box.top > 150 && box.bottom < innerHeight - 50 && box.width > 4);
  const by = Map.groupBy(inside, ([m]) => m.dataset.e);
  const [a, b] = [...by.values()].sort((x, y) => y.length - x.length);
  return [a[0], b[0]].map(([, box]) => [box.left + 3, box.top + box.height / 2]);
})()"""


def book(words: int, seed: int = 0) -> Resolution:
    """An invented book with its entities."""
    chance = random.Random(seed)
    vocabulary = [
        "".join(chance.choices(_SOUNDS, k=chance.choice((1, 2, 2, 3)))) for _ in range(3000)
    ]
    pieces: list[str] = []
    offsets: list[tuple[int, int]] = []
    starts: list[int] = []
    at = 0
    while len(offsets) < words:
        for _ in range(chance.randint(1, 8)):  # sentences of a paragraph
            starts.append(len(offsets))
            size = chance.randint(4, 24)
            for place in range(size + 1):
                word = "." if place == size else chance.choice(vocabulary)
                offsets.append((at, at + len(word)))
                gap = "" if place == size - 1 else " "
                pieces.append(word + gap)
                at += len(word) + len(gap)
        pieces.append("\n\n")
        at += 2
    text = "".join(pieces)
    sizes = [1 / (rank + 1) for rank in range(ENTITIES)]
    decisions: list[Decision] = []
    last: dict[int, int] = {}
    for start, end in zip(starts, [*starts[1:], len(offsets)], strict=True):
        here = start
        while here + 3 < end:
            here += chance.randint(0, 5)
            if here + 3 >= end:
                break
            entity = chance.choices(range(ENTITIES), sizes)[0]
            width = chance.choice((1, 1, 1, 2, 3))
            link = chance.betavariate(5, 1)
            decisions.append(
                Decision(Span(here, here + width), entity, last.get(entity), 0.9, link, link)
            )
            last[entity] = len(decisions) - 1
            here += width
    document = Document(
        id="book",
        words=tuple(text[a:b] for a, b in offsets),
        sentence_starts=tuple(starts),
        layers={"offsets": tuple(offsets)},
        raw_text=text,
    )
    return resolution_of(document, decisions)


def seconds_of(tab: Chromium, places: list[list[float]], act: Act) -> tuple[float, float]:
    """The median seconds of an event of the mouse: to the frames after it, and of the processor."""
    waited, busy = [], []
    for number in range(TIMES):
        before, start = processor_time(tab), time.perf_counter()
        act(*places[number % 2])
        tab.js(_FRAMES)
        waited.append(time.perf_counter() - start)
        busy.append(processor_time(tab) - before)
    return median(waited), median(busy)


def processor_time(tab: Chromium) -> float:
    """The seconds that the page's thread was busy so far."""
    metrics = tab.call("Performance.getMetrics")["metrics"]
    return sum(float(item["value"]) for item in metrics if item["name"] == "TaskDuration")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--words", type=int, default=WORDS)
    parser.add_argument("--out", type=Path, help="where to keep the page")
    options = parser.parse_args()
    resolution = book(options.words)
    entities, mentions = len(resolution.entities), len(resolution.mentions)
    print(f"{len(resolution.document.words):,} words, {mentions:,} mentions, {entities:,} entities")
    start = time.perf_counter()
    page = resolutions_html([resolution])
    print(f"make       {time.perf_counter() - start:8.2f} s, {len(page.encode()) / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory() as folder, Chromium() as tab:
        target = options.out or Path(folder) / "book.html"
        target.write_text(page, encoding="utf-8")
        opening = []
        for _ in range(3):
            start = time.perf_counter()
            tab.open(target)
            tab.js(_FRAMES)
            opening.append(time.perf_counter() - start)
        print(f"open       {min(opening):8.2f} s  (best of 3)")
        places = tab.js(_PLACES)
        tab.call("Performance.enable", timeDomain="threadTicks")
        keys = iter(["t", "Control+z"] * TIMES)  # take the mention out of its entity, and back
        acts: dict[str, Act] = {"point": tab.point, "choose": tab.click}
        if tab.js("document.getElementById('undo') !== null"):
            acts["correct"] = lambda *_: tab.press(next(keys))
        for name, act in acts.items():
            waited, busy = seconds_of(tab, places, act)
            print(f"{name:10} {waited:8.3f} s, of the processor {busy:.3f} s")
        if tab.errors:
            print(*tab.errors, sep="\n")


if __name__ == "__main__":
    main()
