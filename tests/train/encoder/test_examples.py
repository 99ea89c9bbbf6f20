"""Documents as an encoder ranker learns from them: where mentions are in windows, types, heads, parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax import Clustering, Document, Span
from corelax.io import read
from corelax.train.encoder.examples import digest, make_example, with_entities
from corelax.train.encoder.variation import part_from
from tests.train.encoder.tiny_encoder import LETTERS

WINDOW, WIDTH = 12, 4


def example_of(document, *, singletons=False, **more):
    return make_example(
        document, LETTERS, scheme=0, window=WINDOW, max_width=WIDTH, singletons=singletons, **more
    )


@st.composite
def documents(draw):
    """Sentences that fit into windows and some that do not, and any mentions."""
    word = st.sampled_from(["a", "bc", "def", "ghij"])
    sentences = draw(st.lists(st.lists(word, min_size=1, max_size=9), min_size=1, max_size=5))
    size = sum(map(len, sentences))
    place = st.integers(0, size - 1)
    spans = draw(st.sets(st.tuples(place, st.integers(1, 6)), max_size=12))
    real = sorted((start, start + width) for start, width in spans if start + width <= size)
    entity = draw(st.lists(st.integers(0, 3), min_size=len(real), max_size=len(real)))
    clusters = [[s for s, e in zip(real, entity, strict=True) if e == n] for n in range(4)]
    return Document.from_sentences("d", sentences, clusters=[c for c in clusters if c])


def places(windows, document, span):
    """Where a span is, one window and one sentence after the other; nothing if it is in none of them."""
    start, end = span
    return [
        (number, start - window.first, end - start - 1)
        for number, window in enumerate(windows)
        for first, last in document.sentence_bounds
        if window.first <= start and end <= window.first + window.size
        if first <= start and end <= last
        if end - start <= WIDTH
    ]


@given(documents(), st.booleans())
def test_every_mention_that_a_window_holds_is_at_its_place(document, singletons):
    example = example_of(document, singletons=singletons)
    assert example.words == len(document.words)
    clusters = [c for c in document.clusters if singletons or len(c) > 1]
    wanted = {
        (*place, number)
        for number, cluster in enumerate(clusters)
        for mention in cluster
        for place in places(example.windows, document, mention[:2])
    }
    found = [(*where, e) for where, e in zip(example.where.tolist(), example.entity, strict=True)]
    assert sorted(found) == sorted(wanted)
    assert example.sizes.tolist() == [len(cluster) for cluster in clusters]
    every = {
        m[:2] for cluster in document.clusters for m in cluster
    }  # those alone are markables too
    marked = [place for span in every for place in places(example.windows, document, span)]
    assert sorted(map(tuple, example.markables.where.tolist())) == sorted(marked)


@given(documents(), st.data())
def test_a_part_is_whole_windows_and_the_mentions_inside(document, data):
    example = example_of(document, singletons=True)
    first = data.draw(st.integers(0, len(example.windows) - 1))
    most = data.draw(st.integers(1, len(document.words)))
    part = part_from(example, most, first)
    if most == len(document.words):
        assert part is example
        return
    assert part.windows == example.windows[first : first + len(part.windows)]
    assert part.words <= most or len(part.windows) == 1
    rest = example.windows[first + len(part.windows) :]
    assert not rest or part.words + rest[0].size > most
    inside = range(first, first + len(part.windows))
    for whole, some in [
        (example.where, part.where),
        (example.markables.where, part.markables.where),
    ]:
        kept = [row for row in whole.tolist() if row[0] in inside]
        assert some.tolist() == [[window - first, *place] for window, *place in kept]
    counts = [part.entity.tolist().count(entity) for entity in range(len(example.sizes))]
    assert part.sizes.tolist() == counts


CONLLU = """\
# newdoc id = d
# global.Entity = eid-etype-head-other
1\tThe\tthe\tDET\t_\t_\t3\tdet\t_\tEntity=(e1-person-1-
2\told\told\tADJ\t_\t_\t3\tamod\t_\t_
3\tman\tman\tNOUN\t_\t_\t4\tnsubj\t_\tEntity=e1)
4\tfed\tfeed\tVERB\t_\t_\t0\troot\t_\t_
5\tthe\tthe\tDET\t_\t_\t6\tdet\t_\tEntity=(e2-animal-1-
6\tdog\tdog\tNOUN\t_\t_\t4\tobj\t_\t_
7\tof\tof\tADP\t_\t_\t8\tcase\t_\t_
8\tAnn\tAnn\tPROPN\t_\t_\t6\tnmod\t_\tEntity=(e3-idea-1-)e2)

"""


def markables(text, tmp_path, types=("animal", "person")):
    path = tmp_path / "d.conllu"
    path.write_text(text, encoding="utf-8")
    [document] = read(path)
    example = make_example(
        document, LETTERS, scheme=0, window=100, max_width=8, markables=document, types=types
    )
    return {
        (start, start + width + 1): (etype, head)
        for (_, start, width), etype, head in zip(
            example.markables.where.tolist(), *map(np.ndarray.tolist, example.markables[1:]),
            strict=True,
        )
    }  # fmt: skip


def test_types_and_heads_come_from_the_annotation(tmp_path):
    assert markables(CONLLU, tmp_path) == {
        (0, 3): (1, 2),  # the old MAN, who fed
        (4, 8): (0, 1),  # the DOG of Ann, which is fed
        (7, 8): (-1, 0),  # a type that nobody asked for
    }


def test_markables_may_come_from_elsewhere():
    sentences = [["a", "bc", "a", "def"]]
    document = Document.from_sentences("d", sentences, clusters=[[(0, 1), (2, 3)]])
    rich = Document.from_sentences("d", sentences, clusters=[[(0, 1)], [(1, 3)]])
    example = example_of(document, markables=rich)
    assert example.where.tolist() == [[0, 0, 0], [0, 2, 0]]
    assert example.markables.where.tolist() == [[0, 0, 0], [0, 1, 1], [0, 2, 0]]


@pytest.mark.parametrize("keep", [True, False])
def test_other_entities_take_the_place_of_the_old_ones(keep):
    document = Document.from_sentences("d", [["a", "bc", "a", "def"]], clusters=[[(0, 1), (2, 3)]])
    before = example_of(document)
    after = with_entities(
        before, Clustering([[Span(1, 2), Span(3, 4)], [Span(0, 4)]]), WIDTH, keep_markables=keep
    )
    assert after.where.tolist() == [[0, 1, 0], [0, 3, 0]]  # the one that is alone does not count
    assert after.sizes.tolist() == [2]
    marked = [[0, 0, 3], [0, 1, 0], [0, 3, 0]]
    assert after.markables.where.tolist() == (before.markables.where.tolist() if keep else marked)
    assert digest([after]) != digest([before])


def test_a_digest_tells_documents_from_others():
    one = Document.from_sentences("d", [["a", "bc"]], clusters=[[(0, 1), (1, 2)]])
    other = Document.from_sentences("d", [["a", "bd"]], clusters=[[(0, 1), (1, 2)]])
    bare = one.with_clusters(Clustering([]))
    assert len({digest([example_of(document)]) for document in (one, other, bare)}) == 3
    assert digest([example_of(one)]) == digest([example_of(one)])
