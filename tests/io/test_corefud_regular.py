"""Words and entities of CorefUD are found in the same way with layers, row by row, as without, by numpy."""

import gzip
import io as streams
import random

import pytest

from corelax.io import Problems, corefud
from tests.fuzz.seeds import CONLLU
from tests.io.io_helpers import conllu
from tests.shared_corpora import DATA

ODD_LINES = [
    "# global.Entity = eid-head",
    "# newdoc",
    "# newdoc id = z",
    "# Entity=(e1)",
    "",
    " ",
    "\t",
    "\u3000",
    "x y",
    "1\tw" + "\t_" * 8,
    "3-4\tw" + "\t_" * 8,
    "1-9\tw" + "\t_" * 7 + "\tEntity=(e9)",
    "2.1\tw" + "\t_" * 8,
    "2\tw" + "\t_" * 7,
    "1\tEntity=(e5)" + "\t_" * 8,
    "1\ta" + "\t_" * 7 + "\tXEntity=(e6)|Entity=(e7)",
    "1\ta" + "\t_" * 7 + "\tEntity=(e6)|Entity=(e7)",
    "1\ta" + "\t_" * 6 + "\tEntity=(e6)\t_",
    "1\t" + "\t_" * 8,
    "1\tä🜁" + "\t_" * 7 + "\tEntity=(e6)x(e7",
    "1\tä🜁" + "\t_" * 7 + "\tA=ä|Entity=e6)e2)(e3)",
]


def seen(text: str, layers: bool) -> list[object]:
    problems = Problems("a", strict=False)
    docs = list(corefud.read(streams.StringIO(text), problems, layers=layers))
    found: list[object] = [
        (
            d.key,
            d.words,
            d.sentence_starts,
            d.clusters.labels,
            tuple(d.clusters),
            d.mention_heads,
            d.empty_nodes,
        )
        for d in docs
    ]
    return [*found, *(p for p in problems.items if "has the head" not in p.message)]


@pytest.mark.parametrize("text", [seed.decode() for seed in CONLLU])
def test_files_with_every_oddity_are_read_alike(text: str) -> None:
    assert seen(text, layers=False) == seen(text, layers=True)


def test_files_with_random_changes_are_read_alike() -> None:
    rng = random.Random(7)
    for _ in range(600):
        lines = rng.choice(CONLLU).decode().split("\n")
        for _ in range(rng.randrange(5)):
            at = rng.randrange(len(lines))
            if rng.random() < 0.3:
                del lines[at]
            elif rng.random() < 0.5:
                lines.insert(at, rng.choice(ODD_LINES))
            else:
                lines.insert(at, rng.choice(lines))
            lines = lines or [""]
        text = "\n".join(lines)
        assert seen(text, layers=False) == seen(text, layers=True), text


def test_pieces_of_a_large_file_are_read_alike() -> None:
    words = [(str(i), "w" * 40, "_") for i in range(1, 30)]
    sentence = [*words[:3], ("4", "x", "Entity=(e1)"), *words[4:], ""]
    text = conllu("# newdoc id = d", *(sentence * 1500))
    assert len(text) > 1 << 21
    assert seen(text, layers=False) == seen(text, layers=True)


@pytest.mark.skipif(not DATA.exists(), reason="needs the corpora")
def test_a_corpus_is_read_alike() -> None:
    text = gzip.decompress((DATA / "gum" / "dev.conllu.gz").read_bytes()).decode()
    assert seen(text, layers=False) == seen(text, layers=True)
