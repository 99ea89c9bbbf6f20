"""`corelax resolve --shards` and `--ray`: options, and what goes wrong."""

from __future__ import annotations

import json
import socket
from importlib.util import find_spec

import pytest

pytestmark = pytest.mark.usefixtures("resolver")  # which links equal words
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.jsonl"
    texts = ["Ann saw Bo. Bo saw Ann.", "Cy slept. Cy woke."]
    path.write_text(
        "".join(json.dumps({"id": str(i), "text": t}) + "\n" for i, t in enumerate(texts))
    )
    return path


def test_shards_are_written_and_continued(corelax, corpus, tmp_path):
    options = (corpus, "--shards", "--out", tmp_path / "out", "--jobs", 1, "--shard-size", 1)
    done = corelax("resolve", *options)
    assert done.code == 0
    assert "2 documents, 14 words in 2 shards" in done.err
    assert {path.name for path in (tmp_path / "out").glob("part-*")} == {
        "part-00000.jsonl", "part-00001.jsonl",
    }  # fmt: skip
    again = corelax("resolve", *options)
    assert "of which 2 were done before" in again.err


def test_bad_documents_are_told_and_do_not_fail_the_command(corelax, corpus, tmp_path):
    with corpus.open("a") as file:
        file.write("{\n")
    done = corelax("resolve", corpus, "--shards", "-o", tmp_path / "out", "--jobs", 1)
    assert done.code == 0
    assert f"1 bad document left out: {tmp_path}/out/bad.jsonl" in done.err


def test_nothing_but_bad_documents_is_a_failure(corelax, tmp_path):
    (tmp_path / "a.jsonl").write_text("{\n")
    done = corelax("resolve", tmp_path / "a.jsonl", "--shards", "-o", tmp_path / "out", "--jobs", 1)
    assert done.code == 1
    assert "no document could be resolved; bad.jsonl says why" in done.err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--html", "a.html", "-o", "out"], "leave out --html"),
        (["--mentions", "gold", "-o", "out"], "leave out --mentions"),
        ([], "name a folder for the parts with --out"),
        (["--gpu-share", "0.5", "-o", "out"], "goes with --ray"),
    ],
)
def test_options_that_do_not_go_with_shards(corelax, corpus, more, message):
    done = corelax("resolve", corpus, "--shards", *more)
    assert done.code == 2
    assert message in done.err


def test_standard_input_cannot_be_continued(corelax, tmp_path):
    done = corelax("resolve", "-", "--shards", "-o", tmp_path / "out", "--jobs", 1)
    assert done.code == 1
    assert done.err.strip() == "<stdin>: shards need files, which can be read again; name files"


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_it_is_told_what_to_install(corelax, corpus, tmp_path):
    done = corelax("resolve", corpus, "-o", tmp_path / "out", "--ray")
    assert (done.code, done.err.strip()) == (
        1,
        "corelax: ray is not installed; pip install 'corelax[ray]'",
    )


@needs_ray
def test_an_address_without_ray_is_told_in_one_line(corelax, corpus, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    done = corelax("resolve", corpus, "-o", tmp_path / "out", f"--ray={address}")
    assert done.code == 1
    [line] = done.err.splitlines()
    assert line.startswith(f"{address}: no Ray cluster answers (Connection refused); start one")
    assert not list(tmp_path.glob("out/part-*"))


@needs_ray
def test_an_argument_that_ray_has_taken_is_told(corelax, corpus, tmp_path):
    done = corelax("resolve", "-o", tmp_path / "out", "--ray", corpus)
    assert done.code == 2
    assert "--ray has taken" in done.err
    done = corelax("resolve", corpus, "-o", tmp_path / "out", "--ray", "nowhere")
    assert done.code == 1
    assert "nowhere: not the address of a Ray cluster; needed is HOST:PORT" in done.err
