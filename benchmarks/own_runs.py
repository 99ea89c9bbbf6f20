"""What `resolve.py` measures of corelax in a process: speed, memory, share and operations of the network."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle
from typing import Any

from peer_models import forget_peak, limit_time, peak

from corelax import Document
from corelax.resolve import Resolver
from corelax.synthetic import Shape, generate
from corelax.text import document_of

# Resolved for each figure at most, in texts of equal length:
MOST_WORDS = {"cpu": 20_000, "cuda": 1_000_000}
BATCH = {"cpu": 8, "cuda": 256}
JOBS, REPEATED = 4, 3  # of the way "jobs"
WARM = 10  # texts before the clock starts, on a GPU

STARTUP = """
import json, resource, sys
from corelax.resolve import Resolver
resolver = Resolver.from_pretrained(sys.argv[1], device="cpu", runtime=sys.argv[2])
resolver.resolve("Marie Curie moved to Paris. She studied there, and it became her home.")
print(json.dumps({"memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def texts_of(words: int, number: int, seed: int = 1) -> list[str]:
    """Raw texts of about `words` words each: the sentences of synthetic documents, repeated."""
    return repeated(generate(20, seed=seed, shape=Shape.conll2012().scaled(300)), words, number)


def repeated(documents: Iterable[Document], words: int, number: int) -> list[str]:
    """Raw texts of about `words` words each: the sentences of documents, one a line, again and again."""
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


def words_of(text: str) -> list[list[str]]:
    """The sentences of a text of `texts_of`."""
    return [line.split() for line in text.splitlines()]


def one_by_one(resolver: Resolver, texts: list[str], _: int) -> Iterator[object]:
    yield from (resolver.resolve(text).clusters for text in texts)


def batched(resolver: Resolver, texts: list[str], batch: int) -> Iterator[object]:
    yield from (found.clusters for found in resolver.pipe(texts, batch_size=batch))


def plain(resolver: Resolver, texts: list[str], _: int) -> Iterator[object]:
    import torch

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
IN_PROCESSES = "jobs"


def process_seconds(resolver: Resolver, texts: list[str], batch: int) -> float:
    """Seconds for all texts in several processes, each with a model.

    They are resolved once and three times in one call each: in the difference there is no time in which
    processes start and end.
    """

    def seconds(times: int) -> float:
        began = time.perf_counter()
        for found in resolver.pipe(texts * times, batch_size=batch, jobs=JOBS):
            _ = found.clusters
        return time.perf_counter() - began

    once = seconds(1)
    return (seconds(REPEATED) - once) / (REPEATED - 1)


class NetworkClock:
    """Processor time inside onnxruntime."""

    def __init__(self) -> None:
        self.seconds = 0.0
        import onnxruntime

        run = onnxruntime.InferenceSession.run

        def timed(session: Any, *arguments: Any) -> Any:
            began = time.process_time()
            try:
                return run(session, *arguments)
            finally:
                self.seconds += time.process_time() - began

        onnxruntime.InferenceSession.run = timed


def measure(
    resolver: Resolver,
    clock: NetworkClock | None,
    way: str,
    words: int,
    device: str,
    seconds: float,
    limit: float,
) -> dict[str, float]:
    """In this process: speed and memory."""
    number = max(1, MOST_WORDS[device] // words)
    texts = texts_of(words, number)
    sizes = [len(document_of(text).words) for text in texts]
    several = min(BATCH[device], max(1, 800 * BATCH[device] // words), number)
    if way == IN_PROCESSES:
        list(batched(resolver, texts[:several], several))  # warm up
        _memory(device, reset=True)
        speed = sum(sizes) / process_seconds(resolver, texts, several)
        return {"speed": speed, "busy": speed, "memory": _memory(device)}
    batch = several if way == "batched" else 1
    resolve = WAYS[way]
    # A GPU loads its kernels when they are first called, others for every size; it computes on
    # two batches at once.
    warm_up = texts[: max(3 * batch, WARM)] if device == "cuda" else texts_of(200, 2, seed=2)
    list(resolve(resolver, warm_up, batch))
    if device == "cpu":
        limit_time(limit)
    before = _memory(device, reset=True)
    if clock:
        clock.seconds = 0.0
    began, busy, tokens = time.perf_counter(), time.process_time(), 0
    # Nothing ends in the middle of a batch, nor where a GPU has begun with others that would not be counted.
    to_the_end = device == "cuda" and way == "batched"
    results = resolve(resolver, texts, batch)
    for done, (size, _) in enumerate(zip(sizes, results, strict=True), 1):
        tokens += size
        if device == "cpu":
            limit_time(limit)
        is_over = time.perf_counter() - began > seconds and done % batch == 0
        if is_over and not to_the_end:
            break
    if device == "cuda":
        import torch

        torch.cuda.synchronize()
    spent, busy = time.perf_counter() - began, time.process_time() - busy
    memory = _memory(device)
    return {
        "speed": tokens / spent,
        "busy": tokens / busy,
        "memory": memory,
        "beyond": memory - before,
        "bound": resolver.memory_bound(max(sizes)) / 2**20,
        **({"network": clock.seconds / busy} if clock else {}),
    }


def operations(model: str, threads: int) -> dict[str, float]:
    """Operations of the network for a token, and of a large matrix product for a second of processor time."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    resolver = Resolver.from_pretrained(model, device="cpu", runtime="torch", threads=threads)
    [text] = texts_of(1_000, 1)
    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
        resolver.resolve(text)
    left, right = torch.ones(1536, 1536), torch.ones(1536, 1536)
    best = 0.0
    for _ in range(20):
        began = time.process_time()
        left @ right
        best = max(best, 2 * 1536**3 / (time.process_time() - began))
    return {"each": counter.get_total_flops() / len(document_of(text).words), "rate": best}


def _memory(device: str, *, reset: bool = False) -> float:
    """MB: the peak, or with `reset` what is held now, from where the peak is counted."""
    if device == "cuda":
        import torch

        if reset:
            torch.cuda.reset_peak_memory_stats()
        return torch.cuda.max_memory_allocated() / 2**20
    if reset:
        forget_peak()
    return peak()
