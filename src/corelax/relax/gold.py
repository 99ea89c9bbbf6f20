"""Gold entities as the losses take them: a number for each mention, and sizes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from corelax.core.errors import CorelaxError
from corelax.document.clustering import check_clusters, entity_of_mentions
from corelax.relax.advice import advise_gold
from corelax.relax.links import real_mentions
from corelax.relax.precision import can_check

MAX_SIZE = 1e15  # of an entity: whole numbers and their pairs are exact enough in float64


def gold_tensors(
    mentions: Sequence[Hashable], clusters: Iterable[Iterable[Hashable]]
) -> tuple[Tensor, Tensor]:
    """Gold labels for a ranker's mentions: `gold` and `gold_sizes` of the losses.

    Args:
        mentions: The ranker's mentions in document order, none of them twice: any hashable things, such as
            (start, end).
        clusters: The gold entities, of the same kind of mentions or of `Span`, as `Document.clusters` is. A
            mention of several entities belongs to the first of them.

    Returns:
        `gold` [mention], the number of each mention's entity or −1, and `gold_sizes` [entity], which count
        gold mentions that the ranker does not have as well.

    >>> gold, sizes = gold_tensors([(0, 1), (2, 4), (7, 8)], [[(0, 1), (5, 6), (7, 8)], [(9, 10)]])
    >>> gold.tolist(), sizes.tolist()
    ([0, -1, 0], [3, 1])
    """
    (checked,) = check_clusters([mentions], "mentions")
    if len(set(checked)) < len(checked):
        raise CorelaxError("mentions must not be repeated")
    entities = [dict.fromkeys(c) for c in check_clusters(clusters, "clusters")]
    entity_of = entity_of_mentions(entities)
    gold = [entity_of.get(mention, -1) for mention in checked]
    sizes = [len(cluster) for cluster in entities]
    return torch.tensor(gold, dtype=torch.long), torch.tensor(sizes, dtype=torch.long)


class GoldBatch(NamedTuple):
    """Gold labels of several documents, padded to one size.

    Attributes:
        gold: [document, mention] numbers of entities, −1 for mentions in none and for padding.
        gold_sizes: [document, entity] sizes, 0 for padding.
        lengths: [document] how many mentions are real.
    """

    gold: Tensor
    gold_sizes: Tensor
    lengths: Tensor


def padded_gold_tensors(
    mentions: Sequence[Sequence[Hashable]],
    clusters: Sequence[Iterable[Iterable[Hashable]]],
    *,
    size: int | None = None,
) -> GoldBatch:
    """`gold_tensors` of several documents, as losses take a padded batch.

    Args:
        mentions: The ranker's mentions of each document, without padding.
        clusters: The gold entities of each document.
        size: How many mentions the scores are padded to; None for those of the longest document.

    Returns:
        `gold`, `gold_sizes` and `lengths`, on the CPU; losses move them to the scores.

    >>> batch = padded_gold_tensors([["a", "b"], ["c"]], [[["a", "b"]], [["c", "d"], ["e"]]])
    >>> batch.gold.tolist(), batch.gold_sizes.tolist(), batch.lengths.tolist()
    ([[0, 0], [0, -1]], [[2, 0], [2, 1]], [2, 1])
    """
    if len(mentions) != len(clusters):
        raise CorelaxError(
            f"mentions and clusters must have as many documents, not {len(mentions)} and {len(clusters)}"
        )
    documents = [gold_tensors(*document) for document in zip(mentions, clusters, strict=True)]
    lengths = [len(gold) for gold, _ in documents]
    longest = max(lengths, default=0)
    if size is not None and size < longest:
        raise CorelaxError(
            f"size must be at least {longest}, the mentions of a document, not {size}"
        )
    gold = torch.full((len(documents), longest if size is None else size), -1)
    most = max((len(sizes) for _, sizes in documents), default=0)
    gold_sizes = torch.zeros(len(documents), most, dtype=torch.long)
    for row, (labels, sizes) in enumerate(documents):
        gold[row, : len(labels)], gold_sizes[row, : len(sizes)] = labels, sizes
    return GoldBatch(gold, gold_sizes, torch.tensor(lengths, dtype=torch.long))


class Gold:
    """The gold entities of a document, or of a batch of padded documents.

    Attributes:
        entity: [..., mention] number of the mention's entity, −1 for none.
        sizes: [..., entity] mentions of each entity, found or not; 0 where a batch pads entities.
    """

    def __init__(self, entity: Tensor, sizes: Tensor) -> None:
        self.entity, self.sizes = entity, sizes.double()

    @classmethod
    def of(
        cls,
        gold: Tensor,
        gold_sizes: Tensor | None,
        scores: Tensor,
        lengths: Tensor | None = None,
    ) -> Gold:
        """Checks `gold` and `gold_sizes` against the scores they belong to.

        >>> Gold.of(torch.tensor([0, 3]), torch.tensor([2, 2]), torch.zeros(2, 2))
        Traceback (most recent call last):
            ...
        corelax.core.errors.CorelaxError: gold: entity 3 is out of range; gold_sizes has 2 entities
        """
        gold = check_gold(gold, scores, lengths)
        if gold_sizes is None:
            if not can_check(gold):
                raise CorelaxError("gold_sizes must be given where operations are recorded")
            entities = int(gold.max()) + 1 if gold.numel() else 0
            if entities > gold.shape[-1]:  # numbers with gaps: a row for each would waste memory
                gold, entities = by_first_mention(gold), gold.shape[-1]
            unsized = cls(gold, torch.zeros(*gold.shape[:-1], entities, device=gold.device))
            return unsized.of_found_mentions()
        if (
            not isinstance(gold_sizes, Tensor)
            or gold_sizes.ndim != gold.ndim
            or gold_sizes.shape[:-1] != gold.shape[:-1]
        ):
            shape = ", ".join(map(str, [*gold.shape[:-1], "entity"]))
            raise CorelaxError(f"gold_sizes must be a tensor [{shape}]")
        result = cls(gold, gold_sizes.to(gold.device))
        if can_check(gold):
            result._check_sizes()
        return result

    def _check_sizes(self) -> None:
        entities = self.sizes.shape[-1]
        if not bool(((self.sizes >= 0) & (self.sizes <= MAX_SIZE)).all()):
            raise CorelaxError(
                f"gold_sizes must be 0 or more and at most {MAX_SIZE:g}; padding is 0"
            )
        if self.entity.numel() and int(self.entity.max()) >= entities:
            raise CorelaxError(
                f"gold: entity {int(self.entity.max())} is out of range; gold_sizes has {entities} entities"
            )
        too_small = self._found > self.sizes
        if bool(too_small.any()):
            *_, entity = too_small.nonzero()[0].tolist()
            raise CorelaxError(
                f"gold_sizes: entity {entity} has more mentions in gold than its size"
            )

    @cached_property
    def members(self) -> Tensor:
        numbers = torch.arange(self.sizes.shape[-1], device=self.entity.device)
        return (self.entity[..., None, :] == numbers[:, None]).double()

    @cached_property
    def _found(self) -> Tensor:
        return self.sums(self.is_member[..., None])[..., 0]

    @cached_property
    def is_member(self) -> Tensor:
        return (self.entity >= 0).double()

    @cached_property
    def size_of_mention(self) -> Tensor:
        if not self.sizes.shape[-1]:
            return torch.zeros_like(self.entity, dtype=torch.float64)
        return self.sizes.gather(-1, self.entity.clamp(min=0)) * (self.entity >= 0)

    def sums(self, values: Tensor) -> Tensor:
        """[..., mention, column] → [..., entity, column]: sums over the mentions of each entity.

        A product with `members`, except on a CPU, where it is quicker to add up rows.
        """
        if values.device.type != "cpu":
            return self.members @ values.double()
        *batch, n = self.entity.shape
        rows = self.sizes.shape[-1] + 1  # the first is for mentions in no entity
        offset = rows * torch.arange(math.prod(batch), device=values.device)
        index = (self.entity.reshape(len(offset), n) + 1 + offset[:, None]).flatten()
        columns = values.shape[-1]
        sums = values.new_zeros(len(offset) * rows, columns, dtype=torch.float64)
        sums = sums.index_add(0, index, values.double().reshape(len(index), columns))
        return sums.view(*batch, rows, columns)[..., 1:, :]

    def of_found_mentions(self) -> Gold:
        return Gold(self.entity, self._found)

    def without_singletons(self) -> Gold:
        entity = torch.where(self.size_of_mention > 1, self.entity, -1)
        return Gold(entity, self.sizes * (self.sizes > 1))


def same_entity(gold: Tensor) -> Tensor:
    """[..., mention] entity numbers → [..., mention, mention] whether two mentions have the same one."""
    return (gold[..., :, None] == gold[..., None, :]) & (gold >= 0)[..., None]


def by_first_mention(gold: Tensor) -> Tensor:
    """The same entities, each numbered by its first mention.

    >>> by_first_mention(torch.tensor([-1, 900, -1, 900]))
    tensor([-1,  1, -1,  1])
    """
    n = gold.shape[-1]
    mentions = torch.arange(n, device=gold.device)
    first = torch.where(same_entity(gold), mentions, n).amin(-1)
    return torch.where(gold >= 0, first, -1)


def check_gold(gold: Tensor, scores: Tensor, lengths: Tensor | None = None) -> Tensor:
    """Gold on the device of the scores, or an error that names it."""
    if not isinstance(gold, Tensor) or gold.is_floating_point() or gold.dtype == torch.bool:
        raise CorelaxError(
            "gold must be a tensor of integers, as gold_tensors gives: one for each mention"
        )
    if gold.shape != scores.shape[:-1]:
        expected, shape = list(scores.shape[:-1]), list(gold.shape)
        raise CorelaxError(f"gold must be {expected} to go with antecedent_scores, not {shape}")
    gold = gold.to(device=scores.device, dtype=torch.long)
    if gold.numel() and can_check(gold) and int(gold.min()) < -1:
        raise CorelaxError(
            f"gold: {int(gold.min())} is out of range; use -1 for mentions in no entity"
        )
    if can_check(gold):
        real = None if lengths is None else real_mentions(lengths, scores)
        if real is not None and bool(((gold >= 0) & ~real).any()):
            raise CorelaxError("gold: padding beyond lengths is in an entity; it must be -1")
        advise_gold(gold, real)
    return gold
