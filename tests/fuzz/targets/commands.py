"""Commands as processes: any arguments and files end with 0, 1 or 2, in lines that can be printed.

No traceback, no control character on the terminal, no input changed, no temporary file left.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

from tests.command_server import server
from tests.fuzz.mutate import damaged
from tests.fuzz.seeds import SEEDS
from tests.fuzz.shrink import smaller_fields
from tests.fuzz.target import Target

NAMES = ["a.conll", "b.conll", "a.conllu", "a.jsonl", "a.txt", "odd\x1b[2J.conll", "é.jsonl"]
OPTIONS = {
    "score": [
        *(["--per-document"], ["--differences"], ["--json"], ["--profile", "reference"]),
        *(["--metric", "lea"], ["--metric", "none"], ["--jobs", "-1"], ["--beta", "nan"]),
    ],
    "validate": [["--json"], ["--format", "conll2012"], ["--format", "jsonl"], ["--format", "x"]],
    "stats": [["--json"], ["--format", "corefud"]],
    "convert": [["--from", "conll2012"], ["--to", "jsonlines"], ["--to", "corefud"]],
    "errors": [["--json"], ["--examples", "3"], ["--examples", "-1"]],
    "features": [["--mentions", "gold"], ["--mentions", "nowhere.jsonl"]],
    "synth": [["--documents", "2"], ["--seed", "x"], ["--documents", "-3"]],
}
ODD = ["", "-", "--", "--nothing", "nowhere.conll", ".", "out/x.conll", "\ud800", "x" * 300, "-1"]
TEXT = b"Ann saw \x1b[31mthe man\x07. \xc2\x9b2J She said so.\n"


def make(rng: random.Random) -> bytes:
    """A command, its arguments and two files of the working folder, as JSON."""
    command = rng.choice(list(OPTIONS))
    names = rng.sample(NAMES, 2)
    arguments = [name if rng.random() < 0.9 else rng.choice(ODD) for name in names]
    if command in ("stats", "features", "synth", "validate") and rng.random() < 0.7:
        arguments = arguments[:1]
    elif command == "convert":
        arguments[1] = rng.choice(["out.conll", "out.conllu", "out.jsonl.gz", arguments[1]])
    for option in rng.sample(OPTIONS[command], rng.randint(0, 2)):
        arguments += option
    if rng.random() < 0.2:
        arguments.insert(rng.randint(0, len(arguments)), rng.choice(ODD))
    fields = {"arguments": [command, *arguments]}
    for name in names:
        seeds = SEEDS.get(name.rpartition(".")[2], [TEXT])
        content = damaged(rng, seeds) if rng.random() < 0.5 else rng.choice(seeds)
        fields[name] = content.decode("latin-1")
    return json.dumps(fields).encode()


def check(case: bytes, folder: Path) -> None:
    """Runs the command in a folder of its own."""
    fields = json.loads(case)
    arguments = fields.pop("arguments", ["--help"])
    before = {name: content.encode("latin-1") for name, content in fields.items()}
    for name, content in before.items():
        (folder / name).write_bytes(content)
    arguments = [
        argument.encode(errors="surrogatepass").decode(errors="surrogateescape")
        for argument in arguments
    ]
    here = Path.cwd()
    os.chdir(folder)
    try:
        done = server().run(*arguments)
    finally:
        os.chdir(here)
    assert done.code in (0, 1, 2), f"exit code {done.code}: {done.err}"
    assert "Traceback" not in done.err, done.err
    for line in f"{done.out}\n{done.err}".split("\n"):
        plain = line.replace("\t", " ")
        assert all(c.isprintable() or ord(c) >= 0xA0 for c in plain), f"prints {line!a}"
    for name in before.keys() - _outputs(*arguments):
        assert (folder / name).read_bytes() == before[name], f"{name} was changed"
    assert not list(folder.rglob(".corelax-*")), "a temporary file is left"


def _outputs(command: str, *arguments: str) -> set[str]:
    """What a command may write to: an output is never its first argument, unless it has no input."""
    if command == "synth":
        return set(arguments)
    return set(arguments[1:]) - set(arguments[:1]) if command == "convert" else set()


# The first case starts the process that the others are forked from.
TARGET = Target(
    name="commands", suffix=".json", make=make, check=check, smaller=smaller_fields, seconds=180.0
)
