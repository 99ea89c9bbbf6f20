"""Time of the readers against the size of files of bad or strange form.

    python benchmarks/readers.py [--largest N]

Each shape is made in growing sizes, from N / 16 to N brackets, rows or documents, and read as `validate` and
the reference profile of `score` read it. A reader that is linear takes the same time for each byte whatever
the size; one that is quadratic takes four times as long for each byte in a file four times as large. The last
columns are the times per byte divided by that of the smallest file (processor time, best of three).

A second table has the time a token of good files, read as `score` reads them (words and entities): the same
invented documents in each format, and as a ratio to CoNLL-2012 in the same run.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from corelax import CorelaxError, io
from corelax.io import conll2012, corefud_entities
from corelax.metrics import reference_files
from corelax.synthetic import generate

LARGEST = 64_000
GROWTH = (1, 4, 16)
FILES = {"conll2012": "conll", "corefud": "conllu", "ua": "conllua", "jsonlines": "jsonl"}


class Shape(NamedTuple):
    """A kind of file.

    Attributes:
        suffix: Of its name; `.reference` is read as the reference profile does.
        make: The file of a size.
    """

    suffix: str
    make: Callable[[int], str]


def conll(cells: Iterable[str]) -> str:
    """A document of five columns, a token for each cell."""
    rows = [f"d\t0\t{number}\tw\t{cell}" for number, cell in enumerate(cells)]
    return "\n".join(["#begin document (d); part 000", *rows, "", "#end document", ""])


def conllu(cells: Iterable[str], multiword: bool = False) -> str:
    """A document of one sentence, a token for each `Entity=`."""
    rows = ["# newdoc id = d"]
    for number, cell in enumerate(cells, 1):
        if multiword:
            rows.append("\t".join([f"{number}-{number}", "w", *["_"] * 8]))
        rows.append("\t".join([str(number), "w", *["_"] * 7, f"Entity={cell}" if cell else "_"]))
    return "\n".join([*rows, "", ""])


def nested(size: int, opening: str, closing: str) -> list[str]:
    """Mentions of as many entities, each inside the one before."""
    numbers = range(size // 2)
    return [*(opening.format(i) for i in numbers), *(closing.format(i) for i in reversed(numbers))]


def jsonl(size: int) -> str:
    """The same mentions in two entities."""
    mentions = [[i, i] for i in range(size)]
    fields = {"doc_key": "d", "sentences": [["w"] * size], "clusters": [mentions, mentions]}
    return json.dumps(fields) + "\n"


def without_ends(size: int) -> str:
    """Documents that begin and never end."""
    return "".join(f"#begin document (d{i}); part 000\nd\t0\t0\tw\t(0)\n" for i in range(size))


def wide(size: int) -> str:
    """A row of many columns after rows of few."""
    return conll(["-"] * 50).replace("#end", "\n" + "\t".join(["d"] * size) + "\t-\n\n#end")


def zeros(size: int) -> str:
    """A sentence with an empty node after each word, every second one a mention."""
    rows = ["# newdoc id = d"]
    for number in range(1, size + 1):
        rows.append("\t".join([str(number), "w", *["_"] * 8]))
        cell = "Entity=(e1--1)" if number % 2 else "_"
        rows.append("\t".join([f"{number}.1", *["_"] * 7, f"{number}:nsubj", cell]))
    return "\n".join([*rows, "", ""])


def anaphora(cells: Iterable[str]) -> str:
    """A document of Universal Anaphora, a token for each cell of IDENTITY."""
    columns = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY"
    rows = [f"# global.columns = {columns}", "# newdoc id = d"]
    for number, cell in enumerate(cells, 1):
        rows.append("\t".join([str(number), "w", *["_"] * 8, cell]))
    return "\n".join([*rows, "", ""])


MARKABLE = "(EntityID={0}|MarkableID=m{0}"
SHAPES = {
    "nested brackets, CoNLL-2012": Shape(".conll", lambda n: conll(nested(n, "({}", "{})"))),
    "nested brackets, CorefUD": Shape(".conllu", lambda n: conllu(nested(n, "(e{}", "e{})"))),
    "crossing brackets, CoNLL-2012": Shape(
        ".conll", lambda n: conll([*(f"({i}" for i in range(n)), *(f"{i})" for i in range(n))])
    ),
    "first parts, then second parts": Shape(
        ".conllu", lambda n: conllu(["(e1[1/2])"] * n + ["(e1[2/2])"] * n)
    ),
    "mentions in two entities, CoNLL-2012": Shape(".conll", lambda n: conll(["(0)|(1)"] * n)),
    "mentions in two entities, jsonlines": Shape(".jsonl", jsonl),
    "multiword tokens in a sentence": Shape(".conllu", lambda n: conllu([""] * n, multiword=True)),
    "brackets in one cell, CoNLL-2012": Shape(
        ".conll", lambda n: conll(["|".join(nested(n, "({}", "{})"))])
    ),
    "empty nodes, CorefUD": Shape(".conllu", zeros),
    "nested markables, Universal Anaphora": Shape(
        ".conllua", lambda n: anaphora(nested(n, MARKABLE, ")"))
    ),
    "crossing markables, Universal Anaphora": Shape(
        ".conllua",
        lambda n: anaphora(
            [*(MARKABLE.format(i) for i in range(n)), *(f"m{i})" for i in range(n))]
        ),
    ),
    "columns in one row": Shape(".conll", wide),
    "rows with too few columns": Shape(
        ".conll", lambda n: conll([]).replace("\n\n", "\n" + "d\t0\n" * n + "\n")
    ),
    "blanks in a header": Shape(
        ".conll", lambda n: f"#begin document (d);{' ' * n}x\n#end document\n"
    ),
    "a sentence without end": Shape(
        ".conll", lambda n: "#begin document d\n" + "d 0 0 w -\n" * 8 * n
    ),
    "one line, gzipped": Shape(".conll.gz", lambda n: "w" * 1024 * n),
    "documents without end, reference": Shape(".reference", without_ends),
    "brackets in one cell, reference": Shape(
        ".reference", lambda n: conll(["|".join(nested(n, "({}", "{})"))])
    ),
    "brackets around brackets, reference": Shape(
        ".reference", lambda n: conll(["(1" * (n // 2) + ")" * (n // 2)])
    ),
}


def write_shape(shape: Shape, size: int, folder: Path) -> Path:
    """The file of a shape and a size."""
    path = folder / f"file{shape.suffix}"
    content = shape.make(size).encode()
    path.write_bytes(gzip.compress(content, 1) if shape.suffix.endswith(".gz") else content)
    return path


def seconds_to_read(path: Path) -> float:
    """Processor time of reading a file once."""
    for cached in (
        conll2012.parse_cell,
        reference_files.parse_cell,
        corefud_entities.brackets_of,
    ):
        cached.cache_clear()
    start = time.process_time()
    if path.suffix == ".reference":
        try:
            for _ in reference_files.stream_reference(str(path)):
                pass
        except CorelaxError:
            pass
    else:
        io.validate(path)
    return time.process_time() - start


def growth(shape: Shape, largest: int, folder: Path) -> list[tuple[int, float]]:
    """(characters of the unpacked file, seconds) at growing sizes."""
    points = []
    for factor in GROWTH:
        size = largest * factor // GROWTH[-1]
        path = write_shape(shape, size, folder)
        seconds = min(seconds_to_read(path) for _ in range(3))
        points.append((len(shape.make(size)), seconds))
    return points


def seconds_a_token(path: Path) -> float:
    """Processor time of reading words and entities, best of seven."""
    best = float("inf")
    for _ in range(7):
        conll2012.parse_cell.cache_clear()
        corefud_entities.brackets_of.cache_clear()
        start = time.process_time()
        tokens = sum(len(doc.words) for doc in io.stream(path, layers=False))
        best = min(best, (time.process_time() - start) / tokens)
    return best


def print_formats(documents: int, folder: Path) -> None:
    """The second table."""
    docs = list(generate(documents))
    print(f"\n{'format':38}{'µs a token':>12}   ratio")
    seconds: dict[str, float] = {}
    for format, suffix in FILES.items():
        io.write(docs, folder / f"good.{suffix}")
        seconds[format] = seconds_a_token(folder / f"good.{suffix}")
        ratio = seconds[format] / seconds["conll2012"]
        print(f"{format:38}{1e6 * seconds[format]:12.2f}{ratio:8.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time of readers against the size of files")
    parser.add_argument("--largest", type=int, default=LARGEST, help="brackets, rows or documents")
    largest = parser.parse_args().largest
    print(
        f"{'shape':38}{'MB':>8}{'seconds':>10}   time per byte at ×" + ", ×".join(map(str, GROWTH))
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, shape in SHAPES.items():
            points = growth(shape, largest, Path(folder))
            per_byte = [seconds / characters for characters, seconds in points]
            ratios = "".join(f"{value / per_byte[0]:8.2f}" for value in per_byte)
            characters, seconds = points[-1]
            print(f"{name:38}{characters / 1e6:8.1f}{seconds:10.2f}   {ratios}", flush=True)
        print_formats(max(largest // 200, 1), Path(folder))


if __name__ == "__main__":
    main()
