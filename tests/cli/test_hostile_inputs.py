"""Files, names and options that would harm a terminal, an input or the machine: one line, nothing lost."""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from corelax.io import read
from tests.command_server import Done, server

TITLE, CLEAR, CSI = "\x1b]0;owned\x07", "\x1b[2J", "\x9b2J"
ADDRESS_SPACE = 6_000_000_000  # bytes


def conll(name: str, word: str, cell: str) -> str:
    rows = f"d\t0\t0\t{word}\t{cell}\nd\t0\t1\tshe\t{cell}\n"
    return f"#begin document ({name}); part 000\n{rows}\n#end document\n"


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Names and words that would change the title of a terminal and clear it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.conll").write_text(conll(f"d{TITLE}{CSI}", f"Ann{CLEAR}", "(0)"))
    (tmp_path / "system.conll").write_text(conll(f"d{TITLE}{CSI}", f"Ann{CLEAR}", "-"))
    (tmp_path / f"odd{CLEAR}.conll").write_text(conll("d", "Ann", "(0)"))
    layers = {f"odd{CSI}": ["a", "b"]}
    (tmp_path / "layers.jsonl").write_text(
        json.dumps(
            {"doc_key": "d", "sentences": [["Ann", "she"]], "clusters": [], "layers": layers}
        )
    )
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "gold.conll", "system.conll", "--per-document"],
        ["score", "gold.conll", "system.conll", "--per-document", "--profile", "reference"],
        ["score", "gold.conll", "system.conll", "--differences"],
        ["score", "gold.conll", "system.conll", "--per-document", "--json"],
        ["errors", "gold.conll", "system.conll", "--examples", "5"],
        ["errors", "gold.conll", "system.conll", "--examples", "5", "--json"],
        ["stats", f"odd{CLEAR}.conll"],
        ["stats", f"odd{CLEAR}.conll", "--json"],
        ["validate", "gold.conll", "layers.jsonl"],
        ["convert", "layers.jsonl", "out.conll"],
        ["convert", "gold.conll", "out.jsonl"],
        ["features", "gold.conll", "--mentions", "gold"],
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("hostile")
def test_nothing_in_a_file_reaches_the_terminal_as_a_command(arguments: list[str]) -> None:
    done = server().run(*arguments)
    assert done.code in (0, 1)
    printed = (done.out + done.err).replace("\n", "").replace("\t", "")
    assert printed
    assert printed.isprintable()


@pytest.mark.usefixtures("hostile")
def test_json_keeps_what_it_escapes() -> None:
    done = server().run("score", "gold.conll", "system.conll", "--per-document", "--json")
    assert list(json.loads(done.out)["documents"]) == [f"d{TITLE}{CSI}"]


def test_whatever_a_command_prints_is_filtered(
    corelax: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    def careless(**_: object) -> None:
        print(f"out{CLEAR}")
        print(f"err{CSI}", file=sys.stderr)

    monkeypatch.setattr("corelax.cli.app.app", careless)
    assert corelax() == Done(0, "out[2J\n", "err2J\n")


def test_data_goes_through_a_pipe_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.conll").write_text(conll("d", "Ann\x01", "(0)"))
    assert "Ann\x01" in server().run("convert", "a.conll", "-", "--to", "conll2012").out


@pytest.mark.parametrize("name", ["gold.conll", "link.conll", "hard.conll", "sub/../gold.conll"])
@pytest.mark.parametrize(
    "command", ["convert gold.conll {}", "resolve gold.conll --out {}",
                "features gold.conll --out {}", "resolve x.txt --mentions gold.conll --out {}",
                "convert - {} --from conll2012"],
)  # fmt: skip
def test_no_command_writes_over_its_input(
    examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    content = (examples / "data" / "gold.conll").read_bytes()
    Path("gold.conll").write_bytes(content)
    Path("x.txt").write_text("Ann ran.")
    Path("sub").mkdir()
    Path("link.conll").symlink_to("gold.conll")
    Path("hard.conll").hardlink_to("gold.conll")
    arguments = command.format(name).split()
    with Path("gold.conll").open("rb") as standard_input:
        done = subprocess.run(
            [sys.executable, "-m", "corelax", *arguments],
            stdin=standard_input,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 1
    assert "is an input, and" in done.stderr
    assert Path("gold.conll").read_bytes() == content


def test_a_model_is_an_input_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model").mkdir()
    Path("model/config.json").write_text("{}")
    Path("x.txt").write_text("Ann ran.")
    out = "model/config.json"
    done = server().run("resolve", "x.txt", "--model", "model", "--json", "--out", out)
    assert (done.code, Path(out).read_text()) == (1, "{}")
    assert "is an input, and" in done.err


def test_training_does_not_write_over_its_documents(examples: Path, tmp_path: Path) -> None:
    content = (examples / "data" / "gold.conll").read_text()
    dev = examples / "data" / "gold.conll"
    for command, place in (
        (["train", "--config", "lea"], "lea/log.jsonl"),
        (["sweep", "--grid", "beta_squared=1,2"], "sweep.json"),
        (["reproduce"], "results/train.conll"),
    ):
        path = tmp_path / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        options = ["--train", path, "--dev", dev, "--out", tmp_path, "--format", "conll2012"]
        done = server().run(*command, *options)
        assert (done.code, path.read_text()) == (1, content)
        assert "is an input, and" in done.err
        path.unlink()


def test_held_out_documents_do_not_replace_those_they_come_from(
    examples: Path, tmp_path: Path
) -> None:
    path = tmp_path / "data" / "train.conll"
    path.parent.mkdir()
    path.write_text((examples / "data" / "gold.conll").read_text())
    done = server().run("reproduce", "--train", path, "--hold-out", 1, "--out", tmp_path)
    assert done.code == 1
    assert len(read(path)) == 2


def in_little_memory(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "corelax", *map(str, arguments)],
        capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, cwd=cwd,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE)),
    )  # fmt: skip


@pytest.mark.parametrize(
    "command", ["validate --format conll2012", "resolve", "convert --from jsonl", "stats"]
)
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_a_device_without_an_end_is_refused(tmp_path: Path, command: str, device: str) -> None:
    verb, *options = command.split()
    target = ["out.conll"] if verb == "convert" else []
    done = in_little_memory(verb, device, *target, *options, cwd=tmp_path)
    assert done.returncode == 1
    assert f"{device}: this is a device" in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_nothing_at_all_and_pipes_are_read(examples: Path) -> None:
    assert "the file is empty" in server().run("validate", "/dev/null").out
    text = (examples / "data" / "gold.conll").read_text()
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as pipe:
        pipe.write(text)  # less than a pipe holds
    done = subprocess.run(
        [sys.executable, "-m", "corelax", "stats", f"/dev/fd/{reader}", "--json"],
        pass_fds=[reader], capture_output=True, text=True,
    )  # fmt: skip
    os.close(reader)
    assert json.loads(done.stdout)[f"/dev/fd/{reader}"]["documents"] == 2


def test_a_text_that_grows_without_end_is_refused(tmp_path: Path) -> None:
    packed = gzip.compress(
        b"a " * (1 << 19)
    )  # once: members one after the other are a gzip file too
    (tmp_path / "bomb.txt").write_bytes(packed * 300)
    done = in_little_memory("resolve", tmp_path / "bomb.txt", cwd=tmp_path)
    assert done.returncode == 1
    assert "bomb.txt: longer than 268,435,456 bytes" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_too_little_memory_is_one_line_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, corelax
) -> None:
    def no_memory(*_: object, **__: object) -> None:
        raise MemoryError

    path = tmp_path / "a.jsonl"
    path.write_text('{"doc_key": "a", "sentences": [["a"]], "clusters": []}\n')
    monkeypatch.setattr("corelax.io.jsonlines.json.loads", no_memory)
    done = corelax("stats", path)
    assert (done.code, done.err) == (
        1, f"{path}: does not fit into memory; give less of it at a time\n",
    )  # fmt: skip


def test_a_tensor_that_does_not_fit_is_one_line(corelax, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(**_: object) -> None:
        import torch

        torch.empty(1 << 60)

    monkeypatch.setattr("corelax.cli.app.app", too_much)
    done = corelax()
    assert (done.code, len(done.err.splitlines())) == (1, 1)


def test_nested_toml_and_pipes_as_configurations_are_one_line(
    examples: Path, tmp_path: Path
) -> None:
    gold = examples / "data" / "gold.conll"
    nested, pipe = tmp_path / "nested.toml", tmp_path / "pipe.toml"
    nested.write_text("a = " + "[" * 5000 + "]" * 5000)
    os.mkfifo(pipe)
    for path, message in ((nested, "nested too deeply"), (pipe, "must be a regular file")):
        done = server().run(
            "train", "--config", path, "--train", gold, "--dev", gold, "--out", tmp_path
        )
        assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
        assert message in done.err


@pytest.mark.parametrize("depth", [940, 990])
def test_nested_json_is_one_line(tmp_path: Path, corelax, depth: int) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"doc_key": ' + "[" * depth + "]" * depth + ', "sentences": [["a"]]}\n')
    done = corelax("stats", path)
    assert (done.code, len(done.err.splitlines())) == (1, 1)


@pytest.mark.parametrize("option", ["--threads 100000", "--batch-size 1000000000", "--threads 0"])
def test_options_have_bounds(tmp_path: Path, option: str) -> None:
    (tmp_path / "x.txt").write_text("Ann ran.")
    done = server().run("resolve", tmp_path / "x.txt", *option.split())
    assert done.code == 2
    assert option.split()[0] in done.err


def test_long_names_are_shortened(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    for path, letter in ((gold, "x"), (system, "y")):
        fields = {"doc_key": letter * 5000, "sentences": [["Ann", "she"]], "clusters": [[[0, 0]]]}
        path.write_text(json.dumps(fields))
    missing = server().run("score", gold, system)
    assert missing.code == 1
    assert "xxx" in missing.err
    assert len(missing.err) < 1500
    table = server().run("score", gold, gold, "--per-document")
    assert table.code == 0
    assert max(map(len, table.out.splitlines())) < 250


def test_a_full_disk_is_named_with_the_file(examples: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = server().run("convert", examples / "data" / "gold.conll", out, largest_file=100)
    assert (done.code, done.err) == (1, f"{out}: File too large\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no device that is always full")
def test_a_full_standard_output_is_one_line(examples: Path) -> None:
    gold = examples / "data" / "gold.conll"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "corelax", "score", gold, gold],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr) == (1, "<stdout>: No space left on device\n")
