"""The spaCy component, with a resolver that knows whom a few words mean."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from corelax import CorelaxError, Document, Span
from corelax.decode import Decision
from corelax.rankers.encoder.folder import save_ranker
from corelax.resolve import Resolution, model_folder, resolution_of
from tests.rankers.encoder.encoder_models import tiny_model, write_encoder

spacy = pytest.importorskip("spacy")

from spacy.tokens import Doc  # noqa: E402

from corelax.integrations.spacy import CoreferenceComponent, document_from  # noqa: E402

WHO = {"Ann": 0, "She": 0, "she": 0, "her": 0, "Bo": 1, "He": 1, "he": 1}
PROBABILITY = 0.75


class WordResolver:
    """Links the words of `WHO`; refuses documents with the word `bad` and batches that are too large."""

    def __init__(self, largest_batch: int = 100) -> None:
        self.seen: list[list[Document]] = []
        self.asked: list[tuple[int, str, str | None]] = []
        self.largest_batch = largest_batch

    def pipe(
        self, texts: Iterable[Document], *, batch_size: int, singletons: str, scheme: str | None
    ) -> Iterator[Resolution]:
        texts = list(texts)
        self.seen.append(texts)
        self.asked.append((batch_size, singletons, scheme))
        if len(texts) > self.largest_batch:
            raise MemoryError
        for doc in texts:
            if "bad" in doc.words:
                raise CorelaxError("a bad word")
            yield resolution_of(doc, self._decisions(doc))

    def _decisions(self, doc: Document) -> Iterator[Decision]:
        first: dict[int, int] = {}
        found = [(i, WHO[word]) for i, word in enumerate(doc.words) if word in WHO]
        for number, (i, who) in enumerate(found):
            antecedent = first.get(who)
            first.setdefault(who, number)
            yield Decision(Span(i, i + 1), who, antecedent, 1.0, PROBABILITY, PROBABILITY)


def pipeline(resolver: WordResolver | None = None, *before: str, **config: Any) -> Any:
    nlp = spacy.blank("en")
    for name in before:
        nlp.add_pipe(name)
    nlp.add_pipe("corelax", config=config).resolver = resolver or WordResolver()
    return nlp


def groups(doc: Doc) -> dict[str, list[str]]:
    return {key: [span.text for span in group] for key, group in doc.spans.items()}


def test_entities_are_span_groups_numbered_from_one() -> None:
    doc = pipeline()("Bo met Ann when she left. He waved.")
    assert groups(doc) == {
        "coref_clusters_1": ["Bo", "He"],
        "coref_clusters_2": ["Ann", "she"],
    }


def test_groups_carry_the_probability_and_the_representative() -> None:
    doc = pipeline()("she said Ann left")
    group = doc.spans["coref_clusters_1"]
    assert group.attrs["probability"] == PROBABILITY
    assert group[group.attrs["representative"]].text == "Ann"


def test_groups_survive_being_stored_with_the_document() -> None:
    doc = pipeline()("Ann said she left.")
    again = Doc(doc.vocab).from_bytes(doc.to_bytes())
    assert groups(again) == groups(doc)
    assert again.spans["coref_clusters_1"].attrs["probability"] == PROBABILITY


def test_white_space_is_no_word_but_is_counted_in_spans() -> None:
    resolver = WordResolver()
    doc = pipeline(resolver)("  \n Ann  said\n\n she\tleft \n")
    assert resolver.seen[0][0].words == ("Ann", "said", "she", "left")
    for span in doc.spans["coref_clusters_1"]:
        assert doc.text[span.start_char : span.end_char] == span.text
    assert groups(doc) == {"coref_clusters_1": ["Ann", "she"]}


def test_a_mention_of_several_words_keeps_the_white_space_inside() -> None:
    class WholeText:
        def pipe(self, texts: Iterable[Document], **_: object) -> Iterator[Resolution]:
            for doc in texts:
                span = Span(0, len(doc.words))
                yield resolution_of(doc, [Decision(span, 0, None, 1.0, 1.0, 1.0)])

    nlp = pipeline()
    nlp.get_pipe("corelax").resolver = WholeText()
    doc = nlp("\n the  old\n\nlady \n\n")
    assert groups(doc) == {"coref_clusters_1": ["the  old\n\nlady"]}


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_a_text_without_words_has_no_entities_and_needs_no_model(text: str) -> None:
    resolver = WordResolver()
    doc = pipeline(resolver)(text)
    assert (groups(doc), doc._.coref_clusters, doc._.resolved_text) == ({}, [], text)
    assert resolver.seen == []


def test_a_second_call_overwrites_the_groups_of_the_first() -> None:
    nlp = pipeline()
    doc = nlp("Ann said she left. Bo said he left.")
    before = groups(doc)
    assert len(before) == 2
    assert groups(nlp.get_pipe("corelax")(doc)) == before
    nlp.get_pipe("corelax").resolver = NoEntities()
    assert groups(nlp.get_pipe("corelax")(doc)) == {}
    assert (doc._.coref_clusters, doc[0]._.entity) == ([], None)


class NoEntities:
    def pipe(self, texts: Iterable[Document], **_: object) -> Iterator[Resolution]:
        return (resolution_of(doc, []) for doc in texts)


def test_documents_have_clusters_and_a_resolved_text() -> None:
    doc = pipeline()("Ann  said\nshe’d left. Her dog barked at her.")
    assert doc._.coref_clusters == [[(0, 3), (10, 13), (40, 43)]]
    assert doc._.resolved_text == "Ann  said\nAnn had left. Her dog barked at Ann."


def test_tokens_know_the_representative_of_their_innermost_entity() -> None:
    class Nested:
        def pipe(self, texts: Iterable[Document], **_: object) -> Iterator[Resolution]:
            for doc in texts:  # Ann, [her] dog, it
                spans = [((0, 1), 0), ((2, 4), 1), ((2, 3), 0), ((5, 6), 1)]
                yield resolution_of(doc, [Decision(Span(*s), e, None, 1, 1, 1) for s, e in spans])

    nlp = pipeline()
    nlp.get_pipe("corelax").resolver = Nested()
    doc = nlp("Ann fed her dog ; it slept")
    names = [token._.entity and token._.entity.text for token in doc]
    assert names == ["Ann", None, "Ann", "her dog", None, "her dog", None]


@pytest.mark.parametrize("user_data", [True, False])
def test_attributes_are_there_again_when_a_document_is_loaded(user_data: bool) -> None:
    doc = pipeline()("Ann said she left.")
    exclude = [] if user_data else ["user_data"]
    again = Doc(doc.vocab).from_bytes(doc.to_bytes(exclude=exclude))
    assert again._.coref_clusters == [[(0, 3), (9, 12)]]
    assert again._.resolved_text == "Ann said Ann left."
    assert [token._.entity and token._.entity.text for token in again[:3]] == ["Ann", None, "Ann"]


def test_attributes_follow_the_prefix() -> None:
    doc = pipeline(prefix="who")("Ann said she left.")
    assert doc._.coref_clusters == [[(0, 3), (9, 12)]]
    assert doc._.resolved_text == "Ann said Ann left."


def test_a_wrong_model_is_noticed_when_the_component_is_added(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    with pytest.raises(CorelaxError, match="no installed model is called 'smal'"):
        nlp.add_pipe("corelax", config={"model": "smal"})
    with pytest.raises(CorelaxError, match="no model there"):
        nlp.add_pipe("corelax", config={"model": str(tmp_path)})
    (tmp_path / "config.json").write_text('{"format": "corelax sparse ranker 1"}')
    with pytest.raises(CorelaxError, match="an encoder ranker is needed here"):
        nlp.add_pipe("corelax", config={"model": str(tmp_path)})
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(CorelaxError, match="not the settings of a model"):
        nlp.add_pipe("corelax", config={"model": str(tmp_path)})


def test_a_pipeline_for_german_is_warned_about_the_english_model() -> None:
    with pytest.warns(UserWarning, match="for English; in a pipeline for 'de'"):
        spacy.blank("de").add_pipe("corelax")


PROCESSES = """
import sys, spacy
texts = ["Ann saw the old man. She said it barked."] * 6
nlp = spacy.blank("en")
nlp.add_pipe("corelax", config={"model": sys.argv[1], "device": "cpu", "singletons": "keep"})
wanted = nlp(texts[0])  # the parent has computed
docs = list(nlp.pipe(texts, n_process=2, batch_size=2))
assert [doc._.coref_clusters for doc in docs] == [wanted._.coref_clusters] * 6
assert docs[0]._.resolved_text == wanted._.resolved_text
print(len(wanted._.coref_clusters))
"""


@pytest.mark.slow
def test_several_processes_resolve_after_the_parent_has(tmp_path: Path) -> None:
    model = tiny_model(write_encoder(tmp_path / "encoder"), seed=3)
    save_ranker(tmp_path / "model", model)
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "TOKENIZERS_PARALLELISM": "false"}
    run = subprocess.run(
        [sys.executable, "-c", PROCESSES, str(tmp_path / "model")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 0


def test_groups_with_other_names_are_no_obstacle() -> None:
    nlp = pipeline(prefix="coref")
    doc = nlp.make_doc("Ann said she left.")
    for name in ("coref_gold_1", "coref_1_old", "my_coref_1"):
        doc.spans[name] = [doc[0:1]]
    assert groups(nlp(doc))["coref_1"] == ["Ann", "she"]


def test_settings_reach_the_resolver() -> None:
    resolver = WordResolver()
    pipeline(resolver, batch_size=3, singletons="keep", scheme="gum")("Ann left.")
    assert resolver.asked == [(3, "keep", "gum")]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"batch_size": 0}, "batch_size must be a whole number"),
        ({"singletons": "some"}, "singletons must be"),
        ({"prefix": ""}, "prefix must be a word"),
    ],
)
def test_wrong_settings_are_named_when_the_component_is_added(
    config: dict[str, Any], message: str
) -> None:
    with pytest.raises(CorelaxError, match=message):
        spacy.blank("en").add_pipe("corelax", config=config)


def test_sentences_of_the_pipeline_are_used() -> None:
    nlp = spacy.blank("en")
    doc = nlp.make_doc("Ann \n left . Bo ran")
    for token in doc:
        token.is_sent_start = token.text in ("Ann", "\n ", "Bo")  # one starts with white space
    assert [token.text for token in doc if token.is_sent_start] == ["Ann", "\n ", "Bo"]
    assert document_from(doc).sentences == (("Ann",), ("left", "."), ("Bo", "ran"))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ('"Go." "Why?!"', ['" Go . "', '" Why ? ! "']),
        ("A title\n\nAnn left", ["A title", "Ann left"]),
        ("Mr. Bo paid 3.5 dollars. OK", ["Mr. Bo paid 3.5 dollars .", "OK"]),
        ('"Why?" Ann asked.  He left', ['" Why ? " Ann asked .', "He left"]),
        (" \n\nIt was  shown. [1] Bo agrees", ["It was shown . [ 1 ]", "Bo agrees"]),
        ("A heading\n\u200b\nand a text", ["A heading", "and a text"]),
    ],
)
def test_without_sentences_they_are_those_of_raw_text(text: str, sentences: list[str]) -> None:
    found = document_from(spacy.blank("en").make_doc(text)).sentences
    assert [" ".join(words) for words in found] == sentences


def test_pipe_keeps_the_order_and_fills_batches() -> None:
    resolver = WordResolver()
    nlp = pipeline(resolver, batch_size=2)
    texts = ["Ann said she left.", "", "Bo said he left.", "Nobody.", "Bo saw Ann."]
    docs = list(nlp.pipe(texts, n_process=1))
    assert [doc.text for doc in docs] == texts
    assert list(map(len, resolver.seen)) == [1, 2, 1]  # the empty text is not in the first
    alone = [groups(pipeline()(text)) for text in texts]
    assert [groups(doc) for doc in docs] == alone
    assert [len(found) for found in alone] == [1, 0, 1, 0, 2]


def test_pipe_reads_no_further_than_the_smaller_batch() -> None:
    taken = []

    def texts() -> Iterator[str]:
        for number in range(10):
            taken.append(number)
            yield "Ann said she left."

    nlp = pipeline(batch_size=8)
    component = nlp.get_pipe("corelax")
    next(component.pipe(map(nlp.make_doc, texts()), batch_size=3))
    assert len(taken) == 3


def test_a_batch_that_fails_is_tried_one_by_one() -> None:
    nlp = pipeline(WordResolver(largest_batch=1))
    docs = list(nlp.pipe(["Ann said she left.", "Bo said he left."]))
    assert [list(groups(doc).values()) for doc in docs] == [[["Ann", "she"]], [["Bo", "he"]]]


def test_a_document_that_fails_raises_unless_a_handler_takes_it() -> None:
    texts = ["Ann said she left.", "bad", "Bo said he left."]
    nlp = pipeline()
    with pytest.raises(CorelaxError, match="a bad word"):
        list(nlp.pipe(texts))

    failed = []
    nlp = pipeline()
    nlp.set_error_handler(lambda name, _proc, docs, error: failed.append((name, docs, error)))
    docs = list(nlp.pipe(texts))
    assert [doc.text for doc in docs] == [texts[0], texts[2]]
    assert all("coref_clusters_1" in doc.spans for doc in docs)
    [(name, [doc], error)] = failed
    assert (name, doc.text, str(error)) == ("corelax", "bad", "a bad word")

    assert groups(nlp("bad Ann said she left")) == {}
    assert len(failed) == 2


def test_a_model_that_cannot_be_loaded_is_not_blamed_on_documents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ImportError

    monkeypatch.setattr("corelax.resolve.Resolver.from_pretrained", fail)
    nlp = spacy.blank("en")
    nlp.add_pipe("corelax")
    nlp.set_error_handler(lambda *_: None)
    with pytest.raises(ImportError):
        list(nlp.pipe(["Ann left."]))


def test_a_saved_pipeline_has_the_settings_and_no_model(tmp_path: Path) -> None:
    folder = str(model_folder())
    config = {"model": folder, "prefix": "who", "batch_size": 3, "singletons": "keep"}
    nlp = pipeline(None, "sentencizer", **config)
    nlp.to_disk(tmp_path)
    assert not (tmp_path / "corelax").exists()

    loaded = spacy.load(tmp_path)
    assert loaded.pipe_names == ["sentencizer", "corelax"]
    assert loaded.get_pipe("corelax").settings == nlp.get_pipe("corelax").settings
    loaded.get_pipe("corelax").resolver = WordResolver()
    assert groups(loaded("Ann said she left.")) == {"who_1": ["Ann", "she"]}


INSTALLED = any(point.name == "corelax" for point in entry_points(group="spacy_factories"))


@pytest.mark.skipif(not INSTALLED, reason="corelax was installed without its spaCy entry point")
def test_spacy_finds_the_component_by_itself() -> None:
    program = (
        "import spacy\n"
        "component = spacy.blank('en').add_pipe('corelax', config={'prefix': 'who'})\n"
        "print(type(component).__name__, component.settings.prefix)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout == f"{CoreferenceComponent.__name__} who\n"
