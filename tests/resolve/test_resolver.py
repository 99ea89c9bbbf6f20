"""Raw text in, entities out: any text, one or many, with mentions and constraints of one's own."""

import re
from bisect import bisect_left, bisect_right

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.profiler import ProfilerActivity, profile

from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.io import read, write
from corelax.rankers.encoder.folder import save_ranker
from corelax.resolve import Resolver
from corelax.text import document_of
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_model, write_encoder

pytestmark = pytest.mark.usefixtures("one_thread")
TEXT = " ".join(STORY).replace(" .", ".").replace(" 's", "'s").replace(" ,", ",")
TEXTS = [
    "",
    "Ann",
    " \n\t ",
    TEXT,
    "😀 Ann 👩‍👩‍👧 saw 🇩🇪 it.",
    "Анна 犬を見た the dog שלום مرحبا नमस्ते",
    "\0",
    "a\0b \x01\x7f \u200b \ufeff Ann",
    "\ud800 lone",
    "…!?.,;--''\"\"",
    "Ann\r\n\r\nsaw\u2028her",
    "the the the the the the the the",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def resolver(folder):
    return Resolver(tiny_model(folder, seed=3))


@pytest.fixture(scope="module")
def small():
    return Resolver.from_pretrained(device="cpu")


def check_whole(text, resolution):
    """All parts of a resolution say the same."""
    mentions = resolution.mentions
    assert resolution.text == text
    assert [(m.start, -m.end) for m in mentions] == sorted((m.start, -m.end) for m in mentions)
    for at, mention in enumerate(mentions):
        assert 0 <= mention.start < mention.end <= len(text)
        assert mention.text == text[mention.start : mention.end]
        assert mention in resolution.entities[mention.entity].mentions
        for p in (mention.probability, mention.link_probability, mention.entity_probability):
            assert 0 <= p <= 1
        if mention.antecedent is not None:
            assert mention.antecedent != at
            assert mentions[mention.antecedent].entity == mention.entity
    for entity in resolution.entities:
        assert sum(m.antecedent is None for m in entity.mentions) == 1
    assert sorted(m for e in resolution.clusters for m in e) == sorted(
        (m.start, m.end) for m in mentions
    )
    spans = [[m.span for m in entity.mentions] for entity in resolution.entities]
    assert [list(cluster) for cluster in resolution.document.clusters] == spans


def assert_same(one, other):
    """But for the rounding of sums that are added in another order."""
    assert one.document == other.document
    assert one.text == other.text
    for a, b in zip(one.mentions, other.mentions, strict=True):
        assert (a.span, a.entity, a.antecedent) == (b.span, b.entity, b.antecedent)
        assert a.probability == pytest.approx(b.probability, abs=1e-3)
        assert a.link_probability == pytest.approx(b.link_probability, abs=1e-3)
        assert a.entity_probability == pytest.approx(b.entity_probability, abs=1e-3)


# Any text.


@pytest.mark.parametrize("singletons", ["drop", "keep"])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_any_text_is_resolved(resolver, text, singletons):
    resolution = resolver.resolve(text, singletons=singletons)
    check_whole(text, resolution)
    words = resolution.document
    assert (words.words, words.layers) == (document_of(text).words, document_of(text).layers)
    if singletons == "drop":
        assert all(len(entity.mentions) > 1 for entity in resolution.entities)


def test_the_story_has_entities(resolver):
    """Or the tests here would show nothing."""
    assert len(resolver.resolve(TEXT).mentions) > 5
    assert len(resolver.resolve(TEXT, singletons="keep").entities) > 3


@given(text=st.text(max_size=60))
@settings(deadline=None, max_examples=60)
def test_no_text_is_too_odd(resolver, text):
    check_whole(text, resolver.resolve(text, singletons="keep"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [TEXT * (200_000 // len(TEXT)), "Ann saw her " * 17_000, "z" * 200_000, " " * 200_000],
    ids=["sentences", "no end of a sentence", "a word", "blanks"],
)
def test_long_texts_are_resolved(folder, text):
    resolver = Resolver(tiny_model(folder, window=128))
    resolution = resolver.resolve(text)
    assert resolution.text == text
    assert all(m.text == text[m.start : m.end] for m in resolution.mentions)
    resolution = resolver.resolve(
        text, consistent=False
    )  # else a link may go past what is left out
    reach = resolver.model.ranker.settings.reach
    starts = [m.start for m in resolution.mentions]
    for mention in resolution.mentions:
        if mention.antecedent is not None:
            before = bisect_right(starts, starts[mention.antecedent])
            assert bisect_left(starts, mention.start) - before < reach


# Documents.


def test_the_words_and_sentences_of_a_document_are_taken_as_they_are(resolver):
    document = a_document(STORY)
    resolution = resolver.resolve(document)
    check_whole(" ".join(document.words), resolution)
    assert resolution.document.words == document.words
    assert resolution.document.sentence_starts == document.sentence_starts
    assert resolution.document.id == document.id


def test_entities_that_were_there_make_no_difference_and_are_replaced(resolver):
    document = a_document(STORY)
    annotated = Document.from_sentences("d", document.sentences, clusters=[[(0, 1), (3, 6)]])
    assert resolver.resolve(annotated) == resolver.resolve(document)


def test_speakers_are_the_layer_of_a_document(resolver):
    turns = [(0, 21, "Bo"), (21, len(TEXT), "Cy")]
    heard = resolver.resolve(TEXT, speakers=turns)
    assert set(heard.document.layer("speaker")) == {"Bo", "Cy"}
    document = document_of(TEXT, speakers=turns)
    found = resolver.resolve(document).mentions
    assert [m[:3] for m in map(as_tuple, heard.mentions)] == [m[:3] for m in map(as_tuple, found)]
    with pytest.raises(CorelaxError, match="layer 'speaker'"):
        resolver.resolve(document, speakers=turns)


def as_tuple(mention):
    return mention.span, mention.entity, mention.antecedent


def test_who_speaks_makes_a_difference(resolver):
    """To the scores: those of two turns of one speaker are not those of two speakers."""
    document = document_of("Ann saw it. It saw Ann.")
    probabilities = []
    for names in (["Bo", "Bo"], ["Bo", "Cy"], [None, None]):
        speaker = [name for name, s in zip(names, document.sentences, strict=True) for _ in s]
        heard = Document.from_sentences("d", document.sentences, layers={"speaker": speaker})
        given = resolver.resolve(heard, mentions=[(0, 1), (4, 5)])
        probabilities.append(given.mentions[1].link_probability)
    assert len(set(probabilities)) == 3


def test_speakers_beyond_the_text_are_an_error(resolver):
    with pytest.raises(CorelaxError, match="not a speaker range"):
        resolver.resolve("Ann", speakers=[(0, 9, "Bo")])


# Given mentions.

GIVEN = "Ann saw her dog. It barked at Ann."
CHARACTERS = [(0, 3), (8, 11), (8, 15), (17, 19), (30, 33)]
WORDS = [(0, 1), (2, 3), (2, 4), (5, 6), (8, 9)]


def test_given_mentions_are_all_there_and_no_others(resolver):
    resolution = resolver.resolve(GIVEN, mentions=CHARACTERS)
    check_whole(GIVEN, resolution)
    assert {(m.start, m.end) for m in resolution.mentions} == set(CHARACTERS)


def test_mentions_of_a_document_are_counted_in_words(resolver):
    by_characters = resolver.resolve(GIVEN, mentions=CHARACTERS)
    by_words = resolver.resolve(document_of(GIVEN), mentions=WORDS)
    assert {m.span[:2] for m in by_words.mentions} == set(WORDS)
    assert list(map(as_tuple, by_words.mentions)) == list(map(as_tuple, by_characters.mentions))


def test_the_order_of_given_mentions_and_repeats_make_no_difference(resolver):
    once = resolver.resolve(GIVEN, mentions=CHARACTERS)
    assert resolver.resolve(GIVEN, mentions=[*CHARACTERS[::-1], *CHARACTERS[:2]]) == once


def test_no_given_mentions_are_no_entities(resolver):
    assert resolver.resolve(GIVEN, mentions=[]).mentions == ()
    assert resolver.resolve("", mentions=[]).mentions == ()


@pytest.mark.parametrize(
    "mention", [(1, 3), (0, 2), (0, 4), (3, 3), (3, 0), (0, 999), (-1, 3), (8, 3)]
)
def test_a_mention_that_is_not_of_whole_words_is_an_error(resolver, mention):
    with pytest.raises(CorelaxError, match=r"mentions: .* not a stretch of whole words.*charact"):
        resolver.resolve(GIVEN, mentions=[(0, 3), mention])


@pytest.mark.parametrize("mention", [(0, 11), (-1, 1), (2, 2), (3, 2)])
def test_a_mention_outside_a_document_is_an_error(resolver, mention):
    with pytest.raises(CorelaxError, match=r"mentions: .* not a stretch of whole words.* words,"):
        resolver.resolve(document_of(GIVEN), mentions=[mention])


@pytest.mark.parametrize("mention", [3, (1,), (1, 2, 3), ("a", "b"), None, (0.5, 1.5)])
def test_a_mention_that_is_no_pair_is_an_error(resolver, mention):
    with pytest.raises(CorelaxError, match=r"mentions: .* is not a pair of whole numbers"):
        resolver.resolve(GIVEN, mentions=[mention])


def test_a_mention_that_crosses_sentences_is_an_error(resolver):
    with pytest.raises(CorelaxError, match=r"mentions: \(12, 19\) goes beyond its sentence"):
        resolver.resolve(GIVEN, mentions=[(0, 3), (12, 19)])


def test_a_mention_where_a_long_sentence_is_cut_is_an_error(resolver):
    """A window has room for 22 of these words."""
    document = a_document(["a " * 50])
    assert len(resolver.resolve(document, mentions=[(20, 22), (22, 24)]).mentions) == 2
    with pytest.raises(CorelaxError, match=r"mentions: \(21, 23\) .* a long sentence is cut"):
        resolver.resolve(document, mentions=[(21, 23)])


# Constraints.

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=4)


@given(
    order=st.permutations(range(5)),
    pairs=PAIRS,
    group=st.lists(st.integers(0, 2), min_size=5, max_size=5),
)
@settings(deadline=None, max_examples=40)
def test_pairs_are_numbers_of_mentions_as_they_were_given(resolver, order, pairs, group):
    mentions = [CHARACTERS[at] for at in order]
    pairs = [(a, b) for a, b in pairs if a != b]
    must_link = [(a, b) for a, b in pairs if group[a] == group[b]]
    cannot_link = [(a, b) for a, b in pairs if group[a] != group[b]]
    resolution = resolver.resolve(
        GIVEN, mentions=mentions, must_link=must_link, cannot_link=cannot_link
    )
    entity = {(m.start, m.end): m.entity for m in resolution.mentions}
    assert all(entity[mentions[a]] == entity[mentions[b]] for a, b in must_link)
    assert all(entity[mentions[a]] != entity[mentions[b]] for a, b in cannot_link)


HE_AND_SHE = "He saw her. She saw him. His dog saw hers. " * 3


def genders(resolution):
    """The genders of the pronouns of each entity."""
    female = {"she", "her", "hers"}
    pronouns = female | {"he", "him", "his"}
    texts = [[m.text.lower() for m in entity.mentions] for entity in resolution.entities]
    return [{text in female for text in entity if text in pronouns} for entity in texts]


def test_people_are_kept_apart_unless_it_is_switched_off(resolver):
    assert all(len(both) <= 1 for both in genders(resolver.resolve(HE_AND_SHE)))
    [resolution] = resolver.pipe([HE_AND_SHE])
    assert all(len(both) <= 1 for both in genders(resolution))
    plain = resolver.resolve(HE_AND_SHE, consistent=False)
    assert any(len(both) == 2 for both in genders(plain))  # an untrained model links anything
    assert next(resolver.pipe([HE_AND_SHE], consistent=False)) == plain


def test_what_must_be_linked_may_contradict_itself(resolver):
    he, her, she = (0, 2), (7, 10), (12, 15)
    resolution = resolver.resolve(HE_AND_SHE, mentions=[he, her, she], must_link=[(0, 1)])
    assert resolution.mentions[0].entity == resolution.mentions[1].entity


@pytest.mark.parametrize("name", ["must_link", "cannot_link"])
def test_pairs_without_mentions_or_of_mentions_that_are_not_there_are_an_error(resolver, name):
    with pytest.raises(CorelaxError, match="go with mentions"):
        resolver.resolve(GIVEN, **{name: [(0, 1)]})
    for pair in ((0, 5), (-1, 0)):
        with pytest.raises(CorelaxError, match=re.escape(f"{name}: {pair}: there are 5 mentions")):
            resolver.resolve(GIVEN, mentions=CHARACTERS, **{name: [pair]})
    with pytest.raises(CorelaxError, match=f"{name}: 7 is not a pair"):
        resolver.resolve(GIVEN, mentions=CHARACTERS, **{name: [7]})


def test_pairs_that_contradict_each_other_are_an_error(resolver):
    with pytest.raises(CorelaxError, match="must be linked as well"):
        resolver.resolve(
            GIVEN, mentions=CHARACTERS, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 0)]
        )


# Many texts.


@pytest.mark.parametrize("batch_size", [1, 2, 5, 100])
@pytest.mark.parametrize("singletons", ["drop", "keep"])
def test_many_texts_are_resolved_in_their_order_as_each_alone(resolver, batch_size, singletons):
    texts = [*TEXTS, a_document(STORY), TEXT[:70]]
    found = list(resolver.pipe(iter(texts), batch_size=batch_size, singletons=singletons))
    assert len(found) == len(texts)
    for text, resolution in zip(texts, found, strict=True):
        assert_same(resolution, resolver.resolve(text, singletons=singletons))


def test_texts_are_read_only_as_far_as_they_are_needed(resolver):
    read = []

    def texts():
        for text in TEXTS:
            read.append(text)
            yield text

    found = resolver.pipe(texts(), batch_size=2)
    assert read == []
    next(found)
    assert read == TEXTS[:2]


def test_several_processes_resolve_as_one_and_tell_errors_in_their_place(small):
    texts = [f"Ann {number} met Bo. She saw him." for number in range(5)]
    alone = list(small.pipe(texts, batch_size=2))
    assert list(small.pipe(texts, batch_size=2, jobs=2)) == alone
    results = []
    with pytest.raises(CorelaxError, match=r"texts\[5\]: document text: a text is a str, not int"):
        results.extend(small.pipe([*texts, 5, *texts], batch_size=2, jobs=2))
    assert results == alone


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"jobs": 0}, "jobs must be"),
        ({"decoding": "entities"}, "an encoder ranker decodes by links"),
        ({"texts": "Ann"}, "texts must be several texts"),
        ({"batch_size": 0}, "batch_size must be"),
        ({"singletons": "all"}, "singletons must be"),
        ({"scheme": "three"}, "scheme must be 'one' or 'two', not 'three'"),
        ({"texts": [3]}, "a text is a str"),
    ],
)
def test_what_cannot_be_is_an_error(resolver, options, message):
    texts = options.pop("texts", ["Ann"])
    with pytest.raises(CorelaxError, match=message):
        list(resolver.pipe(texts, **options))


# Models.


def test_a_model_folder_resolves_as_the_model_in_it(resolver, tmp_path):
    save_ranker(tmp_path, resolver.model)
    loaded = Resolver.from_pretrained(tmp_path, device="cpu")
    assert loaded.resolve(TEXT) == resolver.resolve(TEXT)
    assert Resolver.from_pretrained(str(tmp_path)).schemes == ("one", "two")


def test_a_scheme_is_chosen_by_name_and_the_first_is_the_default(resolver):
    def mentions(**scheme):
        return resolver.resolve(TEXT, singletons="keep", **scheme).mentions

    assert mentions() == mentions(scheme="one") != mentions(scheme="two")


def test_resolving_changes_nothing_in_the_model(resolver):
    before = {name: weight.clone() for name, weight in resolver.model.ranker.state_dict().items()}
    first = resolver.resolve(TEXT)
    resolver.resolve(GIVEN, mentions=CHARACTERS)
    assert resolver.resolve(TEXT) == first
    after = resolver.model.ranker.state_dict()
    assert all(before[name].equal(after[name]) for name in before)


# Memory.


def peak(call):
    """The most bytes of tensors that there were at once."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as watched:
        call()
    events = [e for e in watched.profiler.kineto_results.events() if e.name() == "[memory]"]
    sizes = torch.tensor([e.nbytes() for e in sorted(events, key=lambda e: e.start_ns())])
    return int(sizes.cumsum(0).max())


def test_memory_stays_below_its_bound_which_is_linear(folder):
    resolver = Resolver(
        tiny_model(folder, window=128, max_width=10, hidden_size=64, antecedents=10, reach=100)
    )
    text = TEXT * 100
    words = len(document_of(text).words)
    used = peak(lambda: resolver.resolve(text, singletons="keep"))
    bound = resolver.memory_bound(words)
    assert bound / 20 < used < bound
    more = [resolver.memory_bound(words * k) for k in (1, 2, 3)]
    assert more[2] - more[1] == pytest.approx(more[1] - more[0], rel=0.01)


# The installed model.


def test_the_model_small_finds_who_is_who(small):
    text = "Anna told Peter that he had won the prize. He thanked her and took it home."
    resolution = small.resolve(text)
    check_whole(text, resolution)
    names = [{m.text for m in entity.mentions} for entity in resolution.entities]
    assert names == [{"Anna", "her"}, {"Peter", "he", "He"}, {"the prize", "it"}]


# Corrections: constraints without all mentions.


def test_what_must_be_linked_is_linked_whatever_else_is_found(resolver):
    verb, dog = (TEXT.index(" saw ") + 1, TEXT.index(" saw ") + 4), TEXT.index("dog")
    resolution = resolver.resolve(TEXT, must_link=[(verb, (dog, dog + 3))])
    check_whole(TEXT, resolution)
    [entity] = [e for e in resolution.clusters if verb in e]
    assert (dog, dog + 3) in entity


def test_what_cannot_be_linked_is_apart(resolver):
    cluster = next(c for c in resolver.resolve(TEXT).clusters if len(c) > 2)
    apart = resolver.resolve(TEXT, cannot_link=[(cluster[0], cluster[1])])
    check_whole(TEXT, apart)
    assert not any({*cluster[:2]} <= {*entity} for entity in apart.clusters)


def test_constraints_of_a_document_are_counted_in_words(resolver):
    doc = a_document(STORY)
    resolution = resolver.resolve(doc, must_link=[((0, 1), (2, 3))])
    entity = {m.span: m.entity for m in resolution.mentions}
    assert entity[0, 1] == entity[2, 3]


def test_contradictions_and_parts_of_words_are_errors(resolver):
    a, b, c = (0, 3), (4, 7), (8, 11)
    with pytest.raises(CorelaxError, match=r"cannot_link: \(0, 3\) and \(8, 11\) must be linked"):
        resolver.resolve("Ann saw Bea.", must_link=[(a, b), (b, c)], cannot_link=[(a, c)])
    with pytest.raises(CorelaxError, match=r"must_link: \(0, 2\) is not a stretch of whole words"):
        resolver.resolve("Ann saw Bea.", must_link=[((0, 2), b)])
    with pytest.raises(CorelaxError, match="goes beyond its sentence"):
        resolver.resolve("Ann left. Bo too.", must_link=[((0, 12), (13, 16))])


def test_a_resolver_can_be_called_and_shown(resolver):
    assert resolver(TEXT) == resolver.resolve(TEXT)
    assert repr(resolver).startswith("<resolver of a model by torch on cpu, schemes ")
    with pytest.raises(CorelaxError, match="for several there is pipe"):
        resolver([TEXT])


def test_mentions_have_heads_and_files_of_corefud_carry_them(tmp_path):
    resolver = Resolver.from_pretrained("small", device="cpu")
    resolution = resolver.resolve("The very old dog of Ann barked. It ran.")
    [dog, it] = resolution.mentions
    assert [resolution.document.words[m.head] for m in (dog, it)] == ["dog", "It"]
    path = tmp_path / "dog.conllu"
    write([resolution.document], path)
    [doc] = read(path)
    assert doc.head_of(doc.clusters.labels[0], dog.span) == dog.head == 3


def test_small_resolves_in_bytes():
    resolver = Resolver.from_pretrained(runtime="int8", threads=2)
    text = "Marie Curie moved to Paris. She studied there."
    assert str(resolver.resolve(text)).startswith("Marie Curie: Marie Curie [0:11], She [28:31]")
    together = list(resolver.pipe([text] * 40, batch_size=40))
    assert {str(each) for each in together} == {str(resolver.resolve(text))}
