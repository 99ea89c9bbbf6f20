"""Documents in rows of integers: what comes out, and losses and gradients that do not depend on padding."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.rankers.sparse.histories import History
from corelax.rankers.sparse.tensors import TableRows
from corelax.train.sparse.layout import Layout, Room
from corelax.train.sparse.objective import document_objective
from corelax.train.sparse.packing import group_of, packing_for
from tests.train.sparse.padded_documents import (
    RECORDED,
    as_written,
    config_of,
    gradients,
    new_ranker,
    new_update,
    packed,
)
from tests.train.sparse.training_runs import documents, make_data

DATA = make_data(documents(6, mentions=30), documents(1, seed=3), words=True)
BY_NETWORK = {
    "local": "baseline",
    "local2": "margin2015_g2",
    "global": "global_baseline",
    "deep": "deep_lea",
}


@pytest.fixture
def double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def anaphoric_tables():
    return [table for table in DATA.train.tables if table.is_anaphoric.any()]


@given(
    sizes=st.lists(st.integers(0, 4), min_size=2, max_size=2),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
@settings(deadline=None, max_examples=25)
def test_rows_give_back_what_was_packed_and_fillers(sizes, dtype):
    rows, columns = sizes
    values = torch.randn(rows, columns, dtype=dtype)
    layout = Layout({"values": Room((5, 4), 2, dtype), "numbers": Room((7,), -1)})
    row = layout.pack({"values": values, "numbers": torch.arange(rows)})
    found = layout.unpack(row)
    assert row.dtype == torch.int32
    assert all(
        tensor.untyped_storage().data_ptr() == row.untyped_storage().data_ptr()
        for tensor in found.values()
    )
    assert found["values"][:rows, :columns].equal(values)
    assert found["values"][rows:].eq(2).all()
    assert found["values"][:, columns:].eq(2).all()
    assert found["numbers"].tolist() == [*range(rows), *[-1] * (7 - rows)]


@pytest.mark.parametrize("network", BY_NETWORK)
def test_a_packed_document_is_the_document_and_padding(network):
    ranker = new_ranker(DATA, config_of(BY_NETWORK[network]))
    for document, padded in packed(ranker, DATA.train.tables):
        n = document.size
        assert padded.size >= n
        assert padded.length == document.length == n
        assert padded.gold[:n].equal(document.gold)
        assert padded.gold[n:].eq(-1).all()
        assert padded.code_of_pair[:n, :n].equal(document.code_of_pair)
        assert padded.gold_sizes[: len(document.gold_sizes)].equal(document.gold_sizes)
        assert padded.gold_sizes[len(document.gold_sizes) :].eq(0).all()
        assert padded.rows[: len(document.rows)].equal(document.rows)


def test_padding_has_no_features():
    ranker = new_ranker(DATA, config_of("baseline"))
    for document, padded in packed(ranker, DATA.train.tables):
        n = document.size
        assert padded.rows[len(document.rows) :].eq(ranker.mention_features).all()
        assert padded.current[n:].eq(ranker.pair_features).all()
        assert padded.previous[n:].eq(ranker.pair_features).all()
        assert padded.codes[: len(document.codes)].equal(document.codes)
        names = torch.cat([padded.rows, torch.tensor([-1])])
        plain = torch.cat([document.rows, torch.tensor([-1])])
        assert names[padded.features[:n]].equal(plain[document.features])
        assert names[padded.features[n:]].eq(-1).all()


def test_padding_has_no_words():
    ranker = new_ranker(DATA, config_of("deep_lea"))
    for document, padded in packed(ranker, DATA.train.tables):
        n, known = document.size, len(document.rows)
        assert padded.rows[known:].eq(document.rows[0]).all()
        assert padded.source.tolist() == [*range(known), *[0] * (len(padded.rows) - known)]
        names = torch.cat([padded.rows, torch.tensor([-1])])
        plain = torch.cat([document.rows, torch.tensor([-1])])
        assert names[padded.words[:n]].equal(plain[document.words])
        assert names[padded.words[n:]].eq(-1).all()
        assert padded.averages[:n].equal(document.averages)
        assert padded.numbers[:n].equal(document.numbers)
        assert padded.sentence[:n].equal(document.sentence)


def test_a_packed_history_is_that_of_the_gold_clusters():
    ranker = new_ranker(DATA, config_of("global_baseline"))
    for document, padded in packed(ranker, DATA.train.tables):
        n, gold, found = document.size, History.of(document.gold), padded.clusters
        clusters = gold.last.shape[1]
        assert found.cluster[:n].equal(gold.cluster)
        assert found.cluster[n:].eq(-1).all()
        assert found.previous[:n].equal(gold.previous)
        assert found.last[:n, :clusters].equal(gold.last)
        assert found.last[:, clusters:].eq(-1).all()
        assert found.order[found.position[:n]].tolist() == list(range(n))


@pytest.mark.parametrize("network", BY_NETWORK)
def test_documents_of_a_group_have_rows_of_one_length(network):
    ranker = new_ranker(DATA, config_of(BY_NETWORK[network]))
    whole = [ranker.tensors_of(table) for table in DATA.train.tables]
    packing = packing_for(ranker, whole)
    assert len({packing.pack(document).shape for document in whole}) == 1


def test_documents_with_long_clusters_are_a_group_of_their_own():
    ranker = new_ranker(DATA, config_of("global_baseline"))
    [table, *_] = DATA.train.tables
    short, long = table.gold.copy(), table.gold.copy()
    short[:] = -1
    long[:] = 0
    groups = [group_of(ranker, replace(table, gold=gold)) for gold in (short, long)]
    assert groups[0] != groups[1]
    local = new_ranker(DATA, config_of("baseline"))
    groups = [group_of(local, replace(table, gold=gold)) for gold in (short, long)]
    assert groups[0] == groups[1]


def assert_padding_changes_nothing(config, tables):
    ranker = new_ranker(DATA, config)
    plain = document_objective(config, 1, padded=False, tables=tables)
    with_lengths = document_objective(config, 1, padded=True, tables=tables)
    for document, padded in packed(ranker, tables):
        loss, same = plain(ranker, document), with_lengths(ranker, padded)
        torch.testing.assert_close(same, loss)
        expected, found = gradients(loss, ranker), gradients(same, ranker)
        for name in expected:
            torch.testing.assert_close(found[name], expected[name], rtol=1e-6, atol=1e-9)
            if name.endswith("table"):
                assert found[name][-1].eq(0).all()  # the row that stays 0


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize("network", BY_NETWORK)
def test_scores_do_not_depend_on_padding(network):
    ranker = new_ranker(DATA, config_of(BY_NETWORK[network]))
    for document, padded in packed(ranker, DATA.train.tables):
        n = document.size
        given = [{}, {}]
        if network == "global":
            given = [{"history": document.gold}, {"history": padded.clusters}]
        expected, found = ranker(document, **given[0]), ranker(padded, **given[1])
        torch.testing.assert_close(found[:n, :n].tril(), expected.tril())


@pytest.mark.usefixtures("double", "greedy")
@pytest.mark.parametrize("preset", RECORDED)
def test_losses_and_gradients_do_not_depend_on_padding(preset):
    assert_padding_changes_nothing(config_of(preset), anaphoric_tables())


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("conll", {"singletons": "keep", "metric": "lea"}),
        ("conll", {"metric": "muc"}),
        ("conll", {"metric": "blanc"}),
        ("pairwise_b3", {"singletons": "keep"}),
        ("cm_rescale", {"singletons": "keep", "metric": "lea"}),
        ("baseline", {"max_antecedents": 5}),
        ("margin2015_g2", {"max_antecedents": 5}),
        ("global2016", {"max_antecedents": 5}),
        ("deep_all_pairs", {"max_antecedents": 5}),
        ("deep_heuristic", {"max_antecedents": 5}),
        ("deep_heuristic", {"costs": "0.4,0,1"}),
        ("deep_rescale", {"singletons": "keep", "metric": "lea"}),
    ],
)
def test_other_settings_do_not_depend_on_padding_either(preset, changes):
    assert_padding_changes_nothing(config_of(preset, **changes), anaphoric_tables())


@pytest.mark.parametrize("preset", ["global2016", "margin2015_g2", "deep_top_pairs", "deep_lea"])
@given(lengths=st.lists(st.integers(2, 40), min_size=1, max_size=3))
@settings(deadline=None, max_examples=10)
def test_documents_of_any_length_can_share_a_group(preset, lengths):
    torch.set_default_dtype(torch.float64)
    try:
        tables = [table.first(n) for table, n in zip(DATA.train.tables, lengths, strict=False)]
        assert_padding_changes_nothing(config_of(preset), tables)
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.usefixtures("double", "greedy")
@pytest.mark.parametrize(
    "preset", ["margin2015_g2", "global2016", "deep_heuristic", "deep_all_pairs"]
)
def test_steps_with_padding_change_weights_and_state_as_those_without(preset):
    """Rows that padding repeats are changed once, others not at all."""
    config = config_of(preset)
    tables = anaphoric_tables()
    after = []
    for padded in (False, True):
        ranker = new_ranker(DATA, config)
        update = new_update(ranker, config)
        objective = document_objective(config, 1, padded=padded, tables=tables)
        for pair in packed(ranker, tables):
            update.step(objective, pair[padded])
        state = update.optimizer.state
        after.append(
            {
                name: (weight.detach(), state[weight][update.optimizer.STATE])
                for name, weight in ranker.named_parameters()
                if weight in state
            }
        )
    assert after[0].keys() == after[1].keys()
    for name, (weight, total) in after[0].items():
        torch.testing.assert_close(after[1][name][0], weight)
        torch.testing.assert_close(after[1][name][1], total)


def test_repeated_rows_have_the_gradient_of_the_first():
    table = torch.randn(4, 2, requires_grad=True)
    rows, source = torch.tensor([3, 1, 3]), torch.tensor([0, 1, 0])
    weights = torch.tensor([[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]])
    (gradient,) = torch.autograd.grad((TableRows.apply(table, rows, source) * weights).sum(), table)
    assert as_written(gradient).tolist() == [[0, 0], [3, 4], [0, 0], [1, 2]]


@pytest.mark.parametrize("optimizer", ["adagrad", "rmsprop"])
def test_restoring_gives_back_weights_and_state_in_place(optimizer):
    config = config_of("baseline", optimizer=optimizer)
    ranker = new_ranker(DATA, config)
    update = new_update(ranker, config)
    objective = document_objective(config, 1, padded=False)
    tables = anaphoric_tables()

    def step(table):
        return update.step(objective, ranker.tensors_of(table)).item()

    fresh = update.optimizer.copies()
    first = [step(table) for table in tables]
    totals = [update.optimizer.state[w][update.optimizer.STATE] for w in ranker.parameters()]
    update.optimizer.restore(fresh)
    again = [step(table) for table in tables]
    assert first == again
    for weight, total in zip(ranker.parameters(), totals, strict=True):
        assert update.optimizer.state[weight][update.optimizer.STATE] is total


def test_two_byte_values_of_padded_documents_change_losses_and_gradients_a_little():
    tables = anaphoric_tables()
    found = []
    for precision in ("float32", "bfloat16"):
        config = config_of("deep_all_pairs", precision=precision)
        ranker = new_ranker(DATA, config)
        objective = document_objective(config, 1, padded=True, tables=tables)
        (_, document), *_ = packed(ranker, tables)
        loss = objective(ranker, document)
        found.append([loss.detach(), *gradients(loss, ranker).values()])
    assert not found[0][0].equal(found[1][0])  # else they had four bytes
    for exact, rounded in zip(*found, strict=True):
        assert exact.dtype == rounded.dtype
        assert (rounded - exact).norm() <= 0.1 * exact.norm()
