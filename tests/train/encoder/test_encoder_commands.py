"""`corelax train` and `corelax resolve` with encoder rankers, as a user types them."""

from __future__ import annotations

import json

import pytest

from corelax import Clustering, Span
from corelax.core.folders import WEIGHTS
from corelax.io import read, write
from corelax.resolve import resolve_documents
from tests.train.encoder.tiny_encoder import RECIPE, made, save_encoder

pytestmark = pytest.mark.usefixtures("one_thread")
SMALL = ["window=60", "max_width=10", "span_size=32", "hidden_size=32", "dropout=0.1"]
RATES = ["learning_rate=5e-3", "encoder_learning_rate=2e-3", "averaging=0.9"]
LEARNS = [
    *SMALL,
    "likelihood.epochs=25",
    "likelihood.batch=1",
    "epochs=1",
    *(f"likelihood.{rate}" for rate in RATES),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    documents = made(5, mentions=20)
    write(documents, folder / "a.conll")
    write(made(2, seed=5, mentions=12), folder / "b.conll")
    write(documents[:3], folder / "dev.conll")
    save_encoder(folder / "encoder", documents)
    (folder / "mine.toml").write_text(RECIPE)
    return folder


def changes(*settings):
    return [part for setting in settings for part in ("--set", setting)]


def own(files, out, *more, encoder="encoder", train="a.conll"):
    return [
        "train", "--config", "own", "--train", files / train, "--dev", files / "dev.conll",
        "--encoder", files / encoder, "--out", out, "--device", "cpu", *more,
    ]  # fmt: skip


def by_recipe(files, out, *more, recipe="mine.toml", data=None, encoder="encoder"):
    return [
        "train", "--config", files / recipe, "--data", data or files, "--encoder", files / encoder,
        "--out", out, "--device", "cpu", *more,
    ]  # fmt: skip


@pytest.fixture
def trained(files, corelax, tmp_path_factory):
    """The folder of two stages that know their documents a little, trained once."""
    out = tmp_path_factory.getbasetemp() / "encoder_trained_by_command"
    done = corelax(*own(files, out, *changes(*LEARNS)))
    assert done.code == 0, done.err
    return out


def one_line(done):
    assert (done.code, done.out) == (1, "")
    [line] = done.err.splitlines()
    return line


def usage(done):
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    return " ".join(done.err.replace("│", " ").split())


def test_own_documents_become_a_model(corelax, files, trained):
    assert sorted(path.name for path in trained.iterdir()) == ["likelihood", "metric"]
    training = json.loads((trained / "metric/config.json").read_text())["training"]
    scores = training["scores"]["corpus"]
    assert scores["conll"] > 0.5
    done = corelax(*own(files, trained, *changes(*LEARNS)))  # takes what is there
    rows = {line.split()[0]: line.split()[1:] for line in done.out.splitlines() if line.strip()}
    assert rows["LEA"] == [
        f"{100 * scores['lea'][key]:.2f}" for key in ("recall", "precision", "f1")
    ]
    assert rows["CoNLL"] == [f"{100 * scores['conll']:.2f}"]
    assert done.err.splitlines()[-1] == str(trained / "metric")


def tuned(files, out, start, *more):
    return [
        "train", "--start", start, "--train", files / "b.conll", "--dev", files / "dev.conll",
        "--out", out, "--device", "cpu", *more,
    ]  # fmt: skip


def test_a_trained_model_goes_on_with_other_documents(corelax, files, trained, tmp_path):
    quick = changes("likelihood.epochs=1", "epochs=1")
    done = corelax(*tuned(files, tmp_path, trained / "metric", *quick))
    assert done.code == 0, done.err
    content = json.loads((tmp_path / "metric/config.json").read_text())
    assert content["settings"]["span_size"] == 32  # that of the model
    assert content["training"]["scores"]["corpus"]["conll"] > 0.3  # it knows those documents
    fresh = corelax(*own(files, tmp_path / "new", *changes(*SMALL), *quick, train="b.conll"))
    assert fresh.code == 0, fresh.err
    scores = json.loads((tmp_path / "new/metric/config.json").read_text())["training"]["scores"]
    assert scores["corpus"]["conll"] < content["training"]["scores"]["corpus"]["conll"]


def test_fine_tuning_adds_a_scheme_and_keeps_the_others(corelax, files, tmp_path):
    assert corelax(*by_recipe(files, tmp_path / "old", "--stage", "first")).code == 0
    quick = changes("likelihood.epochs=1", "epochs=1")
    done = corelax(*tuned(files, tmp_path / "new", tmp_path / "old/first", *quick))
    assert done.code == 0, done.err
    settings = json.loads((tmp_path / "new/metric/config.json").read_text())["settings"]
    assert settings["schemes"] == ["own", "one", "two"]


def test_what_does_not_go_with_a_start_is_said(corelax, files, trained, tmp_path):
    start = trained / "metric"
    done = corelax(*tuned(files, tmp_path, start, "--encoder", files / "encoder"))
    assert "--encoder does not go with --config tune" in usage(done)
    done = corelax(*tuned(files, tmp_path, start, "--config", "lea"))
    assert "--start does not go with --config lea" in usage(done)
    done = corelax(*tuned(files, tmp_path, start, *changes("span_size=64")))
    assert one_line(done).endswith("span_size: the sizes of a trained ranker cannot be changed")
    assert "no folder and no installed model" in one_line(corelax(*tuned(files, tmp_path, "smal")))


def test_a_recipe_trains_its_stages(corelax, files, tmp_path):
    done = corelax(*by_recipe(files, tmp_path, "--set", "epochs=2", "--seed", 4))
    assert done.code == 0, done.err
    names = ["first", "second", "metric"]
    beginnings = [line.split(":")[0] for line in done.err.splitlines()[:-1]]
    assert [beginning for beginning in beginnings if "/" not in beginning] == names
    epochs = ["first 1/1", "second 1/2", "second 2/2", "metric 1/2", "metric 2/2"]
    assert [beginning for beginning in beginnings if "/" in beginning] == epochs
    assert done.err.splitlines()[-1] == str(tmp_path / "metric")
    assert [line for line in done.out.splitlines() if line in ("a", "b")] == ["a", "b"]
    for name, epochs in zip(names, [1, 2, 2], strict=True):
        training = json.loads((tmp_path / name / "config.json").read_text())["training"]
        assert (training["epoch"], training["config"]["seed"]) == (epochs, 4)


def test_a_recipe_goes_on_where_it_was_interrupted(corelax, files, tmp_path, monkeypatch):
    from corelax.cli.progress import TrainingProgress

    more = ["--set", "second.epochs=3"]
    corelax(*by_recipe(files, tmp_path / "whole", *more))
    epoch = TrainingProgress.epoch

    def interrupted(self, config, history):
        epoch(self, config, history)
        if config.stage == "second" and len(history.epochs) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(TrainingProgress, "epoch", interrupted)
        done = corelax(*by_recipe(files, tmp_path / "parts", *more))
    assert done.code == 130
    assert "--resume" in done.err.splitlines()[-1]
    again = corelax(*by_recipe(files, tmp_path / "parts", *more))
    assert again.code == 1
    assert again.err.splitlines()[-1].startswith(
        f"{tmp_path / 'parts/second'}: holds an unfinished run"
    )
    assert corelax(*by_recipe(files, tmp_path / "parts", *more, "--resume")).code == 0
    for stage in ("first", "second", "metric"):
        whole, parts = (tmp_path / name / stage / WEIGHTS for name in ("whole", "parts"))
        assert whole.read_bytes() == parts.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--train", "t"], "--config lea needs --dev"),
        (["--dev", "d", "--config", "b3"], "--config b3 needs --train"),
        (["--config", "own", "--train", "t", "--dev", "d"], "--config own needs --encoder"),
        (["--config", "own", "--encoder", "e", "--dev", "d"], "own needs --train"),
        (["--train", "t", "--dev", "d", "--encoder", "e"], "--encoder does not go with --config lea"),
        (["--train", "t", "--dev", "d", "--stage", "s"], "--stage does not go with --config lea"),
        (["--config", "small", "--encoder", "e"], "--config small needs --data"),
        (["--config", "small", "--data", "d"], "--config small needs --encoder"),
        (
            ["--config", "small", "--data", "d", "--encoder", "e", "--train", "t"],
            "--train does not go with --config small",
        ),
        (
            ["--config", "own", "--train", "t", "--dev", "d", "--encoder", "e", "--data", "d"],
            "--data does not go with --config own",
        ),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together(corelax, tmp_path, arguments, message):
    done = corelax("train", "--out", tmp_path / "out", *arguments)
    assert message in usage(done)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        ({"recipe": "nowhere.toml"}, "nowhere.toml: no such file"),
        ({"encoder": "nowhere"}, "not an encoder that can be loaded"),
        ({"data": "/nowhere"}, "/nowhere/a.conll: "),
        ({"stage": "frist"}, "--stage: there is no 'frist'; did you mean 'first'"),
        ({"set": "first.epoch=2"}, "unknown setting 'epoch'; did you mean 'epochs'"),
        ({"set": "fist.epochs=2"}, "fist is no stage of the recipe, which has first, second"),
        ({"set": "epochs"}, "--set takes key=value"),
        ({"set": "seed=some"}, "seed must be a whole number"),
        ({"set": "window=500"}, "window must be at most 128 for this encoder, not 500"),
    ],
)
def test_bad_input_to_a_recipe_is_one_line(corelax, files, tmp_path, arguments, start):
    named = {key: value for key, value in arguments.items() if key not in ("stage", "set")}
    more = [
        part
        for key in ("stage", "set")
        if key in arguments
        for part in (f"--{key}", arguments[key])
    ]
    done = corelax(*by_recipe(files, tmp_path / "out", *more, **named))
    assert start in one_line(done)
    assert not (tmp_path / "out").exists()


def test_an_unknown_preset_may_have_meant_the_encoder(corelax, files, tmp_path):
    common = ["--train", files / "a.conll", "--dev", files / "dev.conll", "--out", tmp_path / "out"]
    assert "did you mean 'own'?" in one_line(corelax("train", "--config", "oun", *common))
    assert "did you mean 'lea'?" in one_line(corelax("train", "--config", "leaa", *common))


def test_a_smaller_copy_in_bytes_is_written_beside_the_model(corelax, files, tmp_path):
    done = corelax(*by_recipe(files, tmp_path, "--stage", "first", "--int8"))
    assert done.code == 0, done.err
    whole, packed = tmp_path / "first", tmp_path / "first.int8"
    assert (packed / WEIGHTS).stat().st_size < (whole / WEIGHTS).stat().st_size / 2
    assert (packed / "README.md").read_text() == (whole / "README.md").read_text()


def scores(corelax, gold, system):
    return json.loads(corelax("score", gold, system, "--json").out)


@pytest.mark.parametrize("suffix", [".conll", ".jsonl.gz"])
def test_predictions_score_what_training_reported(corelax, trained, files, tmp_path, suffix):
    out = tmp_path / f"out{suffix}"
    done = corelax("resolve", files / "dev.conll", "--model", trained / "metric", "--out", out)
    assert (done.code, done.out) == (0, "")
    reported = json.loads((trained / "metric/config.json").read_text())["training"]["scores"]
    assert scores(corelax, files / "dev.conll", out) == reported["corpus"]


def mentions_of(documents):
    return [{tuple(m[:2]) for c in doc.clusters for m in c} for doc in documents]


def predicted(model, documents, **options):
    return [r.document for r in resolve_documents(model, documents, **options)]


@pytest.mark.parametrize("given", ["gold", "file"])
def test_given_mentions_are_what_is_resolved(corelax, trained, files, tmp_path, given):
    dev, out = files / "dev.conll", tmp_path / "out.conll"
    documents = read(dev)
    if given == "file":  # other entities, and a mention more
        documents = [
            doc.with_clusters(Clustering([*([m] for c in doc.clusters for m in c), [Span(0, 3)]]))
            for doc in documents
        ]
        write(documents, tmp_path / "given.jsonl")
        given = tmp_path / "given.jsonl"
    keep = ["--mentions", given, "--singletons", "keep"]
    done = corelax("resolve", dev, "--model", trained / "metric", "--out", out, *keep)
    assert done.code == 0, done.err
    assert mentions_of(read(out)) == mentions_of(documents)
    corelax("resolve", dev, "--model", trained / "metric", "--out", out, "--mentions", given)
    assert any(doc.clusters for doc in read(out))
    assert all(len(cluster) > 1 for doc in read(out) for cluster in doc.clusters)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--decoding", "entities"], "an encoder ranker decodes by links"),
        (["--mentions", "nowhere.conll"], "nowhere.conll: "),
    ],
)
def test_what_an_encoder_ranker_cannot_do_is_one_line(
    corelax, trained, files, tmp_path, more, message
):
    done = corelax(
        "resolve",
        files / "dev.conll",
        "--model",
        trained / "metric",
        "--out",
        tmp_path / "out.conll",
        *more,
    )
    assert message in one_line(done)
    assert not (tmp_path / "out.conll").exists()


def test_singletons_are_predicted_as_in_training(files, trained, tmp_path):
    model = tmp_path / "model"
    model.mkdir()
    for path in (trained / "metric").rglob("*"):
        target = model / path.relative_to(trained / "metric")
        target.mkdir() if path.is_dir() else target.write_bytes(path.read_bytes())
    config = json.loads((model / "config.json").read_text())
    config["training"]["config"]["singletons"] = "keep"
    (model / "config.json").write_text(json.dumps(config))
    documents = [
        doc.with_clusters(Clustering([*doc.clusters, [Span(0, 3)]]))
        for doc in read(files / "dev.conll")
    ]
    kept = predicted(model, documents, mentions="gold")
    assert mentions_of(kept) == mentions_of(documents)
    dropped = predicted(trained / "metric", documents, mentions="gold")
    assert [doc.clusters for doc in dropped] == [doc.clusters.drop_singletons() for doc in kept]
