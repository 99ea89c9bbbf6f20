"""Real corpora: sizes as their README says, and a round trip that changes nothing."""

import re
from collections import Counter
from itertools import islice, zip_longest
from pathlib import Path

import pytest

from corelax import Document, Span, io
from tests.shared_corpora import DATA as SHARED

README = SHARED / "README.md"
FILES = sorted(SHARED.glob("*/*conll*")) if SHARED.exists() else []
# AMALGUM is as large as all the others: a third of one of its three files will do for a round trip.
ROUND_TRIPS = [
    path for path in FILES if path.parent.name != "amalgum_silver" or path.name.startswith("bio")
]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.shared_data,
    pytest.mark.skipif(not README.exists(), reason="no shared corpora; see CORELAX_DATA"),
]


def sizes_in_readme() -> dict[tuple[str, str], list[str]]:
    """(folder, split) → documents, sentences, tokens, mentions, chains, share of single ones."""
    sizes = {}
    folder = ""
    table = README.read_text().split("## Sizes")[1].split("\n\n")[2] if README.exists() else ""
    for row in table.splitlines()[2:]:
        cells = [cell.strip().strip("`") for cell in row.strip("|").split("|")]
        folder = cells[0] or folder
        if all(cells[5:]):  # the test sets that are no corpora give numbers of items only
            sizes[folder, cells[3]] = [cell.replace(",", "") for cell in cells[4:]]
    return sizes


def sizes_of(paths: list[Path]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for path in paths:
        for doc in io.stream(path, layers=False):
            counts["documents"] += 1
            counts["sentences"] += len(doc.sentence_starts)
            counts["tokens"] += len(doc.words)
            counts["mentions"] += len(doc.clusters.mentions)
            counts["chains"] += len(doc.clusters)
            counts["single"] += len(doc.clusters.singletons)
    return counts


def documents_of(text: str) -> int:
    """`30`, or `4 × 396`."""
    product = 1
    for number in re.findall(r"\d+", text):
        product *= int(number)
    return product


@pytest.mark.parametrize(("folder", "split"), sizes_in_readme())
def test_a_corpus_has_the_sizes_that_its_readme_says(folder: str, split: str) -> None:
    documents, sentences, tokens, mentions, chains, single = sizes_in_readme()[folder, split]
    stem = re.compile(rf"{split.split()[0]}(\.|_(?!more))")  # `dev ×4` is four files
    found = sizes_of([p for p in FILES if p.parent.name == folder and stem.match(p.name)])
    share = f"{found['single'] / found['chains']:.1%}".replace("0.0%", "0%")
    assert [
        *(found[name] for name in ("documents", "sentences", "tokens", "mentions", "chains"))
    ] == [
        documents_of(documents),
        *map(int, (sentences, tokens, mentions, chains)),
    ]
    assert share == single


@pytest.mark.parametrize(
    "path", ROUND_TRIPS, ids=[f"{p.parent.name}/{p.name}" for p in ROUND_TRIPS]
)
def test_a_corpus_comes_back_in_every_field(tmp_path: Path, path: Path) -> None:
    copy = tmp_path / path.name.removesuffix(".gz")
    docs = list(islice(io.stream(path), 200 if path.parent.name == "amalgum_silver" else None))
    assert not io.write(docs, copy)
    for before, after in zip_longest(docs, io.stream(copy)):
        assert after == before
        assert entities(after) == entities(before)


def entities(doc: Document) -> dict[str, set[Span]]:
    return {name: set(c) for name, c in zip(doc.clusters.labels, doc.clusters, strict=True)}
