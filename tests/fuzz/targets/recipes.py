"""Damaged recipes: stages in an order, or an error of one line."""

from __future__ import annotations

import random
import re
from pathlib import Path

from corelax import CorelaxError
from corelax.train.configuration import ENCODER, PRESETS_FOLDER, read_configuration
from corelax.train.encoder.recipe import read_recipe
from corelax.train.sparse.presets import stage_chain
from tests.fuzz.mutate import damaged
from tests.fuzz.target import Target
from tests.fuzz.targets.readers import check_message

SEEDS = [path.read_bytes() for path in sorted(PRESETS_FOLDER.glob("*.toml"))]
EXTENDING = b"""\
extends = "lea"

[stages.mine]
like = "lea"
start = ["baseline"]
costs = [0.1, 3, 1]
"""
VALUES = [
    *(b"0", b"-1", b"1e400", b"nan", b"inf", b'""', b'"x"', b"true", b"[]", b"[[]]", b"{}"),
    *(b"99999999999999999999", b"[0.1, 3]", b"2020-01-01", b'"../x"', b'"\\u0000"', b'["a", 1]'),
    *(b'"1000000000*ontogum"', b'"0*gum"', b"{x = 1}", b"[" * 200 + b"]" * 200),
]


def make(rng: random.Random) -> bytes:
    """A shipped recipe with values replaced, sections shuffled, or lines and bytes damaged."""
    text = rng.choice([*SEEDS, EXTENDING])
    if rng.random() < 0.4:
        sections = re.split(rb"(?m)^(?=\[)", text)
        text = b"".join(rng.sample(sections, rng.randint(1, len(sections))))
    for _ in range(rng.randint(1, 3)):
        lines = list(re.finditer(rb"(?m)^(\w+ = )(.*)$", text))
        if lines:
            line = rng.choice(lines)
            text = text[: line.start(2)] + rng.choice(VALUES) + text[line.end(2) :]
    return damaged(rng, [text]) if rng.random() < 0.4 else text


def check(case: bytes, folder: Path) -> None:
    """Reads the recipe as far as training would before it opens a corpus."""
    path = folder / "case.toml"
    path.write_bytes(case)
    try:
        config = read_configuration(path)
        if config.kind == ENCODER:
            read_recipe(config).order()
        else:
            stage_chain(config, {})
    except CorelaxError as error:
        check_message(error)


TARGET = Target(name="recipes", suffix=".toml", make=make, check=check)
