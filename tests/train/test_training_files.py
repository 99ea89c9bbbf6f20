"""Several files and folders of training and dev documents."""

import pytest

import corelax
from corelax import CorelaxError
from corelax.train.files import document_files
from tests.train.sparse.training_runs import documents

SMALL = {"hidden_mention": 8, "hidden_pair": 12}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("CORELAX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CORELAX_LEXICONS", "none")
    made = list(documents(4, mentions=15))
    folder = tmp_path / "parts"
    (folder / "more").mkdir(parents=True)
    corelax.write(made, tmp_path / "all.conll")
    corelax.write(made[:1], folder / "a.conll")
    corelax.write(made[1:3], folder / "b.conll.gz")
    corelax.write(made[3:], folder / "more" / "c.conll")
    (folder / "notes.txt").write_text("not annotated")
    (folder / ".hidden.conll").write_text("not read")
    return tmp_path


def test_a_folder_stands_for_its_annotated_files_in_order(files):
    names = [name.removeprefix(f"{files}/") for name in document_files([files / "parts"])]
    assert names == ["parts/a.conll", "parts/b.conll.gz", "parts/more/c.conll"]


@pytest.mark.parametrize(
    ("named", "problem"),
    [
        (["parts/a.conll", "parts"], "a.conll: is named twice"),
        (
            ["empty"],
            r"empty: no annotated file \(\.conll, \.conllu, \.conllua, \.jsonl\) in this folder",
        ),
        (["gone.conll"], "gone.conll: "),
        ([], "name at least one file"),
    ],
)
def test_what_cannot_be_read_is_one_line(files, named, problem):
    (files / "empty").mkdir()
    with pytest.raises(CorelaxError, match=problem):
        document_files([files / name for name in named])


def trained(files, out, train):
    settings = {**SMALL, "epochs": 2}
    return corelax.train(
        "anaphoricity", train=train, dev=[files / "all.conll"], out=files / out,
        settings=settings, device="cpu",
    )  # fmt: skip


def test_a_ranker_learns_the_same_from_one_file_and_from_its_parts(files):
    whole = trained(files, "whole", files / "all.conll")
    parts = trained(files, "parts-run", [files / "parts"])
    weights = [(run.folder / "model.safetensors").read_bytes() for run in (whole, parts)]
    assert weights[0] == weights[1]
    assert whole.training["data"]["train"] != parts.training["data"]["train"]
    assert parts.training["files"]["train"] == "a.conll and 2 more"
