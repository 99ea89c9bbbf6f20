"""Documents out of a seed and a shape."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from corelax.core.checks import check_number
from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.document.clustering import Clustering
from corelax.synthetic.clauses import greeting, sentence
from corelax.synthetic.entities import Entity
from corelax.synthetic.shape import Shape
from corelax.synthetic.story import Story

GOLDEN = 0.6180339887498949  # multiples of it, less their integer part, fill [0, 1) evenly


def generate(
    documents: int, *, seed: int = 0, shape: Shape | None = None, ambiguity: float = 0.3
) -> Iterator[Document]:
    """Annotated documents, one after the other, the same for the same seed.

    Each has words, `pos`, `parse`, `ner` and, if it is a conversation, `speaker`, and clusters that
    follow the habits of OntoNotes: no singletons, longest noun phrases, 's belongs to the mention,
    neither appositions nor predicates corefer. Document k depends on seed and k alone.

    Args:
        documents: The number of documents.
        seed: Another seed gives other documents.
        shape: Their size and density; by default that of CoNLL-2012.
        ambiguity: From 0 to 1: how often a pronoun, noun or name could mean somebody else as well.

    >>> [doc] = generate(1, shape=Shape.conll2012().scaled(12))
    >>> doc.id, sorted(doc.layers)
    ('nw/synthetic/0/000000', ['ner', 'parse', 'pos'])
    """
    check_number("documents", documents, integer=True)
    if not 0 <= ambiguity <= 1:
        raise CorelaxError(f"ambiguity must be between 0 and 1, not {ambiguity:g}")
    shape = Shape.conll2012() if shape is None else shape
    return (_document(k, seed, shape, ambiguity) for k in range(documents))


def _document(k: int, seed: int, shape: Shape, ambiguity: float) -> Document:
    rng = Random(f"{seed} {k}")
    # Drawn one by one, sizes would make the total number of pairs a matter of luck.
    share = (Random(seed).random() + k * GOLDEN) % 1
    story = Story(rng, shape, shape.size_at(share), ambiguity)
    spoken = rng.random() < shape.dialogue
    if spoken:
        _converse(story)
    else:
        while story.room > 0:
            _write(story, None)
    text = story.text
    layers: dict[str, Any] = {"pos": text.tags, "parse": text.parse, "ner": text.names}
    if spoken:
        layers["speaker"] = text.speakers
    if not any(name != "*" for name in text.names):
        del layers["ner"]  # a column without any name is the same as none
    entities = [mentions for mentions in text.mentions.values() if len(mentions) > 1]
    return Document(
        id=f"{'bc' if spoken else 'nw'}/synthetic/{seed}/{k:06d}",
        part=0,
        words=tuple(text.words),
        sentence_starts=tuple(text.starts),
        clusters=Clustering(entities),
        layers={name: tuple(values) for name, values in layers.items()},
    )


def _converse(story: Story) -> None:
    """Two or three people take turns, each speaking to the one before."""
    people = [story.cast.person() for _ in range(story.rng.choice((2, 2, 3)))]
    speaker, addressee = people[:2]
    story.together = story.cast.couple(speaker, addressee) if len(people) == 2 else None
    while story.room > 0:
        references = story.references
        references.speaker, references.addressee = speaker, addressee
        if story.rng.random() < 0.25:
            _write(story, speaker, greets=addressee)
        for _ in range(story.rng.choice((1, 1, 2, 3, 4))):
            if story.room > 0:
                _write(story, speaker)
        others = [person for person in people if person is not speaker]
        speaker, addressee = story.rng.choice(others), speaker


def _write(story: Story, speaker: Entity | None, greets: Entity | None = None) -> None:
    story.cast.sentence = len(story.text.starts)
    tree = greeting(story, greets) if greets else sentence(story)
    story.text.add(tree, "_".join(speaker.name) if speaker else None)
