"""Two versions of corelax by turns on the same texts and cores: how many times as fast this one resolves.

    python benchmarks/resolve_against.py TREE [--model small] [--runtime int8] [--threads 2] [--rounds 8]

TREE is a checkout of the other version (`git worktree add TREE COMMIT`), with its models. Each version is a
process that stays; in each round both resolve the same synthetic texts, one after the other, so that a busy
machine slows down both. Printed are the best rounds, in tokens/s of the clock and for a second of processor
time, and the median over rounds of how many times as fast this version is. The first round is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from own_runs import texts_of

from corelax.core.text_table import format_table
from corelax.resolve import Resolver

HERE = Path(__file__).parents[1]
# Words of a text, and how many texts: a second or two for a round.
CASES = {50: 100, 200: 40, 1_000: 8, 10_000: 1}


def serve(folder: str, runtime: str, threads: int) -> None:
    """Resolves what standard input asks for, and prints seconds of the clock and of the processor."""
    resolver = Resolver.from_pretrained(folder, runtime=runtime, threads=threads)
    print("ready", flush=True)
    for line in sys.stdin:
        way, words, number = line.split()
        texts = texts_of(int(words), int(number))
        clock, processor = time.perf_counter(), time.process_time()
        if way == "one":
            for text in texts:
                resolver.resolve(text)
        else:
            list(resolver.pipe(texts))
        seconds = time.perf_counter() - clock, time.process_time() - processor
        print(json.dumps(seconds), flush=True)


class Version:
    """A process that runs the code of a tree.

    Args:
        tree: The checkout.
        options: Of the command.
    """

    def __init__(self, tree: Path, options: argparse.Namespace) -> None:
        model = tree / "models" / options.model / "src" / f"corelax_{options.model}"
        command = [sys.executable, str(Path(__file__).resolve()), str(tree), "--serve", str(model)]
        command += ["--runtime", options.runtime, "--threads", str(options.threads)]
        path = os.pathsep.join([str(tree / "src"), str(HERE / "benchmarks")])
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        self._line()

    def seconds(self, way: str, words: int, number: int) -> tuple[float, float]:
        """How long it takes to resolve some texts, by the clock and by the processor."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{way} {words} {number}\n")
        self._process.stdin.flush()
        clock, processor = json.loads(self._line())
        return clock, processor

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit("a version ended; what it wrote stands above")
        return line


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tree", type=Path, metavar="TREE")
    parser.add_argument("--model", default="small")
    parser.add_argument("--runtime", default="int8", choices=("onnx", "int8", "torch"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.runtime, options.threads)
        return
    versions = [Version(tree, options) for tree in (options.tree.resolve(), HERE)]
    rows = []
    for words, number in CASES.items():
        for way in ("one", "batched") if number > 1 else ("one",):
            rounds = [
                [version.seconds(way, words, number) for version in versions]
                for _ in range(options.rounds + 1)
            ][1:]
            best = [
                words * number / min(each[which][kind] for each in rounds)
                for kind in (0, 1)
                for which in (0, 1)
            ]
            gain = median(before[0] / now[0] for before, now in rounds)
            rows.append([f"{words:,}", way, *(f"{rate:,.0f}" for rate in best), f"{gain:.2f}"])
            print("  ".join(rows[-1]), file=sys.stderr, flush=True)
    for version in versions:
        version.close()
    head = ["tokens", "way", "TREE", "this", "TREE, CPU", "this, CPU", "times as fast"]
    print(format_table(head, rows))


if __name__ == "__main__":
    main()
