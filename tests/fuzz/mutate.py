"""Accidents that happen to files: lines moved, bytes lost, cells copied, numbers changed."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

INSERTED = [
    *(b"\n", b"\n\n", b"\r", b"\t", b" ", b"\x00", b"\x0b", b"\x0c", b"\xff", b"\x80", b"\\n"),
    *(b"\xef\xbb\xbf", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xc2\x85", b"\xd9\xa3", b"\\u0000"),
    *(b"\x1b[2J", b"\xe2\x80\xae", b"\\ud800", b"\xf0\x9f\x98\x80", b"#begin document (d);"),
    *b'|(-)-_-*-#-0-9-00-=-[-]-[1/2]-[1/1]-0.1-1-2-,-"-{-}-null-Entity=-#end document'.split(b"-"),
]
NUMBERS = [b"0", b"-1", b"1", b"2", b"999999999", b"1" * 30, b"1e999", b"NaN", b"0.5", b"-0"]
ODD_VALUES = [None, True, 0, -1, 1.5, 10**30, float("nan"), "", "x", "\ud800", [], [[]], {}, "DEEP"]
DEEP = ["[" * depth + "]" * depth for depth in (90, 900, 980, 985, 990, 995, 5000)]


def damaged(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """One of the seeds after one to six small accidents."""
    text = rng.choice(seeds)
    for _ in range(rng.randint(1, 6)):
        text = rng.choice(ACCIDENTS)(rng, text)
    return text


def change_lines(rng: random.Random, text: bytes) -> bytes:
    """A line is lost, doubled, moved or repeated often."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    here, there = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            del lines[here]
        case 1:
            lines.insert(here, lines[here])
        case 2:
            lines[here], lines[there] = lines[there], lines[here]
        case 3:
            lines.insert(there, lines[here])
        case 4:
            lines[here:here] = [lines[there]] * rng.choice([3, 30, 120])
    return b"".join(lines)


def change_bytes(rng: random.Random, text: bytes) -> bytes:
    """A few bytes are replaced."""
    here, size = rng.randint(0, len(text)), rng.randint(0, 3)
    new = rng.choice([b"", rng.choice(INSERTED), rng.randbytes(rng.randint(1, 2))])
    return text[:here] + new + text[here + size :]


def change_characters(rng: random.Random, text: bytes) -> bytes:
    """A few characters are replaced by others of the text."""
    characters = text.decode(errors="ignore")
    here, there = rng.randint(0, len(characters)), rng.randint(0, len(characters))
    copied = characters[there : there + rng.randint(0, 6)]
    return (characters[:here] + copied + characters[here + rng.randint(0, 6) :]).encode()


def change_number(rng: random.Random, text: bytes) -> bytes:
    """A number becomes another one."""
    numbers = list(re.finditer(rb"\d+", text))
    if not numbers:
        return text
    match = rng.choice(numbers)
    return text[: match.start()] + rng.choice(NUMBERS) + text[match.end() :]


def change_value(rng: random.Random, text: bytes) -> bytes:
    """A value in a line of JSON becomes another one; other lines stay as they are."""
    lines = text.splitlines(keepends=True)
    try:
        here = rng.randrange(len(lines))
        content = json.loads(lines[here])
    except (ValueError, RecursionError):
        return text
    if not isinstance(content, dict | list):
        return text
    holder: Any = content
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            return text
        key = rng.choice(keys)
        if not isinstance(holder[key], dict | list) or rng.random() < 0.3:
            break
        holder = holder[key]
    holder[key] = rng.choice(ODD_VALUES)
    lines[here] = json.dumps(content).replace('"DEEP"', rng.choice(DEEP)).encode() + b"\n"
    return b"".join(lines)


def cut(rng: random.Random, text: bytes) -> bytes:
    """The end is lost."""
    return text[: rng.randint(0, len(text))]


ACCIDENTS: list[Callable[[random.Random, bytes], bytes]] = [
    *([change_lines] * 4),
    *([change_bytes] * 4),
    *([change_characters] * 4),
    *([change_number] * 2),
    *([change_value] * 3),
    cut,
]
