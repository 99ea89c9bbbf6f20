"""Laws of matching mentions, whatever the documents."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from corelax import Clustering, CorelaxError, Document, Span, read, score, write
from corelax.document import EmptyId, EmptyNode
from corelax.metrics import Mention, evaluate, score_files
from corelax.metrics.assignment import assign
from corelax.metrics.matching import partial_scores

MATCHES = ("exact", "partial", "head")
ZEROS = ("linear", "dependent")
every_match = pytest.mark.parametrize("match", MATCHES)
every_zeros = pytest.mark.parametrize("zeros", ZEROS)
enough = settings(deadline=None, max_examples=25)


def zero_node(sentence, word, deps, number=1):
    columns = ["_"] * 9
    columns[7] = deps
    return EmptyNode(EmptyId(sentence, word, number), tuple(columns))


@st.composite
def documents(draw):
    """Two sentences with words, zeros, gaps, and heads that are any word of their mention."""
    zeros = []
    for sentence in (0, 1):
        for word in draw(st.lists(st.integers(0, 4), unique=True, max_size=3)):
            parent = draw(st.sampled_from(["1:nsubj", "2:nsubj", "2:obj|1:nsubj", "_"]))
            zeros.append(zero_node(sentence, word, parent))
    zeros.sort()
    doc = Document(
        id="d", words=tuple("abcdefghi"), sentence_starts=(0, 5), empty_nodes=tuple(zeros)
    )
    plain = st.tuples(st.integers(0, 8), st.integers(1, 3)).map(
        lambda pair: Span(pair[0], min(9, pair[0] + pair[1]))
    )
    gaps = st.integers(0, 6).map(lambda i: Span(i, i + 3, ((i, i + 1), (i + 2, i + 3))))
    alone = [Span(doc.place_of(n.id), doc.place_of(n.id), empty=(n.id,)) for n in zeros]
    kinds = [plain, gaps] + ([st.sampled_from(alone)] if alone else [])
    spans = draw(st.lists(st.one_of(kinds), unique=True, max_size=8))
    clusters = {}
    heads = {}
    for span in spans:
        clusters.setdefault(draw(st.integers(0, 2)), []).append(span)
        heads[span] = draw(st.sampled_from(doc.nodes(span)))
    return doc.with_clusters(Clustering(clusters.values()), heads)


@every_match
@every_zeros
@given(doc=documents())
@enough
def test_a_document_matches_itself(match, zeros, doc):
    doc = replace(doc, mention_heads={k: v[:1] for k, v in doc.mention_heads.items()})
    report = score(
        gold=[doc], system=[doc], match=match, zeros=zeros, metrics=["mentions", "b_cubed"]
    )
    expected = 1.0 if doc.clusters else 0.0
    assert report["b_cubed"].f1 == report["mentions"].f1 == expected


tables = st.integers(1, 9).flatmap(
    lambda rows: st.integers(1, 9).flatmap(
        lambda columns: st.lists(
            st.lists(
                st.sampled_from([0.0, 0.0, 0.0, 0.5, 1.0, 1 / 3, 2 / 3, 0.2, 6 + 2 / 3]),
                min_size=columns,
                max_size=columns,
            ),
            min_size=rows,
            max_size=rows,
        )
    )
)


@given(table=tables)
@settings(deadline=None, max_examples=200)
def test_ties_are_resolved_as_by_the_dense_solver_on_the_whole_table(table):
    scores = np.array(table)
    rows, columns = linear_sum_assignment(-scores)
    expected = [
        (i, j) for i, j in zip(rows.tolist(), columns.tolist(), strict=True) if scores[i, j]
    ]
    sparse = {(i, j): float(scores[i, j]) for i, j in zip(*np.nonzero(scores), strict=True)}
    assert assign(sparse, *scores.shape) == expected


def chain_of_mentions(size):
    """Mentions of three words, each of which has the heads of its neighbours inside."""
    gold = [Mention(((2 * i, 2 * i + 3),), head=2 * i + 1) for i in range(size)]
    system = [Mention(((2 * i + 1, 2 * i + 3),), head=2 * i + 1) for i in range(size)]
    return gold, system


def peak_of_matching(size):
    gold, system = chain_of_mentions(size)
    tracemalloc.start()
    pairs = assign(partial_scores(gold, system), size, size)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(pairs) == size
    return peak


def test_memory_grows_with_the_document_and_not_with_its_square():
    assert peak_of_matching(4000) < 6 * peak_of_matching(1000)


def test_evaluate_asks_for_mentions_that_know_their_heads():
    with pytest.raises(CorelaxError, match=r"gold: mention \(0, 2\) does not know its head"):
        evaluate(gold=[[(0, 2)]], system=[], match="head")


def test_head_match_without_heads_and_trees_is_an_error():
    doc = Document.from_sentences("d", [["the", "dog"]], clusters=[[(0, 2)]])
    with pytest.raises(
        CorelaxError, match=r"document d: the head of the gold mention \(0, 2\) is not known"
    ):
        score(gold=[doc], system=[doc], match="head")


def test_exact_match_needs_no_heads_where_empty_nodes_differ():
    words = tuple("abc")
    zero = zero_node(0, 1, "1:nsubj")
    alone = Span(1, 1, empty=(zero.id,))
    gold = Document(
        id="d", words=words, empty_nodes=(zero,), clusters=Clustering([[Span(2, 3), alone]])
    )
    extra = zero_node(0, 2, "1:nsubj")
    system = replace(gold, empty_nodes=(zero, extra))
    assert score(gold=[gold], system=[system]).conll == 1.0
    both = [[Span(0, 3), alone]]  # encloses the node that only the system has
    report = score(
        gold=[replace(gold, clusters=Clustering(both))],
        system=[replace(system, clusters=Clustering(both))],
        metrics=["mentions"],
    )
    assert report["mentions"].recall == 0.5


def test_min_span_without_trees_is_an_error():
    doc = Document.from_sentences("d", [["the", "dog"]], clusters=[[(0, 2)]])
    with pytest.raises(CorelaxError, match="document d: gold has no parse trees"):
        score(gold=[doc], system=[doc], match="min-span")


WRONG_OPTIONS = [
    {"match": "heads"},
    {"zeros": "none"},
    {"nested": "no"},
    {"only": "vp"},
    {"profile": "crac"},
    {"profile": "corefud", "match": "min-span"},
    {"profile": "corefud", "nested": "drop"},
]


@pytest.mark.parametrize("wrong", WRONG_OPTIONS)
def test_options_that_do_not_exist_or_go_together_are_refused(wrong):
    with pytest.raises(CorelaxError):
        score(gold=[], system=[], **wrong)


# "the old dog" for "the dog that barked": the head is known by the tree alone.
TREE = """# newdoc id = d
# global.Entity = {fields}
# sent_id = 1
1\tthe\t_\tDET\t_\t_\t3\tdet\t_\t{gold}
2\told\t_\tADJ\t_\t_\t3\tamod\t_\t{system}
3\tdog\t_\tNOUN\t_\t_\t4\tnsubj\t_\t{end}
4\tsaw\t_\tVERB\t_\t_\t0\troot\t_\t_
5\titself\t_\tPRON\t_\t_\t4\tobj\t_\tEntity=(1)

"""


def test_without_a_field_for_heads_the_tree_of_gold_decides(tmp_path):
    """As in GUM, whose fields are its own; and for a system's file in another format."""
    gold, system, other = (tmp_path / name for name in ("g.conllu", "s.conllu", "s.jsonl"))
    fields = "GRP-etype-minspan-link-identity"
    gold.write_text(
        TREE.format(fields=fields, gold="Entity=(1", system="_", end="Entity=1)"), encoding="utf-8"
    )
    system.write_text(
        TREE.format(fields=fields, gold="_", system="Entity=(1", end="Entity=1)"), encoding="utf-8"
    )
    write(read(system), other)
    for file in (system, other):
        assert score_files(gold=gold, system=file)["mentions"].f1 == pytest.approx(0.5)
        for match in ("head", "partial"):
            assert score_files(gold=gold, system=file, match=match)["mentions"].f1 == 1
