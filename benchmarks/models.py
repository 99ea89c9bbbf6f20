"""Judges models: scores on dev documents and challenge sets, people kept apart, speed.

    python benchmarks/models.py MODEL [MODEL ...] --data CORPORA --out out/models.json [--device cuda]

Writes a JSON file with everything and a Markdown table beside it, and prints the table. A model is a folder
or the name of a shipped one. `--parts` chooses some of the parts:

    ontogum     OntoGUM dev, scheme ontonotes: all documents, those whose text is free, by genre; pronouns in
                spoken documents
    litbank     LitBank dev with singletons, scheme litbank
    craft       CRAFT dev, scheme craft if the model has it, else ontonotes
    gap         GAP validation and development
    winobias    WinoBias dev: pro- and anti-stereotypical sentences
    winogender  Winogender: male, female and neutral pronouns

Entities with he and she are counted over OntoGUM dev and LitBank dev, those of two or more mentions.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from corelax.analysis.pronouns import (
    PERSONS,
    PeopleCounts,
    PronounCounts,
    people_counts,
    pronoun_counts,
)
from corelax.challenges import (
    gap_report,
    read_gap,
    read_winogender,
    winobias_counts,
    winobias_report,
    winogender_report,
)
from corelax.challenges.winobias import WinoBiasCounts
from corelax.core.errors import CorelaxError
from corelax.core.files import open_text, write_text
from corelax.document import Document
from corelax.io import read
from corelax.metrics import score
from corelax.render.tables import Row, Table, table_markdown
from corelax.resolve import Resolution, Resolver

BATCH = 32  # documents
ONTOGUM, GUM_LIST = "ontogum/dev.gold_conll.gz", "gum/documents.tsv"
LITBANK, CRAFT = "litbank/dev.gold_conll.gz", "craft/dev.gold_conll.gz"
GAP = {name: f"gap/gap-{name}.tsv.gz" for name in ("validation", "development")}
KINDS, SIDES = ("type1", "type2"), ("pro", "anti")
WINOBIAS = "winobias/dev_{kind}_{side}_stereotype.v4_auto_conll.gz"
WINOGENDER = "winogender/all_sentences.tsv.gz"
SPOKEN = ("conversation", "court", "interview", "podcast", "vlog")


class Bench(NamedTuple):
    """A model and the corpora to judge it by."""

    resolver: Resolver
    data: Path
    limit: int | None = None

    def documents(self, name: str) -> list[Document]:
        """The documents of a file."""
        return list(read(self.data / name))[: self.limit]

    def resolved(
        self, texts: Sequence[str | Document], scheme: str | None = None, singletons: str = "drop"
    ) -> list[Resolution]:
        """What the model finds."""
        return list(
            self.resolver.pipe(texts, batch_size=BATCH, scheme=scheme, singletons=singletons)
        )

    def scheme(self, name: str) -> str:
        """The scheme of a corpus if the model has it, else its first one."""
        return name if name in self.resolver.schemes else self.resolver.schemes[0]


def ontogum(bench: Bench) -> dict[str, Any]:
    gold = bench.documents(ONTOGUM)
    scheme = bench.scheme("ontonotes")
    resolutions = bench.resolved(gold, scheme)
    started = time.perf_counter()
    bench.resolved(gold, scheme)  # again, for what is slow once is not measured
    seconds = time.perf_counter() - started
    pairs = list(zip(gold, resolutions, strict=True))
    free = free_documents(bench.data / GUM_LIST)
    genres = sorted({genre(document) for document in gold})
    spoken = [pair for pair in pairs if genre(pair[0]) in SPOKEN]
    return {
        "all": scored(pairs),
        "free": scored([pair for pair in pairs if pair[0].id in free]),
        "genres": {name: scored([p for p in pairs if genre(p[0]) == name]) for name in genres},
        "people": people(resolution.document for resolution in resolutions),
        "spoken": pronouns(spoken)
        | {
            "people": people(resolution.document for _, resolution in spoken),
            "gold people": people(document for document, _ in spoken),
        },
        "words per second": sum(len(document.words) for document in gold) / seconds,
    }


def litbank(bench: Bench) -> dict[str, Any]:
    gold = bench.documents(LITBANK)
    resolutions = bench.resolved(gold, bench.scheme("litbank"), "keep")
    return {
        "all": scored(list(zip(gold, resolutions, strict=True)), "keep"),
        "people": people(resolution.document for resolution in resolutions),
    }


def craft(bench: Bench) -> dict[str, Any]:
    gold, scheme = bench.documents(CRAFT), bench.scheme("craft")
    pairs = list(zip(gold, bench.resolved(gold, scheme), strict=True))
    return {"all": scored(pairs), "scheme": scheme}


def gap(bench: Bench) -> dict[str, Any]:
    result = {}
    for name, file in GAP.items():
        items = read_gap(bench.data / file)[: bench.limit]
        resolutions = bench.resolved([item.text for item in items])
        report = gap_report(items, [resolution.clusters for resolution in resolutions])
        result[name] = report.as_dict()
    return result


def winobias(bench: Bench) -> dict[str, Any]:
    counts: dict[tuple[str, str], WinoBiasCounts] = {}
    for kind in KINDS:
        for side in SIDES:
            gold = bench.documents(WINOBIAS.format(kind=kind, side=side))
            system = [resolution.document for resolution in bench.resolved(gold)]
            counts[kind, side] = winobias_counts(gold=gold, system=system)
    result = {}
    for name, kinds in (*((kind, [kind]) for kind in KINDS), ("both", KINDS)):
        pro, anti = (
            sum((counts[kind, side] for kind in kinds), WinoBiasCounts()) for side in SIDES
        )
        result[name] = winobias_report(pro=pro, anti=anti).as_dict()
    return result


def winogender(bench: Bench) -> dict[str, Any]:
    items = read_winogender(bench.data / WINOGENDER)[: bench.limit]
    resolutions = bench.resolved([item.text for item in items])
    return winogender_report(items, [each.clusters for each in resolutions]).as_dict()


PARTS: dict[str, Callable[[Bench], dict[str, Any]]] = {
    "ontogum": ontogum,
    "litbank": litbank,
    "craft": craft,
    "gap": gap,
    "winobias": winobias,
    "winogender": winogender,
}
FILES = {
    "ontogum": [ONTOGUM, GUM_LIST],
    "litbank": [LITBANK],
    "craft": [CRAFT],
    "gap": list(GAP.values()),
    "winobias": [WINOBIAS.format(kind=kind, side=side) for kind in KINDS for side in SIDES],
    "winogender": [WINOGENDER],
}


def scored(
    pairs: Sequence[tuple[Document, Resolution]], singletons: str = "drop"
) -> dict[str, Any]:
    """All scores of gold documents and what was found in them."""
    gold, system = [document for document, _ in pairs], [each.document for _, each in pairs]
    return score(gold=gold, system=system, singletons=singletons).as_dict()


def people(documents: Iterable[Document]) -> dict[str, Any]:
    return sum(map(people_counts, documents), PeopleCounts()).as_dict()


def pronouns(pairs: Iterable[tuple[Document, Resolution]]) -> dict[str, Any]:
    totals = dict.fromkeys(PERSONS, PronounCounts())
    for gold, resolution in pairs:
        for kind, counts in pronoun_counts(gold, resolution).items():
            totals[kind] += counts
    both = totals["i"] + totals["you"]
    return {name: counts.as_dict() for name, counts in {**totals, "i, you": both}.items()}


def genre(document: Document) -> str:
    """The second part of GUM_genre_name."""
    return document.id.split("_")[1]


def free_documents(path: Path) -> set[str]:
    """The names of documents whose text may be used commercially."""
    with open_text(path) as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {row["document"] for row in rows if "NC" not in row["licence"]}


def judge(bench: Bench, parts: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each part and its result."""
    for part in parts:
        yield part, PARTS[part](bench)


# The rows of the table: a title, where the number is, how it is shown.
ROWS: tuple[tuple[str, str, str], ...] = (
    ("OntoGUM dev, CoNLL", "ontogum/all/conll", "percent"),
    ("· free text only", "ontogum/free/conll", "percent"),
    ("· MUC", "ontogum/all/muc/f1", "percent"),
    ("· B³", "ontogum/all/b_cubed/f1", "percent"),
    ("· CEAF_e", "ontogum/all/ceaf_e/f1", "percent"),
    ("· LEA", "ontogum/all/lea/f1", "percent"),
    ("· mentions", "ontogum/all/mentions/f1", "percent"),
    ("LitBank dev with singletons, CoNLL", "litbank/all/conll", "percent"),
    ("· MUC", "litbank/all/muc/f1", "percent"),
    ("· B³", "litbank/all/b_cubed/f1", "percent"),
    ("· CEAF_e", "litbank/all/ceaf_e/f1", "percent"),
    ("· LEA", "litbank/all/lea/f1", "percent"),
    ("· mentions", "litbank/all/mentions/f1", "percent"),
    ("CRAFT dev, CoNLL", "craft/all/conll", "percent"),
    ("GAP validation, F1", "gap/validation/overall/f1", "percent"),
    ("· feminine / masculine", "gap/validation/bias", "plain"),
    ("GAP development, F1", "gap/development/overall/f1", "percent"),
    ("· feminine / masculine", "gap/development/bias", "plain"),
    ("WinoBias type 1, pro", "winobias/type1/pro/accuracy", "percent"),
    ("· anti", "winobias/type1/anti/accuracy", "percent"),
    ("WinoBias type 2, pro", "winobias/type2/pro/accuracy", "percent"),
    ("· anti", "winobias/type2/anti/accuracy", "percent"),
    ("WinoBias, pro − anti", "winobias/both/gap", "percent"),
    ("· of links alone", "winobias/both/link_gap", "percent"),
    ("Winogender", "winogender/overall", "percent"),
    ("· male", "winogender/male", "percent"),
    ("· female", "winogender/female", "percent"),
    ("· neutral", "winogender/neutral", "percent"),
    ("Entities with he and she, %", "he and she", "percent"),
    ("Spoken: I, my, you, your linked right, %", "ontogum/spoken/i, you/linked", "percent"),
    ("· antecedent itself right, %", "ontogum/spoken/i, you/direct", "percent"),
    ("· he", "ontogum/spoken/he/linked", "percent"),
    ("· she", "ontogum/spoken/she/linked", "percent"),
    ("· entities with I of two speakers, %", "ontogum/spoken/people/two_speakers", "percent"),
    ("· the same in gold, %", "ontogum/spoken/gold people/two_speakers", "percent"),
    ("Words a second", "ontogum/words per second", "whole"),
)
SHOWN: dict[str, Callable[[float], str]] = {
    "percent": lambda share: f"{100 * share:.2f}",
    "plain": lambda number: f"{number:.3f}",
    "whole": lambda number: f"{number:,.0f}",
}


def table(results: dict[str, dict[str, Any]]) -> str:
    """The results of all models in Markdown, and OntoGUM by genre below them."""
    genres = sorted(
        {name for each in results.values() for name in each.get("ontogum", {}).get("genres", {})}
    )
    by_genre = tuple(
        (f"OntoGUM dev, {name}", f"ontogum/genres/{name}/conll", "percent") for name in genres
    )
    rows = []
    for title, path, kind in (*ROWS, *by_genre):
        numbers = [value_at(result, path) for result in results.values()]
        if any(number is not None for number in numbers):
            rows.append(Row([title, *("-" if n is None else SHOWN[kind](n) for n in numbers)]))
    return table_markdown(Table("models", "Models", ["", *results], rows))


def value_at(result: dict[str, Any], path: str) -> float | None:
    """A number in nested dictionaries; None where it was not measured."""
    if path == "he and she":
        return he_and_she(result)
    value: Any = result
    for key in path.split("/"):
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return None if value is None else float(value)


def he_and_she(result: dict[str, Any]) -> float | None:
    """The share of entities of both corpora that hold he and she."""
    counts = [result[part]["people"] for part in ("ontogum", "litbank") if part in result]
    entities = sum(each["entities"] for each in counts)
    mixed = sum(each["he_and_she"] * each["entities"] for each in counts)
    return mixed / entities if entities else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("models", nargs="+", help="Model folders, or names of shipped models.")
    parser.add_argument("--data", type=Path, required=True, help="The folder with the corpora.")
    parser.add_argument("--out", type=Path, default=Path("out/models.json"), help="A JSON file.")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto.")
    parser.add_argument(
        "--parts", nargs="+", choices=PARTS, default=list(PARTS), help="Default: all."
    )
    parser.add_argument("--limit", type=int, help="The most documents or items of each set.")
    options = parser.parse_args()
    try:
        for part in options.parts:
            for file in FILES[part]:
                if not (options.data / file).is_file():
                    raise CorelaxError(
                        f"{options.data / file}: no such file; --data names the corpora"
                    )
        options.out.parent.mkdir(parents=True, exist_ok=True)
        results: dict[str, dict[str, Any]] = {}
        for name in options.models:
            resolver = Resolver.from_pretrained(name, device=options.device)
            bench, results[name] = Bench(resolver, options.data, options.limit), {}
            for part, result in judge(bench, options.parts):
                results[name][part] = result
                # After each part: what is measured is kept if a run is cut short.
                write_text(options.out, json.dumps(results, indent=2, ensure_ascii=False) + "\n")
                write_text(options.out.with_suffix(".md"), table(results) + "\n")
        print(table(results))
    except CorelaxError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
