"""Small files, and the Hypothesis strategy for documents, that the tests of corelax.io share."""

import itertools
import random
from pathlib import Path

from hypothesis import strategies as st

from corelax import Clustering, CorelaxError, Document, Span, io


def conll(*cells: str, header: str = "(d); part 000") -> str:
    """A CoNLL-2012 document of five columns: a token for each cell, a blank line for each ""."""
    rows = [f"#begin document {header}"]
    words = itertools.count()
    number = 0
    for cell in cells:
        rows.append(f"d\t0\t{number}\tw{next(words)}\t{cell}" if cell else "")
        number = number + 1 if cell else 0
    return "\n".join([*rows, "", "#end document", ""])


def conllu(*rows: tuple[str, str, str] | str) -> str:
    """CoNLL-U from (number, word, MISC); a string is a line as it is, "" ends a sentence."""
    lines = [
        row if isinstance(row, str) else "\t".join([*row[:2], *["_"] * 7, row[2]]) for row in rows
    ]
    return "\n".join([*lines, "", ""])


def save(folder: Path, content: str | bytes, name: str = "a.conll") -> Path:
    """Writes a file byte for byte."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def check_readable_or_refused(doc: Document, path: Path) -> None:
    """A document is written so that it can be read again, or an error says why it cannot be."""
    try:
        io.write([doc], path)
    except CorelaxError as error:
        message = str(error)
    else:
        message = ""
    if message:
        assert "\n" not in message
        return
    [again] = io.read(path)
    assert (again.name, again.words) == (doc.name, doc.words)


_LAYER_VALUES = st.sampled_from(["NN", "VB", "x|y", "(NP*", "a b", "ä", None])
_HELD_BY_ALL = ("pos", "lemma")


@st.composite
def documents(draw: st.DrawFn, *, ids: st.SearchStrategy[str] | None = None) -> Document:
    """Any document: odd words, sentences of any length, layers, all kinds of mentions.

    Only the shape is drawn value by value; words and mentions come from a seeded generator, which is
    quicker by far and still shrinks to few sentences, mentions and layers.
    """
    rng = draw(st.randoms(use_true_random=False))
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    size = sum(sizes)
    words = [draw(odd_words) if rng.random() < 0.3 else rng.choice("abc") for _ in range(size)]
    shapes = draw(st.lists(st.integers(1, 4), max_size=4))  # mentions of each entity
    clusters = []
    for count in shapes:
        mentions = {_mention(rng, size) for _ in range(count)}
        if clusters and rng.random() < 0.3:
            mentions.add(rng.choice(clusters[-1]))  # in two entities
        clusters.append(sorted(mentions))
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    layers = {}
    for name in draw(st.sets(st.sampled_from(_HELD_BY_ALL))):
        layers[name] = tuple(draw(_LAYER_VALUES) for _ in words)
    if draw(st.booleans()):
        layers["speaker"] = tuple(
            speaker for n in sizes for speaker in [rng.choice(["Ann", "Bo B.", None])] * n
        )
    return Document(
        id=draw(ids or st.text("abcXYZ/-. é", min_size=1).map(str.strip).filter(bool)),
        part=draw(st.none() | st.integers(0, 1200)),
        words=tuple(words),
        sentence_starts=tuple(starts),
        clusters=Clustering(clusters),
        layers={name: values for name, values in layers.items() if any(values)},
    )


# CoNLL-U cannot tell whether a word `_` has the lemma `_` or none, so that word is not here.
odd_words = (
    st.text(
        st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]),
        min_size=1,
        max_size=4,
    )
    | st.sampled_from(
        ["a b", " ", "\xa0", "\u3000", "\u2028", "\x85", "\x0b", "\x1c", "\ufeff", "e\u0301", "🜁"]
    )
    | st.sampled_from(r'# #begin (0) 0) - * | Entity=(e1) 1-2 " \ null'.split())
).filter(lambda word: word != "_")


def _mention(rng: random.Random, size: int) -> Span:
    """Mostly short; one in six is discontinuous."""
    start = rng.randrange(size)
    end = rng.randint(start + 1, min(size, start + 5))
    if end - start > 2 and rng.random() < 0.3:
        gap = rng.randrange(start + 1, end - 1)
        return Span(start, end, parts=((start, gap), (gap + 1, end)))
    return Span(start, end)
