"""Files in, entities out, with either ranker: from Python and with `corelax resolve`."""

from __future__ import annotations

import json

import pytest

from corelax import CorelaxError, Span
from corelax.io import read, write
from corelax.rankers.encoder import save_ranker
from corelax.resolve import Resolver, resolve_documents, resolve_files
from corelax.synthetic import Shape, generate
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_model, write_encoder

pytestmark = pytest.mark.usefixtures("one_thread")
TEXT = " ".join(STORY)
TRAINING = [
    "hidden_mention=8", "hidden_pair=12", "anaphoricity.epochs=1", "antecedent.epochs=1",
    "baseline.epochs=4",
]  # fmt: skip


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """The folder of an encoder ranker with random weights."""
    folder = tmp_path_factory.mktemp("model")
    model = tiny_model(write_encoder(folder / "pretrained"))
    save_ranker(folder / "ranker", model)
    return folder / "ranker"


@pytest.fixture
def sparse(corelax, tmp_path_factory, monkeypatch):
    """The folder of a sparse ranker, trained once, and its dev file."""
    monkeypatch.setenv("CORELAX_LEXICONS", "shipped")
    folder = tmp_path_factory.getbasetemp() / "sparse_that_resolves"
    monkeypatch.setenv("CORELAX_CACHE", str(folder / "cache"))
    if not (folder / "dev.conll").exists():
        folder.mkdir()
        for name, number, seed in (("train", 5, 0), ("dev", 3, 9)):
            docs = generate(number, seed=seed, shape=Shape.conll2012().scaled(30))
            write(list(docs), folder / f"{name}.conll")
        changes = [part for setting in TRAINING for part in ("--set", setting)]
        files = ["--train", folder / "train.conll", "--dev", folder / "dev.conll"]
        done = corelax(
            "train", *files, "--out", folder / "model", "--config", "baseline", "--device", "cpu",
            *changes,
        )  # fmt: skip
        assert done.code == 0, done.err
    return folder / "model" / "baseline", folder / "dev.conll"


def test_texts_folders_and_annotated_files_come_in_their_order(encoder, tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "b.txt").write_text(TEXT)
    (tmp_path / "texts" / "a.txt").write_text("")
    write([a_document(STORY)], tmp_path / "story.jsonl")
    files = [tmp_path / "story.jsonl", tmp_path / "texts"]
    seen = []
    resolutions = list(
        resolve_files(files, model=encoder, device="cpu", progress=lambda *call: seen.append(call))
    )
    names = ["d", str(tmp_path / "texts" / "a.txt"), str(tmp_path / "texts" / "b.txt")]
    assert [r.document.key for r in resolutions] == names
    assert [r.text for r in resolutions] == [" ".join(" ".join(STORY).split()), "", TEXT]
    assert seen == [(number, 3, name) for number, name in enumerate(names, 1)]
    assert resolutions[2].entities


def test_characters_are_those_of_the_file(encoder, tmp_path):
    text = "\n\n  Ann saw the   dog.\r\nShe\tsaid it barked at the old man.\n"
    (tmp_path / "a.txt").write_bytes(text.encode())
    [found] = resolve_files([tmp_path / "a.txt"], model=encoder, device="cpu", singletons="keep")
    assert found.text == text
    assert found.mentions
    assert all(text[m.start : m.end] == m.text for m in found.mentions)
    expected = Resolver.from_pretrained(encoder, device="cpu").resolve(text, singletons="keep")
    assert found.clusters == expected.clusters


def test_a_file_that_cannot_be_read_is_an_error_before_the_model_is_loaded(tmp_path):
    with pytest.raises(CorelaxError, match="no such file"):
        resolve_files([tmp_path / "nowhere.txt"], model=tmp_path / "nowhere either")


def test_given_mentions_are_resolved_and_those_out_of_reach_stay_alone(encoder):
    resolver = Resolver.from_pretrained(encoder, device="cpu")
    document = a_document(STORY)
    split, wide = Span(0, 4, parts=((0, 1), (3, 4))), Span(6, 12)
    within = [Span(0, 1), Span(2, 5), Span(6, 7), Span(0, 1)]
    kept = resolver.resolve_mentions(document, [*within, wide, split], singletons="keep")
    assert {m.span for m in kept.mentions} == {*within, wide, split}
    alone = {entity.mentions[0].span for entity in kept.entities if len(entity.mentions) == 1}
    assert {wide, split} <= alone
    plain = resolver.resolve(document, mentions=[(0, 1), (2, 5), (6, 7)])
    assert [c for c in kept.document.clusters if not set(c) & {wide, split}] == list(
        plain.document.clusters
    )
    dropped = resolver.resolve_mentions(document, [*within, wide, split])
    assert dropped.document.clusters == kept.document.clusters.drop_singletons()
    for mention in dropped.mentions:
        if mention.antecedent is not None:
            assert dropped.mentions[mention.antecedent].entity == mention.entity


@pytest.mark.parametrize("decoding", ["links", "entities"])
def test_a_sparse_ranker_gives_the_entities_that_it_predicts(sparse, decoding):
    model, dev = sparse
    options = {"decoding": decoding, "device": "cpu"}
    resolutions = list(resolve_documents(model, read(dev), **options))
    assert any(r.entities for r in resolutions)
    assert list(resolve_files([dev], model=model, **options)) == resolutions


def test_probabilities_of_a_sparse_ranker_are_those_of_its_links(sparse):
    model, dev = sparse
    for resolution in resolve_documents(model, read(dev), singletons="keep", device="cpu"):
        assert all(m.probability == 1 for m in resolution.mentions)  # found by rules
        for entity in resolution.entities:
            first, *others = entity.mentions
            assert first.antecedent is None
            # Only a mention that starts an entity can be its own beginning.
            assert first.entity_probability == pytest.approx(first.link_probability)
            for mention in others:
                assert resolution.mentions[mention.antecedent].entity == mention.entity
                assert 0 <= mention.link_probability <= 1
                assert mention.entity_probability <= first.entity_probability + 1e-6


def test_a_sparse_ranker_shows_its_entities_in_every_way(corelax, sparse):
    model, dev = sparse
    options = [dev, "--model", model, "--device", "cpu"]
    lines = corelax("resolve", *options, "--json").out.splitlines()
    gold = read(dev)
    assert [json.loads(line)["id"] for line in lines] == [doc.key for doc in gold]
    assert corelax("resolve", *options).out.startswith(gold[0].key)
    page = corelax("resolve", *options, "--html", "-").out
    mentions = [m for line in lines for e in json.loads(line)["entities"] for m in e["mentions"]]
    assert page.count('"start_token": ') == len(mentions) > 0


def test_options_of_one_ranker_are_an_error_with_the_other(encoder, sparse):
    with pytest.raises(CorelaxError, match="an encoder ranker decodes by links"):
        list(resolve_documents(encoder, [], decoding="entities", device="cpu"))
    with pytest.raises(CorelaxError, match="a sparse ranker has no schemes"):
        list(resolve_documents(sparse[0], [], scheme="gum", device="cpu"))
    with pytest.raises(CorelaxError, match="leave out the runtime 'int8'"):
        list(resolve_documents(sparse[0], [], runtime="int8", device="cpu"))
    with pytest.raises(CorelaxError, match="an encoder ranker is needed here"):
        Resolver.from_pretrained(sparse[0], device="cpu")


def test_a_batch_is_a_whole_number_of_documents(encoder):
    resolver = Resolver.from_pretrained(encoder, device="cpu")
    for size in (2.5, True):
        with pytest.raises(CorelaxError, match="batch_size must be a whole number"):
            next(resolver.pipe([TEXT], batch_size=size))


def test_several_processes_find_the_same_in_the_same_order(tmp_path):
    for number in range(5):
        text = f"Ann {number} met Bo. She saw him." * (1 + number)
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    one, two = (
        [r.as_dict() for r in resolve_files([tmp_path], device="cpu", batch_size=2, jobs=jobs)]
        for jobs in (1, 2)
    )
    assert [each["id"] for each in two] == [each["id"] for each in one]
    for ours, theirs in zip(two, one, strict=True):
        assert [e["mentions"] for e in ours["entities"]] == [
            e["mentions"] for e in theirs["entities"]
        ]


def test_the_number_of_processes_is_checked(tmp_path):
    (tmp_path / "a.txt").write_text("Ann ran.", encoding="utf-8")
    with pytest.raises(CorelaxError, match="jobs must be"):
        list(resolve_files([tmp_path], device="cpu", jobs=0))
