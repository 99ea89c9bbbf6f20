from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest
from click import Command
from click.testing import CliRunner

from corelax.cli.files import synth
from corelax.cli.parameters import command_of
from corelax.core.errors import CorelaxError
from corelax.document import Document, Span
from corelax.io import read, validate, write
from corelax.rankers.sparse.mentions.constituency import analyse
from corelax.synthetic import Shape, generate

SMALL = Shape.conll2012().scaled(60)
PRONOUNS = {  # what each form says about whoever it refers to
    "he": {"he", "him", "his", "himself"},
    "she": {"she", "her", "hers", "herself"},
    "it": {"it", "its", "itself"},
    "they": {"they", "them", "their", "themselves", "we", "us", "our", "ourselves"},
}
COUNTS = {
    "documents": 10,
    "sentences": 500,
    "tokens": 10_000,
    "mentions": 1_200,
    "clusters": 450,
    "singleton_clusters": 200,
    "mentions_per_document": {"mean": 120, "p50": 110, "p90": 180, "max": 240},
}


@pytest.fixture(scope="module")
def docs() -> list[Document]:
    return list(generate(60, seed=3, shape=SMALL))


@pytest.fixture(scope="module")
def corpus() -> list[Document]:
    return list(generate(300, seed=1))


@pytest.fixture(scope="module")
def detected(corpus: list[Document]) -> list[set[tuple[int, int]]]:
    """The mentions that are detected in each document of the corpus."""
    return [{(m.start, m.end) for m in analyse(doc).mentions} for doc in corpus]


def forms(doc: Document, cluster: Sequence[Span]) -> set[str]:
    """Which of he, she, it and they a cluster is called."""
    texts = {doc.text(mention).lower() for mention in cluster}
    return {name for name, words in PRONOUNS.items() if words & texts}


def test_the_same_seed_gives_the_same_documents(docs: list[Document]) -> None:
    assert list(generate(60, seed=3, shape=SMALL)) == docs


def test_another_seed_gives_other_documents(docs: list[Document]) -> None:
    words = {doc.words for doc in docs}
    assert not any(doc.words in words for doc in generate(20, seed=4, shape=SMALL))


def test_a_document_does_not_depend_on_how_many_follow(docs: list[Document]) -> None:
    assert list(generate(7, seed=3, shape=SMALL)) == docs[:7]
    assert list(islice(generate(10**9, seed=3, shape=SMALL), 7)) == docs[:7]


@pytest.mark.parametrize("name", ["a.conll", "a.conll.gz", "a.jsonl"])
def test_files_hold_all_of_a_document(docs: list[Document], tmp_path: Path, name: str) -> None:
    assert not write(docs, tmp_path / name)
    assert read(tmp_path / name) == docs
    assert not validate(tmp_path / name).items


def test_sentences_are_balanced_trees_under_one_root(docs: list[Document]) -> None:
    for doc in docs:
        for sentence in doc.by_sentence(doc.layers["parse"]):
            depth = 0
            for number, piece in enumerate(sentence):
                assert re.fullmatch(r"(\([A-Z]+)*\*\)*", piece)
                assert (depth > 0) == (number > 0)
                depth += piece.count("(") - piece.count(")")
            assert depth == 0
            assert sentence[0].startswith("(TOP(")


def test_tags_fit_the_words_and_the_phrases(docs: list[Document]) -> None:
    personal = set().union(*PRONOUNS.values()) | {
        "i",
        "me",
        "my",
        "myself",
        "you",
        "your",
        "yourself",
    }
    for doc in docs:
        for word, tag, piece in zip(doc.words, doc.layers["pos"], doc.layers["parse"], strict=True):
            assert (tag in ("PRP", "PRP$")) == (word.lower() in personal), word
            if "(VP*" in piece:
                assert tag in ("VBD", "VBN", "VB", "VBG", "MD", "TO", "POS"), word
            if "(PP*" in piece:
                assert tag in ("IN", "TO"), word


def test_names_are_made_of_proper_nouns_numbers_and_dates(docs: list[Document]) -> None:
    kinds = set()
    for doc in docs:
        open_name = False
        for tag, piece in zip(doc.layers["pos"], doc.layer("ner", "*"), strict=True):
            match = re.fullmatch(r"(\(([A-Z]+))?(\*?)(\)?)", piece)
            assert match is not None
            assert not (match[1] and open_name)
            if match[2] in ("PERSON", "ORG", "GPE"):
                assert tag == "NNP"
            kinds.add(match[2])
            open_name = (bool(match[1]) or open_name) and not match[4]
        assert not open_name
    assert kinds >= {"PERSON", "ORG", "GPE", "DATE", "CARDINAL"}


def test_clusters_have_two_mentions_or_more_and_no_mention_is_in_two(docs: list[Document]) -> None:
    for doc in docs:
        spans = [mention for cluster in doc.clusters for mention in cluster]
        assert len(spans) == len(set(spans))
        assert all(len(cluster) > 1 for cluster in doc.clusters)


def test_the_pronouns_of_a_cluster_agree(corpus: list[Document]) -> None:
    found = [forms(doc, cluster) for doc in corpus for cluster in doc.clusters]
    assert {name for names in found for name in names} == set(PRONOUNS)
    assert all(len(names) <= 1 for names in found)


def test_a_mention_that_owns_something_includes_the_mark(corpus: list[Document]) -> None:
    owners = 0
    for doc in corpus:
        tags = doc.layers["pos"]
        for cluster in doc.clusters:
            for mention in cluster:
                assert mention.end == len(tags) or tags[mention.end] != "POS"
                owners += tags[mention.end - 1] == "POS"
    assert owners


def test_speakers_are_I_and_those_they_talk_to_are_you() -> None:
    shape = Shape(mentions=((0, 120), (1, 120)), dialogue=1)
    spoken = 0
    for doc in generate(20, shape=shape):
        speakers = doc.layers["speaker"]
        assert all(speakers)
        for cluster in doc.clusters:
            words = [(doc.text(m), speakers[m.start]) for m in cluster]
            me = {speaker for text, speaker in words if text in ("I", "me", "my", "My", "myself")}
            you = {speaker for text, speaker in words if text in ("you", "You", "your", "Your")}
            assert len(me) <= 1
            assert not me & you
            spoken += bool(me)
    assert spoken >= 20


def test_stories_have_no_speaker() -> None:
    told = generate(5, shape=Shape(mentions=((0, 30), (1, 30)), dialogue=0))
    assert not any("speaker" in doc.layers for doc in told)


def test_detection_finds_the_annotated_mentions(
    corpus: list[Document], detected: list[set[tuple[int, int]]]
) -> None:
    found = total = 0
    for doc, spans in zip(corpus, detected, strict=True):
        gold = [m for cluster in doc.clusters for m in cluster]
        found += sum(mention in spans for mention in gold)
        total += len(gold)
    assert found >= 0.97 * total


def test_documents_have_the_size_of_their_shape_in_detected_mentions() -> None:
    for size in (1, 3, 50, 400):
        shape = Shape(mentions=((0, size), (1, size)))
        for doc in generate(10, shape=shape):
            assert size <= len(analyse(doc).mentions) <= size + 12


def test_the_default_has_the_shape_of_conll2012(
    corpus: list[Document], detected: list[set[tuple[int, int]]]
) -> None:
    sizes = sorted(map(len, detected))
    mentions = sum(sizes)
    clusters = [len(cluster) for doc in corpus for cluster in doc.clusters]
    tokens = sum(len(doc.words) for doc in corpus)
    assert mentions / 300 == pytest.approx(136, rel=0.03)
    assert sizes[150] == pytest.approx(116, rel=0.05)
    assert sizes[285] == pytest.approx(312, rel=0.05)
    assert sum(clusters) / mentions == pytest.approx(139_156 / 380_150, rel=0.05)
    assert sum(clusters) / len(clusters) == pytest.approx(4.43, rel=0.1)
    assert tokens / 300 == pytest.approx(464, rel=0.05)
    assert tokens / sum(len(doc.sentences) for doc in corpus) == pytest.approx(17.3, rel=0.05)


def test_a_corpus_of_the_papers_size_has_its_mentions_and_pairs() -> None:
    # Text is not needed for this: the test above holds documents to the sizes of their shape.
    shape = Shape.conll2012()
    sizes = [shape.size_at((k + 0.5) / 2802) for k in range(2802)]
    assert sum(sizes) == pytest.approx(380_150, rel=0.03)
    assert sum(n * (n - 1) // 2 for n in sizes) == pytest.approx(41_000_000, rel=0.05)


def rivals(docs: list[Document]) -> float:
    """Share of he and she with another such cluster mentioned in the same sentence or the one before."""
    ambiguous = total = 0
    for doc in docs:
        number = [
            i for i, (start, end) in enumerate(doc.sentence_bounds) for _ in range(start, end)
        ]
        people = [(forms(doc, c), [number[m.start] for m in c], c) for c in doc.clusters]
        for gender in ("he", "she"):
            alike = [(where, cluster) for names, where, cluster in people if names == {gender}]
            for where, cluster in alike:
                others = {n for rival, c in alike if c is not cluster for n in rival}
                for mention, here in zip(cluster, where, strict=True):
                    if doc.text(mention).lower() in PRONOUNS[gender]:
                        ambiguous += bool({here, here - 1} & others)
                        total += 1
    return ambiguous / total


def test_ambiguity_gives_pronouns_more_rivals() -> None:
    shares = [rivals(list(generate(60, ambiguity=value))) for value in (0, 0.5, 1)]
    assert shares[0] < 0.75 * shares[1] < 0.75 * shares[2]


def test_without_ambiguity_people_have_last_names_of_their_own() -> None:
    def shared(ambiguity: float) -> int:
        count = 0
        for doc in generate(60, shape=SMALL, ambiguity=ambiguity):
            names = {
                doc.words[token : token + 2]
                for token, piece in enumerate(doc.layer("ner"))
                if piece == "(PERSON*"
            }
            count += len(names) - len({last for _, last in names})
        return count

    assert shared(0) == 0
    assert shared(1) > 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"mentions": ((0, 5), (0.5, 9))}, "quantiles"),
        ({"mentions": ((0, 9), (1, 5))}, "quantiles"),
        ({"mentions": ((0, 0), (1, 5))}, "quantiles"),
        ({"clustered": 1.5}, "clustered must be between 0 and 1, not 1.5"),
        ({"dialogue": -0.1}, "dialogue must be between 0 and 1"),
        ({"cluster_size": 1}, "cluster_size must be at least 2"),
        ({"tokens_per_mention": float("nan")}, "tokens_per_mention"),
    ],
)
def test_a_shape_that_cannot_be_is_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(CorelaxError, match=message):
        Shape(**{"mentions": ((0, 1), (1, 9)), **values})  # type: ignore[arg-type]


def test_wrong_arguments_are_refused_before_anything_is_generated() -> None:
    with pytest.raises(CorelaxError, match="ambiguity must be between 0 and 1"):
        generate(1, ambiguity=1.2)
    for wrong in (-1, 2.5, True):
        with pytest.raises(CorelaxError, match=f"documents must be .* at least 0, not {wrong}"):
            generate(wrong)  # type: ignore[arg-type]
    with pytest.raises(CorelaxError, match="at least 1, not 0"):
        SMALL.scaled(0)


@pytest.fixture(scope="module")
def app() -> Command:
    return command_of(synth)


def test_the_command_writes_what_the_function_generates(app: Command, tmp_path: Path) -> None:
    out = tmp_path / "made.conll.gz"
    options = ["--documents", "5", "--seed", "9", "--mentions", "60", "--ambiguity", "0.8"]
    done = CliRunner().invoke(app, [str(out), *options])
    assert (done.exit_code, done.output) == (0, "")
    assert read(out) == list(generate(5, seed=9, shape=SMALL, ambiguity=0.8))
