"""The comparison of training stages: predictions of tiny models, and counts worked by hand."""

import sys
from statistics import mean, stdev

import pytest

from benchmarks import metric_gain
from corelax import CorelaxError
from corelax.study.records import Predicted, load_predicted, save
from tests.benchmarks.corpora import write_corpora, write_encoder, write_model

pytestmark = pytest.mark.usefixtures("one_thread")
NAMES = ["GUM_vlog_a", "GUM_vlog_b", "GUM_news_c"]
ALL = ("muc", "b_cubed", "ceaf_e")


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["metric_gain.py", *map(str, arguments)])
    metric_gain.main()


def counts(found):
    """Predictions that find a number of ten links, mentions and so on in each document, by all metrics."""
    numbers = [[each, 10, each, 10] for each in found]
    return Predicted(digest="x", documents=NAMES, counts=dict.fromkeys(ALL, numbers), entities=[])


@pytest.fixture
def runs(tmp_path):
    """Three seeds; the metric stage finds one more in each document, and one seed two more."""
    for seed, more in ((1, 1), (2, 1), (3, 2)):
        for stage, extra in (("continued", 0), ("metric", more)):
            found = [5 + extra, 6 + extra, 2 + extra]
            save(tmp_path / f"seed-{seed}" / f"{stage}.ontogum.json", counts(found))
    return tmp_path


def test_gains_by_hand(runs):
    content, text = metric_gain.report(runs, "continued", 1000)
    metric = content["ontogum"]["metric"]
    scores = [16 / 30, 16 / 30, 19 / 30]
    assert content["ontogum"]["continued"]["mean"] == pytest.approx(13 / 30)
    assert metric["scores"] == pytest.approx(scores)
    assert (metric["mean"], metric["sd"]) == pytest.approx((mean(scores), stdev(scores)))
    gain = metric["gain"]
    assert gain["mean"] == pytest.approx(4 / 30)
    # Every document and seed gains from 0.1 to 0.2, so every resample does.
    assert 0.0999 < gain["low"] <= gain["high"] < 0.2001
    assert gain["bootstrap_p"] == gain["holm"] == pytest.approx(2 / 1001)
    assert "+13.33" in text
    assert f"{100 * mean(scores):.2f} ± {100 * stdev(scores):.2f}" in text


def test_genres_by_hand(runs):
    content, _ = metric_gain.report(runs, "continued", 10)
    continued = content["genres"]["continued"]
    assert continued["vlog"]["mean"] == pytest.approx(11 / 20)
    assert continued["news"]["mean"] == pytest.approx(2 / 10)
    assert continued["news"]["sd"] == 0


def test_only_seeds_that_both_stages_have_are_compared(runs):
    (runs / "seed-3" / "continued.ontogum.json").unlink()
    content, _ = metric_gain.report(runs, "continued", 10)
    metric = content["ontogum"]["metric"]
    assert metric["seeds"] == [1, 2, 3]
    assert metric["gain"]["seeds"] == 2
    assert metric["gain"]["mean"] == pytest.approx(0.1)


def test_p_values_of_several_stages_are_adjusted(runs):
    for seed in (1, 2, 3):
        save(runs / f"seed-{seed}" / "lea.ontogum.json", counts([6, 7, 3]))
    content, _ = metric_gain.report(runs, "continued", 1000)
    assert content["ontogum"]["lea"]["gain"]["holm"] == pytest.approx(2 * 2 / 1001)


def test_predictions_of_other_documents_are_an_error(runs):
    other = Predicted(digest="y", documents=NAMES, counts={"muc": [[1, 1, 1, 1]] * 3}, entities=[])
    save(runs / "seed-1" / "lea.ontogum.json", other)
    with pytest.raises(CorelaxError, match="not of the same documents"):
        metric_gain.report(runs, "continued", 10)


def test_a_baseline_that_is_not_there_is_one_line(runs, monkeypatch):
    with pytest.raises(SystemExit) as error:
        run(monkeypatch, runs, "--baseline", "likelihood")
    assert str(error.value) == (
        "no stage 'likelihood'; there are continued, metric: use --baseline"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--predict"], "--predict needs --data"),
        (["--predict", "--data", "."], "no model folders"),
        ([], "no predictions"),
    ],
)
def test_an_empty_folder_is_one_line(tmp_path, monkeypatch, options, message):
    with pytest.raises(SystemExit) as error:
        run(monkeypatch, tmp_path, *options)
    assert message in str(error.value)


def test_models_are_predicted_once_and_compared_without_their_weights(
    tmp_path, monkeypatch, capsys
):
    data, encoder = write_corpora(tmp_path / "data"), write_encoder(tmp_path / "encoder")
    runs = tmp_path / "runs"
    for seed in (1, 2):
        write_model(runs / f"seed-{seed}" / "continued", encoder, seed)
        write_model(runs / f"seed-{seed}" / "metric", encoder, seed + 10)
    run(monkeypatch, runs, "--predict", "--data", data, "--device", "cpu")
    files = sorted(runs.glob("seed-*/*.json"))
    assert len(files) == 2 * 2 * 3
    assert load_predicted(runs / "seed-1/metric.gap.json").documents == ["a-1", "a-2"]
    before = [file.stat().st_mtime_ns for file in files]
    run(monkeypatch, runs, "--predict", "--data", data, "--device", "cpu")
    assert [file.stat().st_mtime_ns for file in files] == before
    for weights in runs.glob("seed-*/*/model.safetensors"):
        weights.unlink()
    run(monkeypatch, runs, "--predict", "--data", data, "--device", "cpu")  # nothing is left to do
    run(monkeypatch, runs, "--resamples", "50", "--json", tmp_path / "gain.json")
    shown = capsys.readouterr().out
    assert "litbank, against continued" in shown
    assert "gap, against continued" in shown
    assert (tmp_path / "gain.json").exists()
