"""Decisions and how sure they are, against decoder and probabilities of all pairs."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import corelax.decode
from corelax.decode import ResolveOptions, Scored, best_entities, best_links
from corelax.decode.arrays import candidate_scores
from corelax.decode.membership import candidate_probs, membership
from corelax.document import Document
from corelax.english.claims import claims_of
from corelax.rankers.adapt import from_pruned
from corelax.relax import entity_probs, link_probs

pytestmark = pytest.mark.usefixtures("one_thread")
enough = settings(deadline=None, max_examples=60)
INF = torch.inf


def candidates(size, most, reach, seed):
    """[span, 1 + candidate] random scores and [span, candidate] different spans at most `reach` before."""
    generator = torch.Generator().manual_seed(seed)
    scores = torch.full((size, 1 + most), -INF)
    scores[:, 0] = 0.0
    antecedents = torch.zeros(size, most, dtype=torch.long)
    for i in range(size):
        near = torch.arange(max(0, i - reach), i)
        chosen = near[torch.randperm(len(near), generator=generator)][:most]
        antecedents[i, : len(chosen)] = chosen
        scores[i, 1 : 1 + len(chosen)] = 3 * torch.randn(len(chosen), generator=generator)
    return scores, antecedents


def a_document(size, most=3, reach=20, seed=0):
    """Spans as they come from a ranker: one word each, all of them two words apart."""
    scores, antecedents = candidates(size, most, reach, seed)
    start = 2 * np.arange(size)
    logit = np.random.default_rng(seed + 1).standard_normal(size)
    return Scored(start, start + 1, start, logit, scores.numpy(), antecedents.numpy(), 2000)


def decide(scored, *, singletons, document=None, reach=20, calibration=None, **pairs):
    """Decisions about a document, without words unless they are given; "all" spans are written."""
    every_span = singletons == "all"
    options = ResolveOptions(
        singletons=None if every_span else singletons, consistent=document is not None
    )
    scored = scored._replace(reach=reach, calibration=calibration or scored.calibration)
    words = document or Document(id="d", words=())
    decided = corelax.decode.decide(scored, words, options, every_span=every_span, **pairs)
    return decided.decisions()


def dense(scored):
    return from_pruned(torch.from_numpy(scored.scores), torch.from_numpy(scored.antecedents))


def entities(decisions):
    """Entities as lists of spans' numbers, by their first span."""
    found = {}
    for decision in decisions:
        assert decision.span.end == decision.span.start + 1
        found.setdefault(decision.entity, []).append(decision.span.start // 2)
    return sorted(found.values())


DOCUMENTS = st.builds(
    a_document, st.integers(0, 14), st.integers(1, 5), st.integers(1, 14), st.integers(0, 999)
)


# How sure.


@st.composite
def memberships(draw):
    """Candidates, and any grouping of some spans into entities that are numbered by their first spans."""
    size = draw(st.integers(0, 12))
    probs = candidates(size, draw(st.integers(1, 5)), size, draw(st.integers(0, 999)))
    drawn = draw(st.lists(st.integers(-1, 4), min_size=size, max_size=size))
    number = {-1: -1}
    for one in drawn:
        number.setdefault(one, len(number) - 1)
    return *probs, [number[one] for one in drawn]


@given(case=memberships(), block=st.integers(1, 14), more=st.integers(0, 3))
@enough
def test_a_span_belongs_to_its_entity_with_the_probability_of_the_dense_table(case, block, more):
    scores, antecedents, entity = case
    size = len(entity)
    found = membership(
        candidate_probs(scores.numpy()),
        antecedents.numpy(),
        np.array(entity, np.int64),
        size + more,
        block,
    )
    table = entity_probs(link_probs(from_pruned(scores, antecedents).double()))
    expected = [table[i, entity.index(e)].item() if e >= 0 else 0.0 for i, e in enumerate(entity)]
    assert found.tolist() == pytest.approx(expected, abs=1e-9)


@given(
    size=st.integers(1, 30),
    reach=st.integers(1, 9),
    block=st.integers(1, 12),
    seed=st.integers(0, 999),
)
@enough
def test_a_short_reach_is_enough_for_entities_that_were_decoded(size, reach, block, seed):
    """Then columns of entities that are out of reach are left out, and rows as well."""
    scores, antecedents = candidates(size, 4, reach, seed)
    square = from_pruned(scores, antecedents).double()
    entity = np.full(size, -1)
    decoded = best_links(square)
    for number, mentions in enumerate(decoded):
        entity[mentions] = number
    found = membership(candidate_probs(scores.numpy()), antecedents.numpy(), entity, reach, block)
    table = entity_probs(link_probs(square))
    for mentions in decoded:
        assert found[mentions].tolist() == pytest.approx(
            table[mentions, mentions[0]].tolist(), abs=1e-9
        )
    assert (found[entity < 0] == 0).all()


# What is decided.


@given(scored=DOCUMENTS)
@enough
def test_all_spans_are_decided_as_the_decoder_of_all_pairs_does(scored):
    decisions = decide(scored, singletons="all", reach=20)
    assert entities(decisions) == best_links(dense(scored), singletons="keep")
    assert [d.span.start // 2 for d in decisions] == list(range(len(scored.bounds)))


@given(scored=DOCUMENTS)
@enough
def test_antecedents_are_positions_of_decisions_and_best_links(scored):
    for singletons in ("drop", "keep", "all"):
        decisions = decide(scored, singletons=singletons, reach=20)
        for decision in decisions:
            i = decision.span.start // 2
            best = int(dense(scored)[i].argmax())
            if decision.antecedent is None:
                assert best == i
            else:
                other = decisions[decision.antecedent]
                assert other.span.start // 2 == best < i
                assert other.entity == decision.entity


@given(scored=DOCUMENTS)
@enough
def test_a_span_that_is_alone_is_dropped_or_kept_if_it_is_a_likely_mention(scored):
    together = best_links(dense(scored))
    assert entities(decide(scored, singletons="drop", reach=20)) == together
    logits = scored.logit.tolist()
    alone = [e for e in best_links(dense(scored), singletons="keep") if len(e) == 1]
    likely = [e for e in alone if logits[e[0]] > 0]
    assert entities(decide(scored, singletons="keep", reach=20)) == sorted(together + likely)


@given(scored=DOCUMENTS)
@enough
def test_probabilities_are_those_of_the_dense_table(scored):
    links = link_probs(dense(scored).double())
    belongs = entity_probs(links)
    decisions = decide(scored, singletons="all", reach=20)
    first = {}
    for i, decision in enumerate(decisions):
        first.setdefault(decision.entity, i)
        column = i if decision.antecedent is None else decision.antecedent
        assert decision.link_probability == pytest.approx(links[i, column].item(), abs=1e-9)
        column = first[decision.entity]
        assert decision.entity_probability == pytest.approx(belongs[i, column].item(), abs=1e-9)
        mention = 1 / (1 + np.exp(-scored.logit[i]))
        assert decision.probability == pytest.approx(mention, abs=1e-6)


@pytest.mark.parametrize("decoding", ["links", "entities"])
def test_a_table_of_all_pairs_is_decided_as_decoders_of_tensors_do(decoding):
    """As sparse rankers give it: more mentions than are solved for at once."""
    size, nowhere = 150, np.full(150, -1)
    table = torch.from_numpy(np.random.default_rng(3).standard_normal((size, size)).cumsum(1) / 3)
    scores, antecedents = candidate_scores(table.numpy())
    start, logit = 2 * np.arange(size), np.full(size, np.inf)
    scored = Scored(start, start + 1, nowhere, logit, scores, antecedents, size)
    options = ResolveOptions(decoding=decoding, singletons="keep", consistent=False)
    decisions = corelax.decode.decide(scored, Document(id="d", words=()), options).decisions()
    decode = best_links if decoding == "links" else best_entities
    assert entities(decisions) == decode(table, singletons="keep")
    links = link_probs(table)
    belongs = entity_probs(links)
    first = {}
    for i, decision in enumerate(decisions):
        u = first.setdefault(decision.entity, i)
        j = i if decision.antecedent is None else decision.antecedent
        assert decision.link_probability == pytest.approx(links[i, j].item(), abs=1e-9)
        assert decision.entity_probability == pytest.approx(belongs[i, u].item(), abs=1e-9)
        assert (decision.probability, decision.head) == (1.0, None)


# What the words of the document change.


@st.composite
def texts(draw):
    """A document of spans that are one word each, and its words."""
    scored = draw(DOCUMENTS)
    size = 2 * len(scored.bounds)
    words = draw(
        st.lists(st.sampled_from("he she Ann went **".split()), min_size=size, max_size=size)
    )
    return scored, Document(id="d", words=tuple(words))


@given(case=texts(), singletons=st.sampled_from(["drop", "keep"]))
@enough
def test_what_is_written_is_no_markup_no_unlikely_verb_and_does_not_clash(case, singletons):
    scored, doc = case
    decisions = decide(scored, singletons=singletons, reach=20, document=doc)
    assert all(doc.text(d.span) != "**" for d in decisions)
    assert all(d.probability >= 0.2 for d in decisions if doc.text(d.span) == "went")
    claims = claims_of(doc, [d.span.bounds for d in decisions])
    assert not claims.clashing([d.entity for d in decisions])
    starters = [d.entity for d in decisions if d.antecedent is None]
    assert len(starters) == len({*starters}) == len({d.entity for d in decisions})
    for at, d in enumerate(decisions):
        if d.antecedent is not None:
            assert d.antecedent < at
            assert decisions[d.antecedent].entity == d.entity
    if singletons == "drop":
        assert all([d.entity for d in decisions].count(e) > 1 for e in starters)


@given(case=texts())
@enough
def test_given_spans_are_all_decided(case):
    scored, doc = case
    decisions = decide(scored, singletons="all", reach=20, document=doc)
    assert len(decisions) == len(scored.bounds)


def test_words_without_claims_change_nothing():
    for seed in range(20):
        scored = a_document(12, seed=seed)
        scored = scored._replace(logit=abs(scored.logit))
        doc = Document(id="d", words=("word",) * 24)
        plain = decide(scored, singletons="keep", reach=20)
        assert decide(scored, singletons="keep", reach=20, document=doc) == plain


def test_a_full_name_beyond_reach_is_linked_to_its_last_mention():
    words = "Elizabeth Bennet ran . He ran . He saw Ann Lee . He saw Elizabeth Bennet 's dog and Ann Lee"
    spans = [(0, 2), (4, 5), (7, 8), (9, 11), (12, 13), (14, 17), (19, 21)]
    size = len(spans)
    start, end = (np.array(column) for column in zip(*spans, strict=True))
    scores = np.full((size, 2), -INF)
    scores[:, 0] = 0.0
    scores[6, 1] = -3.0  # the second Ann Lee looks at the first and refuses
    antecedents = np.zeros((size, 1), np.int64)
    antecedents[6, 0] = 3
    scored = Scored(start, end, end - 1, np.full(size, 3.0), scores, antecedents, 2000)
    doc = Document(id="d", words=tuple(words.split()))

    def together(reach, **options):
        decisions = decide(scored, singletons="drop", reach=reach, document=doc, **options)
        return [doc.text(d.span) for d in decisions], [d.antecedent for d in decisions]

    assert together(4) == (["Elizabeth Bennet", "Elizabeth Bennet 's"], [None, 0])
    assert together(5) == ([], [])  # it was within reach, and the ranker took it for another one
    assert together(4, cannot_link=[(0, 5)]) == ([], [])


@st.composite
def constraints(draw):
    """A document, and pairs that follow from a grouping: so that they cannot contradict each other."""
    size = draw(st.integers(2, 10))
    groups = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    pair = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
    pairs = [(a, b) for a, b in draw(st.lists(pair, max_size=6)) if a != b]
    must = [(a, b) for a, b in pairs if groups[a] == groups[b]]
    cannot = [(a, b) for a, b in pairs if groups[a] != groups[b]]
    return a_document(size, seed=draw(st.integers(0, 999))), must, cannot


@given(case=constraints())
@enough
def test_constraints_are_honoured_as_the_decoder_of_all_pairs_does(case):
    scored, must_link, cannot_link = case
    pairs = {"must_link": must_link, "cannot_link": cannot_link}
    decisions = decide(scored, singletons="all", reach=20, **pairs)
    assert all(decisions[a].entity == decisions[b].entity for a, b in must_link)
    assert all(decisions[a].entity != decisions[b].entity for a, b in cannot_link)
    assert entities(decisions) == best_links(dense(scored), singletons="keep", **pairs)
    for i, decision in enumerate(decisions):
        if decision.antecedent is not None:
            assert decision.antecedent < i
            assert decisions[decision.antecedent].entity == decision.entity


def test_a_link_that_was_forced_has_the_probability_that_the_ranker_gives_it():
    scores = np.array([[0.0, -INF], [0.0, -2.0], [0.0, -INF]])
    scored = a_document(3)._replace(scores=scores, antecedents=np.zeros((3, 1), np.int64))
    decisions = decide(scored, singletons="drop", reach=20, must_link=[(0, 1), (2, 0)])
    assert [d.antecedent for d in decisions] == [None, 0, 0]
    forced = 1 / (1 + np.exp(2.0))
    # The ranker looked at no antecedent of the third span.
    assert [d.link_probability for d in decisions] == pytest.approx([1, forced, 0])
    assert [d.entity_probability for d in decisions] == pytest.approx([1, forced, 0])
