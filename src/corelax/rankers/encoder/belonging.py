"""Entity probabilities that are computed when they are asked for: nothing is decided by them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corelax.decode.arrays import Floats, Ints
from corelax.decode.calibration import Calibration
from corelax.decode.membership import candidate_probs, membership
from corelax.decode.scored import Scores


@dataclass(frozen=True, slots=True, eq=False)  # arrays cannot be compared or hashed
class EntityProbabilities:
    """What the entity probabilities of a document's mentions follow from; called, it gives them.

    Attributes:
        scores: [span, 1 + candidate] of all spans, "new entity" first.
        antecedents: [span, candidate] positions of spans.
        entity: [span] numbers of entities by their first spans, without links beyond reach.
        written: [mention] its span.
        reach: How far back antecedents lie at most, in spans.
        calibration: That of the scheme by which the document was scored.
    """

    scores: Scores
    antecedents: NDArray[np.integer]
    entity: NDArray[np.integer]
    written: Ints
    reach: int
    calibration: Calibration

    def __call__(self) -> Floats:
        """[mention] the probability that it belongs to its entity."""
        is_wanted = np.zeros(len(self.entity), bool)
        is_wanted[self.entity[self.written]] = True
        entity = np.where(is_wanted[self.entity], self.entity, -1)
        probs = candidate_probs(self.scores / self.calibration.link_temperature)
        belongs = membership(probs, self.antecedents, entity, self.reach)
        return self.calibration.entity.of_probs(belongs[self.written])

    def part(self, spans: slice, mentions: slice, reach: int) -> EntityProbabilities:
        """The same for one of several documents that were decided together.

        Args:
            spans: The spans of the document, one or more.
            mentions: Its mentions.
            reach: As in the attributes.
        """
        first = spans.start
        return EntityProbabilities(
            self.scores[spans].copy(),
            self.antecedents[spans] - np.int32(first),
            self.entity[spans] - self.entity[first],
            self.written[mentions] - first,
            reach,
            self.calibration,
        )


def entity_probabilities(
    scores: Scores,
    antecedents: Ints,
    entity: Ints,
    written: Ints,
    reach: int,
    calibration: Calibration,
) -> EntityProbabilities:
    """Copies what is needed, so that a kept result does not keep the scores of a whole batch.

    Arguments are the attributes of `EntityProbabilities`.
    """
    if scores.base is not None:  # perhaps of a table of many documents
        scores = scores.copy()
    return EntityProbabilities(
        scores, antecedents.astype(np.int32), entity.astype(np.int32), written, reach, calibration
    )
