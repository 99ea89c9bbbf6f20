"""What epochs are compared by: F1 of anaphoricity, accuracy of antecedents, CoNLL of all gold mentions."""

import numpy as np
import pytest
import torch

from corelax.rankers import SparseRanker
from corelax.rankers.sparse.features.settings import FEATURE_SETS
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import Inventories, Vocabulary
from corelax.rankers.sparse.settings import SparseSettings
from corelax.train import Config
from corelax.train.sparse.evaluate import decode_table, dev_report, dev_score


def table(gold, missed=()):
    """A document whose mentions are one word each; `missed` are the entities of words that were not found."""
    n = len(gold)
    found = [(entity, i, i + 1, 0) for i, entity in enumerate(gold) if entity >= 0]
    others = [(entity, n + i, n + i + 1, 0) for i, entity in enumerate(missed)]
    return DocumentTable(
        key="d",
        spans=np.array([[i, i + 1] for i in range(n)], dtype=np.int32).reshape(n, 2),
        features=np.zeros((n, 1), dtype=np.int32),
        current=np.full((n, 2), -1, dtype=np.int32),
        previous=np.full((n, 1), -1, dtype=np.int32),
        codes=np.zeros(1, dtype=np.int32),
        code_of_pair=np.zeros(n * (n - 1) // 2, dtype=np.uint16),
        gold=np.array(gold, dtype=np.int32),
        gold_mentions=np.array(found + others, dtype=np.int32).reshape(-1, 4),
    )


class Fixed(SparseRanker):
    """Gives scores that were written down."""

    def __init__(self, scores):
        words = Vocabulary(FEATURE_SETS["default"], Inventories(), ["type=PROPER"], ["dist=1"])
        super().__init__(words, SparseSettings(hidden_mention=1, hidden_pair=1))
        self.scores = [torch.tensor(one, dtype=torch.float32) for one in scores]
        self.turn = 0

    def next(self):
        self.turn += 1
        return self.scores[self.turn - 1]

    def forward(self, document, dropout=0.0):  # noqa: ARG002
        return self.next()

    def pair_scores(self, document, dropout=0.0):  # noqa: ARG002
        return self.next()

    def mention_hidden(self, document):  # noqa: ARG002
        return self.next()

    def new_scores(self, hidden):
        return hidden


def config(**settings):
    return Config(stage="s", **settings)


def test_anaphoricity_is_scored_over_all_mentions_of_all_documents():
    tables = [table([0, 0, 1, 0]), table([0, -1, 0])]
    scores = [[-1.0, 1, 1, -1], [1.0, -1, 0.5]]  # right 1 of 2 said, of 2; right 1 of 2, of 1
    found = dev_score(Fixed(scores), tables, config(objective="anaphoricity"))
    assert found == pytest.approx(2 * 2 / (4 + 3))


@pytest.mark.parametrize("objective", ["antecedent", "antecedent_margin"])
def test_antecedents_are_scored_over_anaphoric_mentions(objective):
    # 2 chooses 1 (wrong, 0 is right), 3 chooses 2 (right). 1 is not anaphoric. What is above does not count.
    scores = [[9.0, 9, 9, 9], [5, 9, 9, 9], [0, 1, 9, 9], [0, 1, 2, 9]]
    tables = [table([0, 1, 0, 0]), table([0]), table([0, 0])]
    ranker = Fixed([scores, [[0.0, 0], [0, 0]]])
    assert dev_score(ranker, tables, config(objective=objective)) == pytest.approx(2 / 3)


def test_without_anaphoric_mentions_a_score_is_0():
    assert dev_score(Fixed([[-1.0, -1]]), [table([0, 1])], config(objective="anaphoricity")) == 0
    assert dev_score(Fixed([links(0, 0)]), [table([0, 1])], config(objective="antecedent")) == 0
    assert dev_score(Fixed([]), [table([0])], config(objective="antecedent")) == 0


def links(*actions):
    """Scores by which every mention takes the given antecedent, or starts an entity."""
    n = len(actions)
    scores = torch.zeros(n, n)
    for i, action in enumerate(actions):
        scores[i, action] = 5
    return scores.tolist()


def test_missed_gold_mentions_count_in_the_scores():
    # Gold {0, 1, missed}, all links right: B³ recall (2 · 2/3) / 3, precision 1.
    report = dev_report(Fixed([links(0, 0)]), [table([0, 0], missed=[0])], config())
    scores = report.as_dict()["b_cubed"]
    assert scores["recall"] == pytest.approx(4 / 9)
    assert scores["precision"] == pytest.approx(1)


def test_singletons_are_dropped_or_kept():
    tables = [table([0, 0, 1])]
    dropped = dev_report(Fixed([links(0, 0, 2)]), tables, config()).as_dict()["mentions"]
    kept = dev_report(Fixed([links(0, 0, 2)]), tables, config(singletons="keep")).as_dict()
    assert dropped["recall"] == dropped["precision"] == 1
    assert kept["mentions"]["recall"] == 1
    without = dev_report(Fixed([links(0, 0, 0)]), tables, config(singletons="keep")).as_dict()
    assert without["b_cubed"]["f1"] < kept["b_cubed"]["f1"] == 1
    alone = decode_table(Fixed([links(0, 1, 2)]), tables[0], singletons="keep", decoding="links")
    assert sorted(map(list, alone)) == [[0], [1], [2]]
    assert (
        decode_table(Fixed([links(0, 1, 2)]), tables[0], singletons="drop", decoding="links") == []
    )


def test_entities_may_be_decoded_instead_of_links():
    # 2 prefers 1 as a link (0.4 against 0.3 and 0.3), but 1 belongs to 0 mostly.
    scores = torch.log(torch.tensor([[1.0, 1, 1], [0.45, 0.55, 1], [0.35, 0.4, 0.25]])).tolist()
    by_links = decode_table(Fixed([scores]), table([0, 0, 0]), singletons="drop", decoding="links")
    by_entities = decode_table(
        Fixed([scores]), table([0, 0, 0]), singletons="drop", decoding="entities"
    )
    assert [sorted(entity) for entity in by_links] == [[1, 2]]
    # p(2 in 0) = 0.35 + 0.4 · 0.45 = 0.53, p(2 in 1) = 0.4 · 0.55
    assert [sorted(entity) for entity in by_entities] == [[0, 2]]


def test_a_document_without_mentions_is_scored():
    ranker = Fixed([links(0, 0), torch.zeros(0, 0).tolist()])
    ranker.scores[1] = torch.zeros(0, 0)
    report = dev_report(ranker, [table([0, 0]), table([])], config())
    assert report.as_dict()["b_cubed"]["f1"] == 1
