"""Tokens per second and peak memory of the resolver, from raw text to entities.

    python benchmarks/resolve.py [--device cpu|cuda] [--threads 2] [--sizes 200 1000 10000 100000]

Texts are synthetic. "one" resolves text after text, "batched" uses `pipe`, each by onnxruntime and by torch.
"plain" is what they are compared with: the network applied by torch to a whole document, with all pairs of
the best spans, no likely mentions singled out, nothing cut into blocks (only up to a length at which that
takes a few GB). Memory is what a fresh process takes beyond the loaded model, beside the bound that
`Resolver.memory_bound` gives beforehand. The second table is about a process that resolves one line: seconds
and memory from its start to its exit, and how much of it the runtime, the weights and the text take.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import cycle, product

from corelax.core.text_table import format_table
from corelax.resolve import Resolver
from corelax.synthetic import Shape, generate
from corelax.text import document_of

SIZES = (200, 1_000, 10_000, 100_000)
# Resolved for each figure, in texts of equal length:
LEAST_WORDS = {"cpu": 6_000, "cuda": 200_000}
RUNTIMES = ("onnx", "torch")
PLAIN = 10_000  # words; all pairs of a longer text take too much memory
BATCH = {"cpu": 8, "cuda": 256}


def texts_of(words: int, number: int, seed: int = 1) -> list[str]:
    """Raw texts of about `words` words each: the sentences of synthetic documents, repeated."""
    documents = generate(20, seed=seed, shape=Shape.conll2012().scaled(300))
    sentences = cycle([sentence for document in documents for sentence in document.sentences])
    texts = []
    for _ in range(number):
        lines: list[str] = []
        size = 0
        while size < words:
            sentence = next(sentences)
            lines.append(" ".join(sentence))
            size += len(sentence)
        texts.append("\n".join(lines))
    return texts


STARTUP = """
import json, resource, sys, time
began = time.perf_counter()
from corelax.resolve import Resolver
resolver = Resolver.from_pretrained(sys.argv[1], device="cpu", runtime=sys.argv[2])
loaded = time.perf_counter()
resolver.resolve("Marie Curie moved to Paris. She studied there, and it became her home.")
ended = time.perf_counter()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"loading": loaded - began, "resolving": ended - loaded, "memory": peak}))
"""
RUNS = 5


def startup(model: str, runtime: str) -> dict[str, float]:
    """A new process that resolves one line: the best of a few."""
    runs = []
    for _ in range(RUNS):
        began = time.perf_counter()
        command = [sys.executable, "-c", STARTUP, model, runtime]
        done = subprocess.run(command, check=True, capture_output=True)
        runs.append({"whole": time.perf_counter() - began, **json.loads(done.stdout)})
    return min(runs, key=lambda run: run["whole"])


def one_by_one(resolver: Resolver, texts: list[str], _batch: int) -> Iterator[object]:
    yield from (resolver.resolve(text) for text in texts)


def batched(resolver: Resolver, texts: list[str], batch: int) -> Iterator[object]:
    yield from resolver.pipe(texts, batch_size=batch)


def plain(resolver: Resolver, texts: list[str], _batch: int) -> Iterator[object]:
    import torch

    from corelax.rankers.encoder import EncoderModel

    if not isinstance(resolver.model, EncoderModel):
        raise TypeError("torch is needed")
    ranker = resolver.model.ranker
    for text in texts:
        windows = resolver.model.windows(document_of(text))
        kind = ranker.device.type
        with (
            torch.inference_mode(),
            torch.autocast(kind, dtype=torch.bfloat16, enabled=kind == "cuda"),
        ):
            yield ranker([windows], [0]).antecedent_scores.argmax(-1).cpu()


WAYS: dict[str, Callable[[Resolver, list[str], int], Iterator[object]]] = {
    "plain": plain,
    "one": one_by_one,
    "batched": batched,
}


def measure(
    way: str, runtime: str, words: int, device: str, model: str, threads: int
) -> dict[str, float]:
    """In this process: speed, and memory beyond the model."""
    resolver = Resolver.from_pretrained(model, device=device, runtime=runtime, threads=threads)
    number = max(1, LEAST_WORDS[device] // words) if way != "plain" else 3
    texts = texts_of(words, number)
    tokens = sum(len(document_of(text).words) for text in texts)
    batch = min(BATCH[device], max(1, 4 * BATCH[device] * SIZES[0] // words))
    list(WAYS[way](resolver, texts_of(200, 2, seed=2), batch))  # warm up
    before = _memory(device, reset=True)
    began = time.perf_counter()
    resolved = sum(1 for _ in WAYS[way](resolver, texts, batch))
    if device == "cuda":
        import torch

        torch.cuda.synchronize()
    seconds = time.perf_counter() - began
    if resolved != number:
        raise RuntimeError(f"{resolved} of {number} texts were resolved")
    longest = max(len(document_of(text).words) for text in texts)
    return {
        "speed": tokens / seconds,
        "memory": _memory(device) - before,
        "bound": resolver.memory_bound(longest) / 2**20,
    }


def _memory(device: str, *, reset: bool = False) -> float:
    """Peak memory in MB."""
    if device == "cuda":
        import torch

        if reset:
            torch.cuda.reset_peak_memory_stats()
        return torch.cuda.max_memory_allocated() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--model", default="small", help="A model folder or a name.")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--runtimes", nargs="+", choices=RUNTIMES, default=None)
    parser.add_argument("--single", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.single:
        way, runtime, words = options.single
        device, model, threads = options.device, options.model, options.threads
        print(json.dumps(measure(way, runtime, int(words), device, model, threads)))
        return
    runtimes = options.runtimes or (RUNTIMES if options.device == "cpu" else ("torch",))
    rows = []
    for words in options.sizes:
        base = None
        for way, runtime in product(options.ways, runtimes):
            if way == "plain" and (words > PLAIN or runtime != "torch"):
                continue
            command = [sys.executable, __file__, "--single", way, runtime, str(words)]
            command += ["--device", options.device, "--threads", str(options.threads)]
            command += ["--model", options.model]
            figures = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            base = base or figures["speed"]
            ratio = f"{figures['speed'] / base:.1f}×" if "plain" in options.ways else ""
            cells = [way, runtime, f"{figures['speed']:,.0f}", ratio if words <= PLAIN else ""]
            bound = f"{figures['bound']:,.0f}" if way == "one" else ""
            rows.append([f"{words:,}", *cells, f"{figures['memory']:,.0f}", bound])
            print(*rows[-1], file=sys.stderr)
    header = ["tokens", "way", "runtime", "tokens/s", "to plain", "peak MB", "bound MB"]
    print(format_table(header, rows))
    if options.device == "cpu":
        rows = []
        for runtime in runtimes:
            run = startup(options.model, runtime)
            seconds = [f"{run[name]:.2f} s" for name in ("whole", "loading", "resolving")]
            rows.append([runtime, *seconds, f"{run['memory']:,.0f}"])
        print()
        print(format_table(["runtime", "process", "loading", "resolving", "peak MB"], rows))


if __name__ == "__main__":
    main()
