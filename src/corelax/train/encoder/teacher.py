"""What a trained model thinks of training documents: its entities, its probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from corelax.decode.calibration import sigmoid
from corelax.decode.membership import candidate_probs
from corelax.decode.scored import Scored
from corelax.document import Span
from corelax.document.clustering import Clustering
from corelax.rankers.encoder.batches import Item
from corelax.rankers.encoder.model import EncoderModel
from corelax.rankers.encoder.places import Places
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.train.encoder.corpora import TrainingCorpus
from corelax.train.encoder.evaluate import entities_within_reach, evaluation_mode, scored_documents
from corelax.train.encoder.examples import Example, SoftTargets, with_entities

LEAST_LINK = 0.02  # less likely links are not passed on


class Opinion(NamedTuple):
    """What a teacher thinks of a document.

    Attributes:
        entities: What it decides, singletons among them where the document has such.
        soft: How likely it takes links and mentions.
    """

    entities: Clustering[Span]
    soft: SoftTargets


def taught(
    examples: Sequence[Example],
    corpus: TrainingCorpus,
    teachers: dict[str, EncoderModel],
    settings: EncoderSettings,
) -> list[Example]:
    """The same documents with what the corpus's teachers say of them.

    The entities of `corpus.teacher` take the place of those there are; markables stay where the corpus names
    files for them. The probabilities of `corpus.soft` come beside the entities. Twins are asked about on
    their own.
    """
    result = list(examples)
    for name in corpus.teachers:
        for twins in (False, True):
            asked = [at for at, e in enumerate(result) if e.twin is not None or not twins]
            every = [result[at].twin or result[at] if twins else result[at] for at in asked]
            answers = opinions(teachers[name], every, corpus.scheme, settings.max_width)
            for at, example, opinion in zip(asked, every, answers, strict=True):
                if name == corpus.soft:
                    example = example._replace(soft=opinion.soft)
                if name == corpus.teacher:
                    example = with_entities(
                        example,
                        opinion.entities,
                        settings.max_width,
                        keep_markables=bool(corpus.markables),
                    )
                result[at] = result[at]._replace(twin=example) if twins else example
    return result


def opinions(
    teacher: EncoderModel, examples: Sequence[Example], scheme: str, max_width: int
) -> Iterator[Opinion]:
    """What a teacher thinks of each document, by one of the schemes that it knows."""
    number = teacher.ranker.settings.schemes.index(scheme)
    with evaluation_mode(teacher.ranker):
        items = [Item(teacher.windows(e.document), number) for e in examples]
        every = scored_documents(teacher.network, items)
        for example, scored in zip(examples, every, strict=True):
            yield _opinion(example, scored, max_width)


def _opinion(example: Example, scored: Scored, max_width: int) -> Opinion:
    spans = np.stack([scored.start, scored.end], -1)
    chance = sigmoid(scored.logit)
    places = Places(example.windows, len(example.document.words), max_width)
    where = places.of(spans)
    held = np.array([places.holds(span) for span in scored.bounds], bool)

    probs = candidate_probs(scored.scores)
    own = np.arange(len(spans))[:, None]
    towards = np.concatenate([own, scored.antecedents], 1)
    row, column = np.nonzero(probs > LEAST_LINK)
    target = towards[row, column]
    there = held[row] & held[target]
    return Opinion(
        entities_within_reach(scored, example),
        SoftTargets(
            anaphor=where[row[there]],
            antecedent=where[target[there]],
            link=probs[row, column][there].astype(np.float32),
            where=where[held],
            mention=chance[held].astype(np.float32),
        ),
    )
