"""Trains stages of a recipe side by side on one GPU, those that do not need each other.

    python benchmarks/stages.py RECIPE --encoder FOLDER --data CORPORA --out RUNS [--stage NAME ...]
                                [--at-once 3] [--device cuda]

What each step of a recipe gives is a matter of many stages from the same start: RECIPE, a configuration of
the package or a TOML file, may have as many as one likes. Corpora are read once; a process is then forked
for each stage. A stage begins when those that it needs are there, leaves the model folder that `corelax
train` would leave, and is not repeated by the next command with the same folder. Its messages go to
RUNS/STAGE.log. At the end: the dev scores of each stage.
"""

from __future__ import annotations

import os

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # threads do not survive a fork

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from corelax.core.errors import CorelaxError
from corelax.core.text_table import format_table
from corelax.rankers.encoder.config import read_config
from corelax.train.encoder.recipe import read_recipe
from corelax.train.encoder.run import RecipeRun
from corelax.train.stage import train_stages
from corelax.train.workers import Workers

POLL = 0.2  # seconds


class SideBySide:
    """Forks a process for each stage.

    Args:
        run: What is trained; has read the corpora.
    """

    def __init__(self, run: RecipeRun) -> None:
        self._run, self._recipe, self._out = run, run.recipe, run.out

    def train(self, order: Sequence[str], at_once: int) -> dict[str, float]:
        """Trains stages; the seconds that each one took, of those that were finished."""
        waiting, running = list(order), dict[int, tuple[str, float]]()
        seconds: dict[str, float] = {}
        try:
            self._train(waiting, running, seconds, at_once)
        finally:
            for number in running:
                os.kill(number, signal.SIGTERM)
                os.waitpid(number, 0)
        return seconds

    def _train(
        self,
        waiting: list[str],
        running: dict[int, tuple[str, float]],
        seconds: dict[str, float],
        at_once: int,
    ) -> None:
        while waiting or running:
            ready = [name for name in waiting if self._needs(name) <= seconds.keys()]
            for name in ready[: at_once - len(running)]:
                waiting.remove(name)
                running[self._fork(name)] = name, time.monotonic()
            if not running:
                break  # what is left needs a stage that has failed
            time.sleep(POLL)
            number, status = os.waitpid(-1, os.WNOHANG)
            if number in running:
                name, began = running.pop(number)
                if os.waitstatus_to_exitcode(status) == 0:
                    seconds[name] = time.monotonic() - began
                    print(f"{name}: {seconds[name]:.0f} s", flush=True)
                else:
                    print(f"{name}: has failed; see {self._log(name)}", flush=True)

    def _needs(self, stage: str) -> set[str]:
        return set(self._recipe.order([stage])) - {stage}

    def _log(self, stage: str) -> Path:
        return self._out / f"{stage}.log"

    def _fork(self, stage: str) -> int:
        """The number of the process that trains a stage."""
        if number := os.fork():
            return number
        code = 1
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            log = os.open(self._log(stage), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(log, 1)
            os.dup2(log, 2)
            configs = [self._recipe.stages[name] for name in self._recipe.order([stage])]
            train_stages(configs, self._out, self._run.make_stage, resume=True, note=print)
            code = 0
        except BaseException as error:
            sys.excepthook(type(error), error, error.__traceback__)
        finally:
            sys.stdout.flush()
            os._exit(code)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recipe", metavar="RECIPE")
    parser.add_argument("--encoder", required=True, metavar="FOLDER")
    parser.add_argument("--data", required=True, type=Path, metavar="CORPORA")
    parser.add_argument("--out", required=True, type=Path, metavar="RUNS")
    parser.add_argument("--stage", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--at-once", type=int, default=3, metavar="N")
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    if options.at_once < 1:
        parser.error("--at-once must be at least 1")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # which ends the stages as well
    torch.set_num_threads(1)
    recipe = read_recipe(options.recipe)
    order = recipe.order(options.stage)
    run = RecipeRun(
        recipe=recipe,
        encoder=options.encoder,
        data=options.data,
        out=options.out,
        workers=Workers(device=options.device),
    )
    options.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    run.read_corpora(recipe.stages[name] for name in order)
    print(f"corpora: {time.monotonic() - began:.0f} s", flush=True)
    seconds = SideBySide(run).train(order, options.at_once)
    parts = [name for name, corpus in recipe.corpora.items() if corpus.dev]
    rows = []
    for name in order:
        if name in seconds:
            scores = read_config(options.out / name)["training"]["scores"]
            shown = [f"{100 * scores[part]['conll']:.2f}" for part in parts]
            rows.append([name, *shown, f"{seconds[name]:.0f}"])
    print(format_table(["stage", *parts, "seconds"], rows))
    if len(seconds) < len(order):
        sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except CorelaxError as error:
        sys.exit(f"stages.py: {error}")
