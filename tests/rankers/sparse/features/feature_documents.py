"""Small documents in columns, and mentions of random ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from corelax import Document, Span
from corelax.document.clustering import Clustering
from corelax.rankers.sparse.features.extract import Described, describe
from corelax.rankers.sparse.features.mention import Inventories
from corelax.rankers.sparse.features.settings import FeatureSettings
from corelax.rankers.sparse.mentions.lexicons import EMPTY, Lexicons
from tests.rankers.sparse.mentions.word_lists_by_hand import word_lists

# The document of the worked example: word, tag, parse, NER; a blank line ends a sentence.
WORKED_EXAMPLE = """
Tom     NNP   (TOP(S(NP(NP*  (PERSON*  (1|(0
Reed    NNP   *)             *)        0)
,       ,     *              *         -
a       DT    (NP(NP*        *         -
young   JJ    *              *         -
doctor  NN    *)             *         -
from    IN    (PP*           *         -
Oslo    NNP   (NP*)))        (GPE)     -
,       ,     *)             *         1)
sold    VBD   (VP*           *         -
his     PRP$  (NP*           *         (2|(1)
old     JJ    *              *         -
car     NN    *))            *         2)
.       .     *))            *         -

He      PRP   (TOP(S(NP*)    *         (1)
told    VBD   (VP*           *         -
Anna    NNP   (NP(NP*        (PERSON*  (4
Reed    NNP   *              *)        -
's      POS   *)             *         4)
sister  NN    *)             *         -
that    IN    (SBAR*         *         -
it      PRP   (S(NP*)        *         (2)
was     VBD   (VP*           *         -
broken  JJ    (ADJP*)))))    *         -
.       .     *))            *         -
"""
ID = "bc/demo/00/demo_0001"
SPEAKERS = ("Ann", "Bob_Lee")


def worked_example_columns() -> str:
    """The worked example as a CoNLL-2012 file."""
    lines = [f"#begin document ({ID}); part 000"]
    for sentence, speaker in zip(WORKED_EXAMPLE.strip().split("\n\n"), SPEAKERS, strict=True):
        for number, row in enumerate(sentence.splitlines()):
            word, tag, parse, ner, coref = row.split()
            cells = [ID, 0, number, word, tag, parse, "-", "-", "-", speaker, ner, coref]
            lines.append("\t".join(map(str, cells)))
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def worked_example() -> Document:
    rows = [
        [row.split() for row in part.splitlines()] for part in WORKED_EXAMPLE.strip().split("\n\n")
    ]
    flat = [row for sentence in rows for row in sentence]
    clusters = {
        0: [(0, 2)],
        1: [(0, 9), (10, 11), (14, 15)],
        2: [(10, 13), (21, 22)],
        4: [(16, 19)],
    }
    return Document.from_sentences(
        ID,
        [[row[0] for row in sentence] for sentence in rows],
        part=0,
        clusters=clusters.values(),
        layers={
            "pos": [row[1] for row in flat],
            "parse": [row[2] for row in flat],
            "ner": [row[3] for row in flat],
            "speaker": [
                name
                for name, sentence in zip(SPEAKERS, rows, strict=True)
                for _ in range(len(sentence))
            ],
        },
    )


WORKED_EXAMPLE_LEXICONS = word_lists(
    {
        "tom": (900, 10, 5, 3),
        "anna": (4, 800, 6, 2),
        "reed": (300, 90, 20, 10),
        "oslo": (1, 0, 400, 20),
        "doctor": (500, 200, 50, 60),
        "car": (2, 1, 700, 40),
        "sister": (10, 900, 20, 30),
        "his old car": (0, 0, 9, 1),
    },
    animate=["doctor", "sister"],
    inanimate=["car"],
)


def flat_document(
    id: str,
    sentences: Sequence[Sequence[str]],
    mentions: Sequence[tuple[int, int]],
    speakers: Sequence[str] | None = None,
) -> Document:
    """Nouns without a tree; the mentions are gold, each an entity of its own."""
    size = sum(map(len, sentences))
    document = Document.from_sentences(
        id,
        sentences,
        layers={
            "pos": ["NN"] * size,
            "parse": ["*"] * size,
            "speaker": list(speakers) if speakers else [None] * size,
        },
    )
    return document.with_clusters(Clustering([[Span(*mention)] for mention in mentions]))


def describe_gold(doc: Document, settings: FeatureSettings, words: Lexicons = EMPTY) -> Described:
    """The annotated mentions of a document."""
    return describe(doc, settings, words, lambda d: d.clusters.mentions)


def as_lists(inventories: Inventories) -> dict[str, list[str]]:
    return {name: sorted(words) for name, words in asdict(inventories).items()}
