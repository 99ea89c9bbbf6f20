"""Counters and histograms in the text format of Prometheus. All are changed in the event loop alone."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
SIZES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
_PAGE = 4096  # bytes


class Histogram:
    """How often values were at most so large.

    >>> waits = Histogram((0.1, 1.0))
    >>> waits.add(0.1); waits.add(7.0)
    >>> print(*waits.lines("wait"), sep="\\n")
    wait_bucket{le="0.1"} 1
    wait_bucket{le="1"} 1
    wait_bucket{le="+Inf"} 2
    wait_sum 7.1
    wait_count 2
    """

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, value: float) -> None:
        """Counts a value."""
        self._counts[bisect_left(self.bounds, value)] += 1
        self._sum += value

    def lines(self, name: str) -> Iterator[str]:
        """Its samples."""
        edges = [*(f"{bound:g}" for bound in self.bounds), "+Inf"]
        for edge, total in zip(edges, accumulate(self._counts), strict=True):
            yield f'{name}_bucket{{le="{edge}"}} {total}'
        yield f"{name}_sum {self._sum:.10g}"
        yield f"{name}_count {sum(self._counts)}"


class Metrics:
    """What a server counts."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()  # by path and status
        self.request_seconds = Histogram(SECONDS)  # of POST /resolve, refused ones included
        self.batch_seconds = Histogram(SECONDS)
        self.batch_texts = Histogram(SIZES)
        self.characters = 0

    def observe_batch(self, texts: int, seconds: float) -> None:
        """Counts a batch."""
        self.batch_texts.add(texts)
        self.batch_seconds.add(seconds)

    def text(self, waiting: int) -> str:
        """All of it, with the number of texts that wait now."""
        return "\n".join([*self._lines(waiting), ""])

    def _lines(self, waiting: int) -> Iterator[str]:
        yield from _head("corelax_requests_total", "counter", "Answered requests.")
        for (path, status), count in sorted(self.requests.items()):
            yield f'corelax_requests_total{{path="{path}",status="{status}"}} {count}'
        yield from _head("corelax_characters_total", "counter", "Characters of accepted texts.")
        yield f"corelax_characters_total {self.characters}"
        for name, about, histogram in (
            ("corelax_request_seconds", "Time to answer POST /resolve.", self.request_seconds),
            ("corelax_batch_seconds", "Time to resolve a batch.", self.batch_seconds),
            ("corelax_batch_texts", "Texts resolved together.", self.batch_texts),
        ):
            yield from _head(name, "histogram", about)
            yield from histogram.lines(name)
        yield from _head("corelax_queue_texts", "gauge", "Texts that wait.")
        yield f"corelax_queue_texts {waiting}"
        try:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        except (OSError, ValueError, IndexError):  # the system does not say
            return
        yield from _head("process_resident_memory_bytes", "gauge", "Memory of the process.")
        yield f"process_resident_memory_bytes {pages * _PAGE}"


def _head(name: str, kind: str, about: str) -> list[str]:
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
