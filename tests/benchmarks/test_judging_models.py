"""The scripts that judge and calibrate a model, on invented corpora."""

import json
import sys

import pytest

import corelax
from benchmarks import calibrate, models
from corelax.io import read
from corelax.rankers.encoder.folder import load_ranker
from corelax.resolve import Resolver
from tests.benchmarks.corpora import write_corpora, write_encoder, write_model

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_corpora(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return write_model(folder / "model", write_encoder(folder / "encoder"))


def run(script, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", [script.__name__, *map(str, arguments)])
    script.main()


@pytest.fixture(scope="module")
def judged(model, data):
    bench = models.Bench(Resolver.from_pretrained(model, device="cpu"), data)
    return dict(models.judge(bench, list(models.PARTS)))


def test_scores_are_those_of_the_scorer(judged, model, data):
    gold = list(read(data / "litbank/dev.gold_conll.gz"))
    resolver = Resolver.from_pretrained(model, device="cpu")
    system = [resolver.resolve(d, scheme="litbank", singletons="keep").document for d in gold]
    expected = corelax.score(gold=gold, system=system)
    assert judged["litbank"]["all"]["conll"] == pytest.approx(expected.conll)
    assert 0 < expected.conll < 1


def test_free_documents_and_genres_are_parts_of_the_corpus(judged):
    ontogum = judged["ontogum"]
    assert set(ontogum["genres"]) == {"vlog", "news", "fiction"}
    assert ontogum["free"] not in (ontogum["all"], *ontogum["genres"].values())


def test_free_documents_go_by_their_licence(data):
    found = models.free_documents(data / "gum/documents.tsv")
    assert found == {"GUM_vlog_dog", "GUM_news_cat"}


def test_only_spoken_documents_are_asked_for_pronouns(judged):
    spoken = judged["ontogum"]["spoken"]
    # "I" twice and "her" twice in the vlog, whose entities are words that are alike; "my" and "you" once.
    assert spoken["i"]["pronouns"] == 1
    assert spoken["you"]["pronouns"] == 0
    assert spoken["gold people"]["two_speakers"] == 0


def test_he_and_she_are_counted_over_both_corpora():
    parts = {
        "ontogum": {"people": {"entities": 30, "he_and_she": 0.1}},
        "litbank": {"people": {"entities": 10, "he_and_she": 0.5}},
    }
    assert models.he_and_she(parts) == pytest.approx(8 / 40)
    assert models.he_and_she({}) is None


def test_a_file_with_everything_and_a_table_beside_it(model, data, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out" / "models.json"
    options = ["--data", data, "--out", out, "--device", "cpu"]
    run(models, monkeypatch, model, *options, "--parts", "ontogum", "gap", "winogender")
    content = json.loads(out.read_text())[str(model)]
    assert set(content) == {"ontogum", "gap", "winogender"}
    table = out.with_suffix(".md").read_text()
    assert table in capsys.readouterr().out
    assert f"{100 * content['ontogum']['all']['conll']:.2f}" in table
    assert "OntoGUM dev, vlog" in table
    assert "LitBank" not in table


def test_every_row_of_the_table_is_measured(judged):
    # F1 of women by that of men is not a number where either is 0: GAP has feminine pronouns only here.
    missing = [path for _, path, _ in models.ROWS if models.value_at(judged, path) is None]
    assert missing == ["gap/validation/bias", "gap/development/bias"]


@pytest.mark.parametrize("script", [models, calibrate])
def test_a_missing_corpus_is_one_line_and_nothing_is_written(script, model, tmp_path, monkeypatch):
    out = tmp_path / "out"
    with pytest.raises(SystemExit) as error:
        run(script, monkeypatch, model, "--data", tmp_path, "--out", out)
    assert "ontogum/dev.gold_conll.gz: no such file" in str(error.value)
    assert not out.exists()


def test_a_model_is_calibrated(model, data, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    run(calibrate, monkeypatch, model, "--data", data, "--out", tmp_path, "--device", "cpu")
    shown = capsys.readouterr().out
    results = json.loads((tmp_path / "reliability.json").read_text())
    assert set(results) == {"ontonotes", "litbank"}
    for scheme, kinds in results.items():
        assert set(kinds) == {"mention", "link", "entity"}
        assert f"{scheme}, entity" in shown
        assert f"Reliability, scheme {scheme}" in (
            tmp_path / f"reliability-{scheme}.svg"
        ).read_text(encoding="utf-8")
    assert load_ranker(model).calibrations == {}
    (tmp_path / "config.json").replace(model / "config.json")
    assert set(load_ranker(model).calibrations) == {"ontonotes", "litbank"}
