"""The functions that six jobs enter, recorded from runs and written into docs/architecture.md.

    python scripts/walks.py          # writes the page; needs the models and torch
    python scripts/walks.py --print  # only prints

Of each job the top levels are shown: a function stands below the one that entered it first, if at least
`SHARE` of all functions were entered in it. Calls that people repeat are recorded the second time.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "corelax"
PAGE = ROOT / "docs" / "architecture.md"
START, END = "<!-- walks -->\n", "<!-- end of walks -->"
SHARE, DEEPEST = 0.07, 8


@dataclass
class Entered:
    """A function that was entered, and those that it entered first."""

    name: str = ""
    file: str = ""
    inside: list[Entered] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many functions were entered in it, itself among them."""
        return 1 + sum(each.size for each in self.inside)


@contextmanager
def recorded() -> Iterator[Entered]:
    """Records the functions of corelax that this thread enters, each below the one that entered it first."""
    top = Entered()
    known: dict[CodeType, Entered] = {}

    def profile(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code in known or not _is_function(code):
            return
        caller = frame.f_back
        while caller is not None and caller.f_code not in known:
            caller = caller.f_back
        place = known[caller.f_code] if caller is not None else top
        file = str(Path(code.co_filename).relative_to(SOURCE))
        known[code] = Entered(code.co_qualname.replace(".<locals>", ""), file)
        place.inside.append(known[code])

    sys.setprofile(profile)
    try:
        yield top
    finally:
        sys.setprofile(None)


def _is_function(code: CodeType) -> bool:
    """Whether code is a function of corelax, not the body of a class, module or comprehension."""
    return (
        code.co_filename.startswith(str(SOURCE))
        and bool(code.co_flags & inspect.CO_NEWLOCALS)
        and "<" not in code.co_name
    )


def command(*words: object) -> None:
    """Runs a command of corelax in this process."""
    from corelax.cli import main

    sys.argv = ["corelax", *map(str, words)]
    quiet = StringIO()
    with redirect_stdout(quiet), redirect_stderr(quiet):
        try:
            main()
        except SystemExit as end:
            if end.code not in (0, None):
                raise RuntimeError(f"{words[0]} failed: {quiet.getvalue()[-500:]}") from None


def score(_: Path) -> Callable[[], object]:
    """Two files, in Python."""
    import corelax

    gold, system = (ROOT / "examples" / "data" / f"{name}.conll" for name in ("gold", "system"))
    return lambda: str(corelax.score(gold=corelax.read(gold), system=corelax.read(system)))


def compare(_: Path) -> Callable[[], object]:
    """Two systems."""
    gold, system = (ROOT / "examples" / "data" / f"{name}.conll" for name in ("gold", "system"))
    return lambda: command("compare", gold, system, gold)


def resolve(_: Path) -> Callable[[], object]:
    """One text, light runtime."""
    from corelax import Resolver

    resolver = Resolver.from_pretrained("small")
    return lambda: resolver.resolve("Marie Curie moved to Paris. She studied there.").as_dict()


def loss(_: Path) -> Callable[[], object]:
    """A loss and its gradient."""
    import torch

    from corelax.losses import metric_loss

    scores, gold = torch.randn(20, 20, requires_grad=True), torch.randint(0, 6, (20,))
    return lambda: metric_loss(scores, gold, "lea").backward()


def train(folder: Path) -> Callable[[], object]:
    """The paper's ranker, trained on LEA."""
    train, dev = folder / "train.conll", folder / "dev.conll"
    command("synth", train, "--documents", 6, "--mentions", 25, "--seed", 1)
    command("synth", dev, "--documents", 3, "--mentions", 25, "--seed", 2)
    options = ["--train", train, "--dev", dev, "--config", "lea", "--set", "epochs=1"]
    return lambda: command("train", *options, "--out", folder / "run", "--device", "cpu")


def reproduce(folder: Path) -> Callable[[], object]:
    """The quick study."""
    options = ["--quick", "--seeds", 1, "--workers", 1, "--device", "cpu"]
    return lambda: command("reproduce", *options, "--out", folder / "study")


# Title, how to start it, whether it is run once before, and what a reader would type.
JOBS = (
    ("Score two files", score, True, "corelax.score(gold=corelax.read(…), system=corelax.read(…))"),
    ("Compare systems", compare, True, "corelax compare GOLD A B"),
    ("Resolve a text", resolve, True, "resolver.resolve(text).as_dict()"),
    ("A relaxed metric as a loss", loss, True, 'metric_loss(scores, gold, "lea").backward()'),
    ("Train the paper's ranker on a metric", train, False, "corelax train --config lea …"),
    ("Reproduce the paper", reproduce, False, "corelax reproduce --quick"),
)


def walk(title: str, start: Callable[[Path], Callable[[], object]], warm: bool, typed: str) -> str:
    """The section of a job."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CORELAX_CACHE"] = str(Path(folder, "cache"))
        run = start(Path(folder))
        if warm:
            run()
        with recorded() as top:
            run()
    files = {each.file for each in _all(top)}
    lines = [
        f"### {title}",
        "",
        f"`{typed}` enters {top.size - 1} functions in {len(files)} files.",
        "",
    ]
    lines += _shown(top, 0, least=max(5, round(SHARE * (top.size - 1))))
    return "\n".join(lines) + "\n"


def _all(entered: Entered) -> Iterator[Entered]:
    for each in entered.inside:
        yield each
        yield from _all(each)


def _shown(entered: Entered, level: int, least: int) -> list[str]:
    lines = []
    for each in entered.inside:
        if each.size >= least and level < DEEPEST:
            lines.append(f"{'  ' * level}- `{each.file}` `{each.name}` ({each.size})")
            lines += _shown(each, level + 1, least)
    return lines


def main() -> None:
    """Records every job in a process of its own, so that none finds what another has loaded."""
    if len(sys.argv) == 3:
        print(walk(*JOBS[int(sys.argv[2])]))
        return
    sections = [
        subprocess.run(
            [sys.executable, __file__, "--job", str(number)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number in range(len(JOBS))
    ]
    text = "\n".join(section.strip() + "\n" for section in sections)
    if "--print" in sys.argv:
        print(text)
        return
    page = PAGE.read_text(encoding="utf-8")
    page = re.sub(f"{START}.*{END}", lambda _: f"{START}\n{text}\n{END}", page, flags=re.S)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
