"""Shards, Ray and parallel scoring: what a second core brings, what Ray costs, whether memory stays flat.

    python benchmarks/scale.py [--documents 240] [--rounds 3] [--memory 100000] [--score-tokens 50000000]

"speed" resolves the same texts with one process, with two, and on a Ray of two cores, in turn and several
times, so that a busy machine slows all of them; what counts are the ratios of a round. A rate is documents
per second from the first finished shard of each worker to the last shard, without loading; the start is given
beside it. "memory" resolves many short texts and looks at the memory of all processes meanwhile. "score"
writes a pair of files and scores it with one process and with two. `--write docs/results/scale.json` keeps
the results beside what the file holds already, such as the speed of a GPU; `python scripts/scale_page.py`
makes the tables of docs/scale.md of it.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

from corelax.core.text_table import format_table
from corelax.scale import resolve_shards
from corelax.scale.folder import RunFolder
from corelax.scale.shards import cut_into_shards
from corelax.scale.worker import Part
from corelax.synthetic import Shape, generate

WORDS = 200  # of a text whose speed is measured
SHARD = 4  # documents: many shards, so that both workers have some until the end
SHORT = 12  # words of a text whose memory is measured
MIB = 1 << 20


def write_texts(path: Path, number: int, words: int) -> None:
    """Lines of JSON with a text of about `words` words each: sentences of synthetic documents."""
    documents = generate(20, seed=1, shape=Shape.conll2012().scaled(300))
    sentences = cycle([sentence for document in documents for sentence in document.sentences])
    with path.open("w", encoding="utf-8") as file:
        for each in range(number):
            text: list[str] = []
            while len(text) < words:
                text += next(sentences)
            file.write(json.dumps({"id": str(each), "text": " ".join(text)}) + "\n")


def timed(source: Path, out: Path, workers: int, **options: Any) -> dict[str, float]:
    """Documents per second of a run, and the seconds until its workers had their first shard."""
    began = time.perf_counter()
    times: list[float] = []

    def progress(done: int, _all: int, _names: object) -> None:
        if done:
            times.append(time.perf_counter() - began)

    report = resolve_shards(
        [str(source)], str(out), shard_size=SHARD, device="cpu", progress=progress, **options
    )
    rest = len(times) - workers
    return {
        "start": times[workers - 1],
        "rate": rest * SHARD / (times[-1] - times[workers - 1]),
        "seconds": times[-1],
        "words": report.words / report.documents,
        "bytes_in": source.stat().st_size / report.words,
        "bytes_out": sum(path.stat().st_size for path in out.glob("part-*")) / report.words,
    }


def measure_speed(folder: Path, documents: int, rounds: int) -> dict[str, Any]:
    source = folder / "speed.jsonl"
    write_texts(source, documents, WORDS)
    ways: dict[str, dict[str, Any]] = {"one": {"jobs": 1}, "two": {"jobs": 2}}
    if find_spec("ray") is not None:
        ways["ray"] = {"ray": "local", "jobs": 2}
    runs: list[dict[str, Any]] = []
    for number in range(rounds):
        of_round = {}
        for name, options in ways.items():
            workers = 1 if name == "one" else 2
            of_round[name] = timed(source, folder / f"{name}{number}", workers, **options)
            print(
                f"round {number + 1}, {name}: {of_round[name]['rate']:.2f} documents/s",
                file=sys.stderr,
            )
        runs.append(of_round)
    parts = {name: _parts(folder / f"{name}0") for name in ways}
    assert all(part == parts["one"] for part in parts.values())
    middle = {
        name: {key: median(run[name][key] for run in runs) for key in runs[0][name]}
        for name in ways
    }
    efficiency = {
        name: median(run[name]["rate"] / (2 * run["one"]["rate"]) for run in runs)
        for name in ways
        if name != "one"
    }
    result = {"documents": documents, "rounds": rounds, "ways": middle, "efficiency": efficiency}
    if "ray" in ways:
        result["ray_ms_per_document"] = median(
            1000 * (1 / run["ray"]["rate"] - 1 / run["two"]["rate"]) for run in runs
        )
    return result


def _parts(out: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(out.glob("part-*"))]


def measure_driver(folder: Path) -> dict[str, Any]:
    """How fast the one process that cuts inputs and writes parts is, in MB/s."""
    source = folder / "driver.jsonl"
    write_texts(source, 50_000, WORDS)
    size = source.stat().st_size / 1e6
    began = time.perf_counter()
    shards = list(cut_into_shards({str(source): source.stat().st_size}, documents=500))
    cut = time.perf_counter()
    out = RunFolder(str(folder / "out"), "rows")
    part = Part(bytes(4_000_000), 500, 100_000, ())
    for number in range(25):
        out.save(number, pickle.loads(pickle.dumps(part)))
    ended = time.perf_counter()
    return {"shards": len(shards), "cut": size / (cut - began), "write": 100 / (ended - cut)}


def memory_of_all() -> int:
    """Bytes that this process and its children hold."""
    own = os.getpid()
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    mine = [own, *(number for number, parent in parents.items() if parent == own)]
    total = 0
    for number in mine:
        try:
            total += int(Path(f"/proc/{number}/statm").read_text().split()[1])
        except OSError:
            continue
    return total * resource.getpagesize()


def measure_memory(folder: Path, documents: int, jobs: int) -> dict[str, Any]:
    source = folder / "memory.jsonl"
    write_texts(source, documents, SHORT)
    samples: list[tuple[int, float]] = []
    began = time.perf_counter()

    def progress(done: int, wanted: int, _names: object) -> None:
        samples.append((documents * done // wanted, memory_of_all() / MIB))

    resolve_shards(
        [str(source)], str(folder / "memory"), shard_size=500, device="cpu", jobs=jobs, batch_size=32,
        progress=progress,
    )  # fmt: skip
    seconds = time.perf_counter() - began
    later = [(done, size) for done, size in samples if done >= documents * 0.1]
    tenths = [_nearest(samples, documents * share / 10) for share in range(1, 11)]
    return {
        "documents": documents,
        "jobs": jobs,
        "seconds": seconds,
        "mib": [round(size, 1) for size in tenths],
        "mib_per_10000": 10_000 * _slope(later),
    }


def _nearest(samples: list[tuple[int, float]], place: float) -> float:
    return min(samples, key=lambda sample: abs(sample[0] - place))[1]


def _slope(samples: list[tuple[int, float]]) -> float:
    """The slope of the straight line through the samples."""
    x = sum(sample[0] for sample in samples) / len(samples)
    y = sum(sample[1] for sample in samples) / len(samples)
    above = sum((a - x) * (b - y) for a, b in samples)
    return above / (sum((a - x) ** 2 for a, _ in samples) or 1)


def write_pair(folder: Path, tokens: int) -> tuple[Path, Path, int]:
    """A pair of jsonlines files: the same synthetic documents again and again, under new names."""
    documents = list(generate(200, seed=1, shape=Shape.conll2012().scaled(60)))
    lines: list[tuple[int, str, str]] = []
    for doc in documents:
        sentences = [list(sentence) for sentence in doc.sentences]
        clusters = [[[m.start, m.end - 1] for m in c] for c in doc.clusters]
        system = [cluster[: max(1, len(cluster) - 1)] for cluster in clusters if len(cluster) > 1]
        ours, theirs = (
            json.dumps({"sentences": sentences, "clusters": each})[1:]
            for each in (clusters, system)
        )
        lines.append((len(doc.words), ours, theirs))
    written = number = 0
    paths = folder / f"gold{tokens}.jsonl", folder / f"system{tokens}.jsonl"
    with paths[0].open("w") as gold, paths[1].open("w") as answers:
        for size, ours, theirs in cycle(lines):
            if written >= tokens:
                break
            gold.write(f'{{"doc_key": "d{number}", {ours}\n')
            answers.write(f'{{"doc_key": "d{number}", {theirs}\n')
            written += size
            number += 1
    return *paths, number


SCORE = """
import json, sys, time
from corelax.metrics import score_files
if __name__ == "__main__":
    began = time.perf_counter()
    report = score_files(gold=sys.argv[1], system=sys.argv[2])
    [line] = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
    print(json.dumps({"seconds": time.perf_counter() - began, "conll": report.conll,
                      "mib": int(line.split()[1]) / 1024}))
"""


def measure_score(folder: Path, tokens: int) -> dict[str, Any]:
    script = folder / "score.py"
    script.write_text(SCORE)
    results = []
    for size in sorted({tokens // 10, tokens // 3, tokens}):
        gold, system, documents = write_pair(folder, size)
        row: dict[str, Any] = {"tokens": size, "documents": documents, "bytes": gold.stat().st_size}
        command = list(map(str, [sys.executable, script, gold, system]))
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        row |= json.loads(answer.stdout)
        print(f"score {size:,} tokens: {row}", file=sys.stderr)
        results.append(row)
        gold.unlink()
        system.unlink()
    return {"sizes": results}


def tables(results: dict[str, Any]) -> Iterator[str]:
    if speed := results.get("speed"):
        rows = [
            [name, f"{way['rate']:.2f}", f"{way['rate'] * way['words']:,.0f}", f"{way['start']:.1f} s",
             f"{speed['efficiency'][name]:.0%}" if name in speed["efficiency"] else ""]
            for name, way in speed["ways"].items()
        ]  # fmt: skip
        yield format_table(["", "documents/s", "words/s", "start", "efficiency"], rows)
        if "ray_ms_per_document" in speed:
            yield f"Ray over two processes: {speed['ray_ms_per_document']:+.1f} ms a document"
    if driver := results.get("driver"):
        yield f"driver: cuts {driver['cut']:,.0f} MB/s, writes {driver['write']:,.0f} MB/s"
    if memory := results.get("memory"):
        yield f"memory over {memory['documents']:,} documents, MiB at each tenth: {memory['mib']}"
        yield f"slope: {memory['mib_per_10000']:+.2f} MiB for 10,000 documents"
    for row in results.get("score", {}).get("sizes", []):
        yield (
            f"score {row['tokens']:,} tokens: {row['seconds']:.1f} s, "
            f"{row['tokens'] / row['seconds']:,.0f} tokens/s, {row['mib']:.0f} MiB"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--documents", type=int, default=240, help="texts of 200 words; 0 leaves it out"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", type=int, default=100_000, help="short texts; 0 leaves it out")
    parser.add_argument("--jobs", type=int, default=2, help="processes of the memory run")
    parser.add_argument("--score-tokens", type=int, default=50_000_000, help="0 leaves it out")
    parser.add_argument("--write", type=Path, help="JSON file; parts that were left out stay in it")
    arguments = parser.parse_args()
    parts: dict[str, Callable[[Path], dict[str, Any]] | None] = {
        "speed": arguments.documents
        and (lambda folder: measure_speed(folder, arguments.documents, arguments.rounds)),
        "memory": arguments.memory
        and (lambda folder: measure_memory(folder, arguments.memory, arguments.jobs)),
        "driver": arguments.documents and measure_driver,
        "score": arguments.score_tokens
        and (lambda folder: measure_score(folder, arguments.score_tokens)),
    }
    results: dict[str, Any] = {}
    if arguments.write is not None and arguments.write.exists():
        results = json.loads(arguments.write.read_text())
    for name, part in parts.items():
        if part:
            with tempfile.TemporaryDirectory() as folder:
                before = os.getloadavg()[0]
                results[name] = part(Path(folder)) | {
                    "cores": os.cpu_count(),
                    "load_before": round(before, 1),
                    "python": platform.python_version(),
                }
            if arguments.write is not None:
                text = json.dumps(results, indent=1) + "\n"
                arguments.write.write_text(text)
    print("\n".join(tables(results)))


if __name__ == "__main__":
    main()
