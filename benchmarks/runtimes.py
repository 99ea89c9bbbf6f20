"""Whether two runtimes find the same entities: counted on the English dev corpora.

    python benchmarks/runtimes.py [MODEL ...] --data CORPORA [--corpora NAME ...] [--words N] [--runtimes A B]

Each corpus is resolved by both, with the scheme and the singletons it is judged by. "differ" counts documents
whose entities are not the same, and the entities of either side that the other does not have. The scores are
CoNLL F1 (GAP: its F1) in points, and `cost` is how far the first runtime, onnxruntime if nothing is said, is
below the second, torch; the aim is 0.1 at most.
`--words` stops at the first document of each corpus with which N words are reached. Without MODEL, `small`
and `base` are compared.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from corelax.challenges import gap_report, read_gap
from corelax.core.text_table import format_table
from corelax.document import Document
from corelax.io import read
from corelax.metrics import score
from corelax.resolve import Resolution, Resolver

WINOBIAS = "winobias/dev_type{}_{}_stereotype.v4_auto_conll.gz"


class Corpus(NamedTuple):
    """Documents and how they are judged.

    Attributes:
        files: Below the folder of corpora.
        scheme: The scheme that is asked for; the first one of a model that does not have it.
        singletons: "drop" or "keep".
    """

    files: tuple[str, ...]
    scheme: str = "ontonotes"
    singletons: str = "drop"


CORPORA = {
    "OntoGUM dev": Corpus(("ontogum/dev.gold_conll.gz",)),
    "GUM dev": Corpus(("gum/dev.conllu.gz",), "gum", "keep"),
    "LitBank dev": Corpus(("litbank/dev.gold_conll.gz",), "litbank", "keep"),
    "CRAFT dev": Corpus(("craft/dev.gold_conll.gz",), "craft"),
    "WinoBias dev": Corpus(
        tuple(WINOBIAS.format(kind, side) for kind in (1, 2) for side in ("pro", "anti"))
    ),
    "GAP validation": Corpus(("gap/gap-validation.tsv.gz",)),
}
Texts = Sequence[str | Document]
Judge = Callable[[Sequence[Resolution]], float]


def load(corpus: Corpus, data: Path, words: int | None) -> tuple[Texts, Judge]:
    """What is resolved, and the function that scores it."""
    paths = [data / file for file in corpus.files]
    if paths[0].name.startswith("gap"):
        items = read_gap(paths[0])
        items = items[: first_of([len(item.text.split()) for item in items], words)]
        return [
            item.text for item in items
        ], lambda found: gap_report(items, [each.clusters for each in found]).overall.scores().f1
    gold = [document for path in paths for document in read(path)]
    gold = gold[: first_of([len(document.words) for document in gold], words)]
    return (
        gold,
        lambda found: (
            score(
                gold=gold, system=[each.document for each in found], singletons=corpus.singletons
            ).conll
        ),
    )


def first_of(sizes: Sequence[int], words: int | None) -> int:
    """How many documents of these sizes have so many words together."""
    if words is None:
        return len(sizes)
    return sum(before < words for before in accumulate(sizes, initial=0)) - (sum(sizes) < words)


def entities(resolution: Resolution) -> set[frozenset[tuple[int, int]]]:
    """The entities of a text as sets of spans of characters."""
    return {frozenset(cluster) for cluster in resolution.clusters}


def compare(resolvers: Sequence[Resolver], corpus: Corpus, texts: Texts, judge: Judge) -> list[str]:
    """A row of the table."""
    scheme = corpus.scheme if corpus.scheme in resolvers[0].schemes else resolvers[0].schemes[0]
    first, second = (
        list(resolver.pipe(texts, scheme=scheme, singletons=corpus.singletons))
        for resolver in resolvers
    )
    pairs = [(entities(a), entities(b)) for a, b in zip(first, second, strict=True)]
    found = sum(len(b) for _, b in pairs)
    documents = sum(a != b for a, b in pairs)
    differing = sum(len(a ^ b) for a, b in pairs)
    points = [100 * judge(each) for each in (first, second)]
    counts = [f"{number:,}" for number in (len(pairs), documents, found, differing)]
    return [*counts, *(f"{each:.2f}" for each in points), f"{points[1] - points[0]:.3f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("models", nargs="*", default=["small", "base"], metavar="MODEL")
    parser.add_argument("--data", type=Path, required=True, help="the folder of corpora")
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--words", type=int, help="of each corpus, about")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--runtimes", nargs=2, choices=["onnx", "int8", "torch"], default=["onnx", "torch"]
    )
    options = parser.parse_args()
    rows = []
    for model in options.models:
        resolvers = [
            Resolver.from_pretrained(model, device="cpu", runtime=each, threads=options.threads)
            for each in options.runtimes
        ]
        for name in options.corpora:
            corpus = CORPORA[name]
            texts, judge = load(corpus, options.data, options.words)
            rows.append([model, name, *compare(resolvers, corpus, texts, judge)])
            print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    header = ["model", "corpus", "documents", "differ", "entities", "differ"]
    print(format_table([*header, *options.runtimes, "cost"], rows))


if __name__ == "__main__":
    main()
