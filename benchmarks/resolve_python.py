"""What Python costs around the network: microseconds per token from raw text to entities.

    python benchmarks/resolve_python.py [--sizes 200 1000 10000] [--against ../before/src] [--profile]

The network computes once for each text, and what it says is recorded; then `Resolver.pipe` runs with the
record in the place of the network. "prepare" cuts texts and makes windows, "decide" makes entities of what
the network says, "pipe" is both; "tables" fills the tables that a network gets, which a GPU waits for as
well. "clusters" is `pipe` and then the characters of all entities, "asked" is `pipe` and then all mentions,
names and characters of each result. Times are those of the processor, the best of several runs on one core.
With `--workers N`, "helped" is what is left to this process if N others help it. Texts are synthetic, or
those of GUM dev (`--gum`, from CORELAX_DATA). `--against` names the source folder of another version, which
is measured with the same record.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pickle
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from own_runs import repeated, texts_of

from corelax.core.text_table import format_table
from corelax.decode.scored import Scored
from corelax.io import read
from corelax.rankers.encoder.items import Item, filled, readings
from corelax.rankers.encoder.memory import PIECES
from corelax.rankers.encoder.span_table import span_table
from corelax.resolve import Resolver
from corelax.resolve.steps import conclude
from corelax.text import document_of

SIZES = (200, 1_000, 10_000)
WORDS = 40_000  # of all texts of a size together
BATCH = 64
DATA = Path(os.environ.get("CORELAX_DATA", "data"))


class Recorded:
    """A model whose network says what it said before."""

    def __init__(self, model: Any, scored: Sequence[Scored]) -> None:
        self._model, self._scored = model, scored
        self.rewind()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def rewind(self) -> None:
        """From the first text on."""
        self._rest = iter(self._scored)

    def score(self, items: Sequence[Item], **_: Any) -> list[Scored]:
        """What was said of the next texts."""
        return list(islice(self._rest, len(items)))


def recorded(resolver: Resolver, texts: Sequence[str]) -> list[Scored]:
    """What the network says of texts, in batches."""
    items = [resolver._item(document_of(text), None) for text in texts]
    batches = (items[at : at + BATCH] for at in range(0, len(items), BATCH))
    return [scored for batch in batches for scored in resolver.model.score(batch)]


def gum_texts(words: int, number: int) -> list[str]:
    """Texts of about `words` words each: the sentences of GUM dev, with blanks between all words."""
    texts = repeated(read(str(DATA / "gum" / "dev.conllu.gz")), words, number)
    return [text.replace("\n", " ") for text in texts]


def best(run: Callable[[], object], runs: int) -> float:
    """The shortest time of several runs, in seconds."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return min(times)


def ask(resolver: Resolver, texts: Sequence[str]) -> Iterator[object]:
    """Everything that a result can be asked for."""
    for result in resolver.pipe(texts, batch_size=BATCH):
        yield result.clusters, [entity.name for entity in result], result.document.clusters


def tables(items: Sequence[Item], max_width: int) -> None:
    """What the network gets of a batch."""
    for reading in readings(items, PIECES["cuda"]):
        span_table([window.layers[:, 0] for window in reading.windows], max_width)
        for name in ("pieces", "owners", "layers"):
            filled([getattr(window, name) for window in reading.windows], -1)


def measure(
    resolver: Resolver, texts: list[str], scored: Any, runs: int, workers: int = 0
) -> dict[str, float]:
    """Microseconds per token of each step."""
    model = Recorded(resolver.model, scored)
    reader = resolver.model.reader
    resolver = Resolver(model)
    documents = [document_of(text) for text in texts]
    tokens = sum(len(document.words) for document in documents)

    def piped(**options: Any) -> None:
        model.rewind()
        for _ in resolver.pipe(texts, batch_size=BATCH, **options):
            pass

    def clusters() -> None:
        model.rewind()
        for found in resolver.pipe(texts, batch_size=BATCH):
            _ = found.clusters

    def asked() -> None:
        model.rewind()
        for _ in ask(resolver, texts):
            pass

    def decided() -> None:
        for at in range(0, len(texts), BATCH):
            batch = documents[at : at + BATCH]
            scores = scored[at : at + BATCH]
            list(
                conclude(
                    reader, batch, [0] * len(batch), scores, singletons="drop", consistent=True
                )
            )

    items = [resolver._item(document, None) for document in documents]
    seconds = {
        "decide": best(decided, runs),
        "tables": best(lambda: tables(items, model.settings.max_width), runs),
        "pipe": best(piped, runs),
        "clusters": best(clusters, runs),
        "asked": best(asked, runs),
    }
    if workers:
        seconds["helped"] = best(lambda: piped(workers=workers), runs)
    seconds["prepare"] = seconds["pipe"] - seconds["decide"]
    return {name: 1e6 * value / tokens for name, value in seconds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--model", default="small", help="A model folder or a name.")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--workers", type=int, default=0, help="Measure with helpers, too.")
    parser.add_argument(
        "--gum", action="store_true", help="Texts of GUM instead of synthetic ones."
    )
    parser.add_argument("--against", help="The source folder of another version.")
    parser.add_argument("--record", help="Where the record is kept; else in a temporary file.")
    parser.add_argument("--profile", action="store_true", help="Where the time of `pipe` goes.")
    parser.add_argument("--single", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    resolver = Resolver.from_pretrained(options.model, device="cpu")
    make = gum_texts if options.gum else texts_of
    texts = {size: make(size, max(1, WORDS // size)) for size in options.sizes}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(options.record or Path(folder) / "record.pickle")
        if not path.exists():
            record = {size: recorded(resolver, each) for size, each in texts.items()}
            path.write_bytes(pickle.dumps(record))
        record = pickle.loads(path.read_bytes())
        if options.profile:
            profile(resolver, texts, record)
            return
        figures = {
            n: measure(resolver, texts[n], record[n], options.runs, options.workers)
            for n in options.sizes
        }
        if options.single:
            print(json.dumps(figures))
            return
        others = _of_other(options, path) if options.against else {}
    names = ["prepare", "decide", "pipe", "tables", "clusters", "asked"] + ["helped"] * bool(
        options.workers
    )
    rows = []
    for size in options.sizes:
        rows.append([f"{size:,}", "this", *(f"{figures[size][name]:.2f}" for name in names)])
        if other := others.get(str(size)):
            old = [f"{other[name]:.2f}" if name in other else "" for name in names]
            rows.append([f"{size:,}", "before", *old])
            ratios = (
                f"{other[name] / figures[size][name]:.1f}×" if name in other else ""
                for name in names
            )
            rows.append([f"{size:,}", "ratio", *ratios])
    print(format_table(["tokens", "version", *(f"{name} µs" for name in names)], rows))


def _of_other(options: argparse.Namespace, record: Path) -> dict[str, dict[str, float]]:
    command = [
        sys.executable,
        __file__,
        "--single",
        "--model",
        options.model,
        "--record",
        str(record),
    ]
    command += ["--runs", str(options.runs), "--sizes", *map(str, options.sizes)]
    command += ["--gum"] if options.gum else []
    path = os.pathsep.join(filter(None, [options.against, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, check=True, capture_output=True, env=environment)
    figures: dict[str, dict[str, float]] = json.loads(done.stdout)
    return figures


def profile(resolver: Resolver, texts: dict[int, list[str]], record: Any) -> None:
    """The functions that take most of the time of `pipe`."""
    for size, each in texts.items():
        runner = Resolver(Recorded(resolver.model, record[size]))
        measured = cProfile.Profile()
        measured.runcall(list, runner.pipe(each, batch_size=BATCH))
        print(f"{size:,} words")
        pstats.Stats(measured).sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    main()
