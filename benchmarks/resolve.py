"""Tokens per second and peak memory of the resolver, from raw text to entities, beside other resolvers.

    python benchmarks/resolve.py [--models small base] [--sizes 50 200 1000 10000 100000] [--peers FOLDER]
                                 [--device cpu|cuda] [--threads 2] [--seconds 20]

Texts are synthetic. "one" resolves text after text, "batched" uses `pipe`, each by onnxruntime in four-byte
numbers ("onnx") and in bytes ("int8"), by corelax-kernels in bytes ("kernels"), and by torch; "jobs" is
`pipe` with four processes, for a GPU.
"plain" is what they are compared with: the network applied by torch to a whole document, with all pairs of
the best spans, no likely mentions singled out, nothing cut into blocks (only up to a length at which that
takes a few GB). `--peers` adds fastcoref and maverick-coref with random weights, each in an environment of
its own below FOLDER, which is made if it is not there (`peer_models.py` says what is real about them).

Every figure comes from a process of its own that resolves texts of equal length for about S seconds; there is
one process for each peer, and for each model on a GPU. "CPU" is tokens for a second of processor time, over
all threads, which a busy machine disturbs less than the clock. Memory is the peak while texts are resolved:
of the process, and of ours also beyond the loaded model, beside the bound that `Resolver.memory_bound` gives
beforehand. "network" is the share of the processor time that onnxruntime takes. A text that takes more than
`--limit` seconds of processor time or more than 8 GB is given up, and the table says why.

The second table has processes that resolve one line, with time, processor time and memory. The third
compares the network with what its operations need: floating-point operations for a token (matrix
products of a text of 1,000 tokens, counted by torch) over the rate of a large product on this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import peers
from own_runs import (
    IN_PROCESSES,
    STARTUP,
    WAYS,
    NetworkClock,
    measure,
    operations,
    texts_of,
    words_of,
)

from corelax.core.text_table import format_table
from corelax.rankers.encoder.kernels import SWITCH, have_kernels
from corelax.resolve import Resolver

SIZES = (50, 200, 1_000, 10_000, 100_000)
RUNTIMES = ("onnx", "int8", "kernels", "torch")
PLAIN = 10_000  # words; all pairs of a longer text take too much memory
RUNS = 2


def systems(options: argparse.Namespace) -> list[str]:
    """What is compared: "small onnx", "base torch", "fcoref" and so on."""
    runtimes = options.runtimes or (RUNTIMES if options.device == "cpu" else ("torch",))
    if not options.runtimes and not have_kernels():
        runtimes = tuple(runtime for runtime in runtimes if runtime != "kernels")
    ours = [f"{model} {runtime}" for model, runtime in product(options.models, runtimes)]
    return [*ours, *(options.systems if options.peers else ())]


def figures_of(
    system: str, cases: list[tuple[int, str]], options: argparse.Namespace
) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """(words, way, figures or `why` there are none) of a system."""
    if system in peers.PEERS:
        cases = [(words, way) for words, way in cases if way != "plain"]
        if system == "maverick":  # takes one text at a time
            cases = [(words, way) for words, way in cases if way == "one"]
        warm = [words_of(text) for text in texts_of(50, 1, seed=2)]
        job = {"warm": warm, "threads": options.threads}
        job |= {"seconds": options.seconds, "limit": options.limit}
        wanted = [
            {"way": way, "texts": [words_of(text) for text in texts_of(words, _number(words))]}
            for words, way in cases
        ]
        figures = peers.measure(options.peers, system, job, wanted)
        yield from ((*case, found) for case, found in zip(cases, figures, strict=True))
        return
    cases = [
        (words, way)
        for words, way in cases
        if way != "plain" or (words <= PLAIN and system.endswith("torch"))
    ]
    if options.device == "cpu":
        yield from (
            (*case, _own(options, case[1], *system.split(), str(case[0]))) for case in cases
        )
    else:
        resolver = loaded(options, *system.split())
        yield from ((*case, measured(options, resolver, None, *case)) for case in cases)


def _number(words: int) -> int:
    return max(1, 20_000 // words)


def print_speeds(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """The first table; returns the figures at 1,000 tokens, one by one."""
    rows, kept = [], {}
    cases = [  # a single text makes no batch
        (words, way)
        for words, way in product(options.sizes, options.ways)
        if way not in ("batched", IN_PROCESSES) or _number(words) > 1
    ]
    for system in systems(options):
        for words, way, figures in figures_of(system, cases, options):
            cells = [figures.get("why", ""), "", "", "", "", ""]
            if "why" not in figures:
                cells[:3] = [f"{figures[name]:,.0f}" for name in ("speed", "busy", "memory")]
                if "bound" in figures:
                    cells[3:5] = [f"{figures[name]:,.0f}" for name in ("beyond", "bound")]
                if "network" in figures:
                    cells[5] = f"{figures['network']:.0%}"
                if words == 1_000 and way == "one":
                    kept[system] = figures
            rows.append([system, f"{words:,}", way, *cells])
            print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    header = ["system", "tokens", "way", "tokens/s", "CPU", "peak MB", "beyond", "bound", "network"]
    if rows:
        print(format_table(header, rows))
    return kept


def print_startup(options: argparse.Namespace) -> None:
    """The second table: a new process that resolves one line, the best of a few."""
    rows = []
    for system in systems(options):
        runs = []
        for _ in range(RUNS):
            began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            if system in peers.PEERS:
                memory = peers.first_result(options.peers, system)
            else:
                model, runtime = system.split()
                command = [sys.executable, "-c", STARTUP, model, switched(runtime)]
                done = subprocess.run(command, check=True, capture_output=True)
                memory = json.loads(done.stdout)["memory"]
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            runs.append((busy, time.perf_counter() - began, memory))
        busy, seconds, memory = min(runs)
        rows.append([system, f"{seconds:.1f} s", f"{busy:.1f} s", f"{memory:,.0f}"])
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    print()
    print(format_table(["system", "start to exit", "CPU", "peak MB"], rows))


def print_floor(options: argparse.Namespace, speeds: dict[str, dict[str, Any]]) -> None:
    """The third table."""
    rows = []
    for model in options.models:
        if "network" not in speeds.get(f"{model} onnx", {}):
            continue
        counted = _own(options, "operations", model, "torch", "1000")
        figures = speeds[f"{model} onnx"]
        network, floor = figures["busy"] / figures["network"], counted["rate"] / counted["each"]
        operations = [f"{counted['each'] / 1e6:.0f} M", f"{counted['rate'] / 1e9:.0f} G"]
        speed = [f"{figures['busy']:,.0f}", f"{network:,.0f}", f"{floor:,.0f}"]
        rows.append([model, *operations, *speed, f"{network / floor:.0%}"])
    header = ["model", "operations a token", "operations a CPU s", "tokens a CPU s"]
    if rows:
        print()
        print(format_table([*header, "network alone", "floor", "network reaches"], rows))


def _own(options: argparse.Namespace, way: str, *system: str) -> dict[str, Any]:
    command = [sys.executable, __file__, "--single", way, *system]
    for name in ("device", "threads", "seconds", "limit"):
        command += [f"--{name}", str(getattr(options, name))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode < 0:
        return {"why": f"more than {options.limit:.0f} s of processor time"}
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    return dict(json.loads(done.stdout))


def single(options: argparse.Namespace) -> None:
    """What a process of its own does."""
    way, model, runtime, words = options.single
    if way == "operations":
        print(json.dumps(operations(model, options.threads)))
        return
    resolver = loaded(options, model, runtime)
    clock = NetworkClock() if runtime == "onnx" else None
    print(json.dumps(measured(options, resolver, clock, int(words), way)))


def loaded(options: argparse.Namespace, model: str, runtime: str) -> Resolver:
    """A model of ours."""
    return Resolver.from_pretrained(
        model, device=options.device, runtime=switched(runtime), threads=options.threads
    )


def switched(runtime: str) -> str:
    """The runtime as corelax knows it; processes started from here on use kernels or not."""
    os.environ[SWITCH] = "1" if runtime == "kernels" else "0"
    return "int8" if runtime == "kernels" else runtime


def measured(
    options: argparse.Namespace,
    resolver: Resolver,
    clock: NetworkClock | None,
    words: int,
    way: str,
) -> dict[str, Any]:
    """Figures of a way, in this process."""
    return measure(resolver, clock, way, words, options.device, options.seconds, options.limit)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--models", nargs="*", default=["small"], help="Folders or names.")
    parser.add_argument("--ways", nargs="+", choices=[*WAYS, IN_PROCESSES], default=list(WAYS))
    parser.add_argument("--runtimes", nargs="+", choices=RUNTIMES, default=None)
    parser.add_argument("--peers", type=Path, help="A folder for the environments of others.")
    parser.add_argument("--systems", nargs="*", choices=peers.PEERS, default=peers.PEERS)
    parser.add_argument("--seconds", type=float, default=20, help="For each figure.")
    parser.add_argument("--limit", type=float, default=240, help="Processor seconds for a text.")
    parser.add_argument("--single", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.single:
        single(options)
        return
    if options.peers:
        peers.prepare(options.peers, options.systems, words_of(texts_of(200, 1)[0]))
    speeds = print_speeds(options)
    if options.device == "cpu":
        print_startup(options)
        print_floor(options, speeds)


if __name__ == "__main__":
    main()
