"""`corelax train`, and `corelax resolve` with its models, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from corelax import Clustering, Document, Span
from corelax.core.locks import lock_folder
from corelax.io import read, write
from corelax.synthetic import Shape, generate

SETTINGS = [
    "hidden_mention=8", "hidden_pair=12", "anaphoricity.epochs=2", "antecedent.epochs=2",
    "baseline.epochs=4", "epochs=2",
]  # fmt: skip


@pytest.fixture(autouse=True)
def surroundings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CORELAX_CACHE", str(tmp_path_factory.getbasetemp() / "train_cache"))
    monkeypatch.setenv("CORELAX_LEXICONS", "shipped")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def made(number: int, seed: int) -> list[Document]:
    return list(generate(number, seed=seed, shape=Shape.conll2012().scaled(30)))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    write(made(5, 0), folder / "train.conll")
    write(made(3, 9), folder / "dev.conll")
    return folder


def options(files: Path, out: Path, *settings: str, config: str = "lea") -> list[object]:
    corpora = ["--train", files / "train.conll", "--dev", files / "dev.conll", "--out", out]
    changes = [part for setting in [*SETTINGS, *settings] for part in ("--set", setting)]
    return ["train", *corpora, "--config", config, "--device", "cpu", *changes]


@pytest.fixture
def trained(files: Path, corelax, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a chain, trained once."""
    out = tmp_path_factory.getbasetemp() / "trained_by_command"
    done = corelax(*options(files, out))
    assert done.code == 0, done.err
    return out


def one_line(done: Any) -> str:
    assert done.code == 1
    assert done.out == ""
    [line] = done.err.splitlines()
    return line


def test_the_table_shows_the_scores_of_the_model(corelax, files: Path, tmp_path: Path) -> None:
    done = corelax(*options(files, tmp_path))
    assert done.code == 0
    scores = json.loads((tmp_path / "lea" / "config.json").read_text())["training"]["scores"]
    rows = {line.split()[0]: line.split()[1:] for line in done.out.splitlines() if line.strip()}
    assert rows["LEA"] == [
        f"{100 * scores['lea'][key]:.2f}" for key in ("recall", "precision", "f1")
    ]
    assert rows["CoNLL"] == [f"{100 * scores['conll']:.2f}"]
    assert max(map(len, done.out.splitlines())) <= 80
    epoch = json.loads((tmp_path / "lea" / "config.json").read_text())["training"]["epoch"]
    assert done.err.splitlines()[-2].startswith("lea: ")
    assert done.err.splitlines()[-2].endswith(f"epoch {epoch} of 2")
    assert done.err.splitlines()[-1] == str(tmp_path / "lea")


def test_json_is_one_object_with_the_model_and_its_scores(
    corelax, trained: Path, files: Path
) -> None:
    done = corelax(*options(files, trained), "--json")
    assert done.code == 0
    result = json.loads(done.out)
    assert result["model"] == str(trained / "lea")
    stored = json.loads((trained / "lea" / "config.json").read_text())["training"]
    assert {key: result[key] for key in stored} == stored
    assert result["dev"] == result["scores"]["conll"]
    assert result["finished"] is True


def test_each_epoch_is_a_line_where_there_is_no_terminal(
    corelax, files: Path, tmp_path: Path
) -> None:
    done = corelax(
        "train", "--train", files / "train.conll", "--dev", files / "dev.conll", "--out", tmp_path,
        "--config", "antecedent", "--set", "epochs=2", "--set", "hidden_mention=8",
        "--set", "hidden_pair=12", "--log", "csv",
    )  # fmt: skip
    log = (tmp_path / "antecedent" / "log.jsonl").read_text().splitlines()
    lines = [line for line in done.err.splitlines() if line.startswith("antecedent ")]
    for line, epoch in zip(lines, map(json.loads, log), strict=True):
        start = f"antecedent {epoch['epoch']}/2: loss {epoch['loss']:.4f}, dev accuracy "
        assert line.startswith(f"{start}{100 * epoch['dev']:.2f} (")
    assert "antecedent: accuracy " in done.err
    assert len((tmp_path / "antecedent" / "log.csv").read_text().splitlines()) == 3


def test_documents_may_be_several_files_and_folders(corelax, files: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.conll").write_bytes((files / "train.conll").read_bytes())
    done = corelax(
        "train", "--train", folder, "--train", files / "dev.conll", "--dev", files / "dev.conll",
        "--out", tmp_path / "runs", "--config", "anaphoricity", "--set", "epochs=1",
        "--set", "hidden_mention=8", "--set", "hidden_pair=12", "--json",
    )  # fmt: skip
    assert json.loads(done.out)["files"]["train"] == "a.conll and 1 more"
    wrong = corelax("train", "--train", tmp_path / "none", "--dev", folder, "--out", tmp_path / "x")
    assert one_line(wrong).startswith(f"{tmp_path / 'none'}: ")


def test_an_unknown_log_is_a_usage_error(corelax, files: Path, tmp_path: Path) -> None:
    done = corelax(*options(files, tmp_path / "runs"), "--log", "paper")
    assert done.code == 2
    assert "csv" in done.err


def test_seed_is_short_for_a_setting(corelax, files: Path, tmp_path: Path) -> None:
    corelax(*options(files, tmp_path / "a"), "--seed", 5)
    corelax(*options(files, tmp_path / "b", "seed=5"))
    one, other = ((tmp_path / name / "lea" / "model.safetensors").read_bytes() for name in "ab")
    assert one == other
    config = json.loads((tmp_path / "a" / "anaphoricity" / "config.json").read_text())
    assert config["training"]["config"]["seed"] == 5


def test_a_file_of_settings(corelax, files: Path, tmp_path: Path, trained: Path) -> None:
    settings = tmp_path / "mine.toml"
    settings.write_text(
        'extends = "lea"\n[ranker]\nhidden_mention = 8\nhidden_pair = 12\n'
        '[stages.mine]\nlike = "lea"\nepochs = 2\n[stages.anaphoricity]\nepochs = 2\n'
        "[stages.antecedent]\nepochs = 2\n[stages.baseline]\nepochs = 4\n"
    )
    done = corelax(
        "train", "--train", files / "train.conll", "--dev", files / "dev.conll",
        "--out", tmp_path / "out", "--config", settings,
    )  # fmt: skip
    assert done.code == 0, done.err
    for stage in ("anaphoricity", "antecedent", "baseline"):
        mine, theirs = (out / stage / "model.safetensors" for out in (tmp_path / "out", trained))
        assert mine.read_bytes() == theirs.read_bytes()
    assert (tmp_path / "out" / "mine" / "model.safetensors").exists()


@pytest.mark.parametrize(
    "setting",
    [
        "epoch=3",
        "epochs=many",
        "epochs",
        "lea.epoch=3",
        "cm_rescale.epochs=3",
        "singletons=keep",
        "mentions=nowhere.conll",
        "features.colour=1",
        "initialisation=zeros",
        "costs=1,2,-3",
        "family=pairwise",
        "start=nothing",
    ],
)
def test_a_bad_setting_is_one_line_and_nothing_is_written(
    corelax, files: Path, tmp_path: Path, setting: str
) -> None:
    one_line(corelax(*options(files, tmp_path / "out", setting)))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("missing", ["train", "dev"])
def test_a_missing_file_is_one_line_and_nothing_is_written(
    corelax, files: Path, tmp_path: Path, missing: str
) -> None:
    paths = {name: str(files / f"{name}.conll") for name in ("train", "dev")}
    paths[missing] = str(tmp_path / "nowhere.conll")
    done = corelax(
        "train", "--train", paths["train"], "--dev", paths["dev"], "--out", tmp_path / "out"
    )
    assert done.code == 1
    assert done.err.splitlines()[-1].startswith(f"{tmp_path / 'nowhere.conll'}: ")
    assert not (tmp_path / "out").exists()


def without_layers(docs: list[Document]) -> list[Document]:
    return [
        Document.from_sentences(
            doc.id,
            [list(doc.words[a:b]) for a, b in zip(starts(doc), ends(doc), strict=True)],
            part=doc.part,
            clusters=[[(m.start, m.end) for m in cluster] for cluster in doc.clusters],
        )
        for doc in docs
    ]


def starts(doc: Document) -> list[int]:
    return list(doc.sentence_starts)


def ends(doc: Document) -> list[int]:
    return [*doc.sentence_starts[1:], len(doc.words)]


def test_words_alone_need_given_mentions_for_training(corelax, files: Path, tmp_path: Path) -> None:
    write(without_layers(made(3, 0)), tmp_path / "bare.conll")
    arguments = options(files, tmp_path / "out")
    arguments[2] = tmp_path / "bare.conll"
    done = corelax(*arguments)
    assert done.code == 1
    assert "Traceback" not in done.err
    last = done.err.splitlines()[-1]
    assert "mentions" in last
    assert not (tmp_path / "out").exists()
    assert corelax(*arguments, "--set", "mentions=gold").code == 0


def test_only_a_machine_with_a_gpu_trains_on_one(corelax, files: Path, tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    done = corelax(*options(files, tmp_path / "out"), "--device", "cuda")
    assert "there is no GPU" in one_line(done)
    assert corelax(*options(files, tmp_path / "out"), "--device", "tpu").code == 2
    assert not (tmp_path / "out").exists()


def resolve(corelax, model: Path, source: Path, out: Path, *more: object) -> Any:
    return corelax("resolve", source, "--model", model, "--out", out, *more)


def scores(corelax, gold: Path, system: Path) -> dict[str, object]:
    return json.loads(corelax("score", gold, system, "--json").out)


@pytest.mark.parametrize("suffix", [".conll", ".jsonl", ".conll.gz"])
def test_predictions_score_what_training_reported(
    corelax, trained: Path, files: Path, tmp_path: Path, suffix: str
) -> None:
    out = tmp_path / f"out{suffix}"
    for stage in ("baseline", "lea"):
        done = resolve(corelax, trained / stage, files / "dev.conll", out)
        assert (done.code, done.out) == (0, "")
        reported = json.loads((trained / stage / "config.json").read_text())["training"]["scores"]
        assert scores(corelax, files / "dev.conll", out) == reported


def mentions_of(path: Path) -> list[set[tuple[int, int]]]:
    return [{(m.start, m.end) for c in doc.clusters for m in c} for doc in read(path)]


def test_gold_mentions_and_singletons(corelax, trained: Path, files: Path, tmp_path: Path) -> None:
    dev, out = files / "dev.conll", tmp_path / "out.conll"
    keep = ["--mentions", "gold", "--singletons", "keep"]
    assert resolve(corelax, trained / "lea", dev, out, *keep).code == 0
    assert mentions_of(out) == mentions_of(dev)
    resolve(corelax, trained / "lea", dev, out, "--mentions", "gold")
    assert all(len(cluster) > 1 for doc in read(out) for cluster in doc.clusters)
    for found, gold in zip(mentions_of(out), mentions_of(dev), strict=True):
        assert found <= gold


def test_mentions_of_a_file(corelax, trained: Path, files: Path, tmp_path: Path) -> None:
    dev, given, out = files / "dev.conll", tmp_path / "given.jsonl", tmp_path / "out.conll"
    # Other entities, the same mentions, and one more.
    docs = []
    for doc in read(dev):
        every = [[mention] for cluster in doc.clusters for mention in cluster]
        docs.append(doc.with_clusters(Clustering([*every, [Span(0, len(doc.words[:3]))]])))
    write(docs, given)
    done = resolve(
        corelax,
        trained / "lea",
        dev,
        out,
        "--mentions",
        given,
        "--singletons",
        "keep",
    )
    assert done.code == 0, done.err
    assert mentions_of(out) == mentions_of(given)


def test_a_document_without_given_mentions_is_named(
    corelax, trained: Path, files: Path, tmp_path: Path
) -> None:
    docs = read(files / "dev.conll")
    write(docs[:-1], tmp_path / "given.conll")
    done = resolve(corelax, trained / "lea", files / "dev.conll", tmp_path / "out.conll",
        "--mentions", tmp_path / "given.conll",
    )  # fmt: skip
    line = one_line(done)
    assert str(tmp_path / "given.conll") in line
    assert docs[-1].key in line
    assert not (tmp_path / "out.conll").exists()


def test_decoding_can_be_chosen(corelax, trained: Path, files: Path, tmp_path: Path) -> None:
    dev = files / "dev.conll"
    for decoding in ("links", "entities"):
        done = resolve(corelax, trained / "lea", dev, tmp_path / decoding, "--to", "conll2012",
            "--decoding", decoding,
        )  # fmt: skip
        assert done.code == 0
    resolve(
        corelax,
        trained / "lea",
        dev,
        tmp_path / "as_trained",
        "--to",
        "conll2012",
    )
    assert (tmp_path / "links").read_text() == (tmp_path / "as_trained").read_text()


def test_a_model_that_is_none_is_one_line(corelax, files: Path, tmp_path: Path) -> None:
    done = resolve(
        corelax,
        tmp_path / "model",
        files / "dev.conll",
        tmp_path / "out.conll",
    )
    assert one_line(done).startswith(f"{tmp_path / 'model'}: no model there")
    assert not (tmp_path / "out.conll").exists()


def test_a_model_brings_the_word_lists_of_its_training(
    corelax, trained: Path, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = []
    for lists in (None, "none", tmp_path / "gone"):
        if lists is not None:
            monkeypatch.setenv("CORELAX_LEXICONS", str(lists))
        done = resolve(
            corelax,
            trained / "lea",
            files / "dev.conll",
            tmp_path / "out.conll",
        )
        assert done.code == 0
        assert "word lists" not in done.err
        outputs.append((tmp_path / "out.conll").read_bytes())
    assert len(set(outputs)) == 1


def test_one_command_at_a_time_trains_a_stage(corelax, files: Path, tmp_path: Path) -> None:
    with lock_folder(tmp_path / "anaphoricity"):
        line = one_line(corelax(*options(files, tmp_path), "--resume"))
    assert "anaphoricity: another command is at work in this folder; wait for it" in line
