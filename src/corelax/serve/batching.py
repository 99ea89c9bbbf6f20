"""Texts of many clients, resolved together in one worker thread.

The event loop takes requests and answers them while the thread computes. A text waits until there are enough
for a batch, or for `wait` seconds. While a batch is resolved, the next one fills up by itself.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.resolve import Resolution, Resolver
from corelax.resolve.links import candidate_links
from corelax.serve.requests import Job, Refusal

Answer = bytes | Refusal  # JSON, or why there is none
Future = asyncio.Future[Answer]
_log = logging.getLogger("corelax.serve")


class Waiting(NamedTuple):
    """A job in the queue; its future is cancelled if nobody waits for it any more."""

    job: Job
    answer: Future
    since: float


class BatchQueue:
    """A bounded queue and the thread that empties it. Everything but the work is done in the event loop.

    Args:
        work: Does a batch; an answer for each job.
        batch_size: How many jobs are done together at most.
        batch_wait: How many seconds a job waits for others.
        queue_size: How many jobs wait at most.
        observe: Progress callback: jobs of a batch, and the seconds that it took.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Job]], list[Answer]],
        *,
        batch_size: int,
        batch_wait: float,
        queue_size: int,
        observe: Callable[[int, float], None],
    ) -> None:
        self._work, self._observe = work, observe
        self._batch_size, self._batch_wait, self.limit = batch_size, batch_wait, queue_size
        self._queue: deque[Waiting] = deque()
        self._came = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="resolver")
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._queue)

    @property
    def is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    def start(self) -> None:
        """Begins to do jobs; called in the event loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Ends, after the batch that is being done."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._thread.shutdown(wait=True)

    def submit(self, jobs: Sequence[Job]) -> list[Future]:
        """Queues all jobs, or none if there is no room for all.

        Raises:
            Refusal: 413 if there can never be room, 503 if there is none now.
        """
        if len(jobs) > self.limit:
            raise Refusal(
                413, f"{len(jobs):,} texts in a request; at most {self.limit:,} are taken"
            )
        if len(self._queue) + len(jobs) > self.limit:
            self._drop_abandoned()
        if len(self._queue) + len(jobs) > self.limit:
            message = f"{len(self._queue):,} texts are waiting; try again later"
            raise Refusal(503, message, {"Retry-After": "1"})
        loop, now = asyncio.get_running_loop(), time.monotonic()
        waiting = [Waiting(job, loop.create_future(), now) for job in jobs]
        self._queue.extend(waiting)
        self._came.set()
        return [one.answer for one in waiting]

    def _drop_abandoned(self) -> None:
        self._queue = deque(one for one in self._queue if not one.answer.done())

    async def _run(self) -> None:
        while True:
            batch = await self._next_batch()
            began = time.monotonic()
            done = asyncio.get_running_loop().run_in_executor(
                self._thread, self._work, [one.job for one in batch]
            )
            try:
                given = await done
            except Exception:  # of the work itself, which catches those of texts
                given = [Refusal(500, "the text could not be resolved") for _ in batch]
            self._observe(len(batch), time.monotonic() - began)
            for one, answer in zip(batch, given, strict=True):
                if not one.answer.done():
                    one.answer.set_result(answer)

    async def _next_batch(self) -> list[Waiting]:
        """The oldest job and those that can be done with it, when it is time."""
        while True:
            self._drop_abandoned()
            self._came.clear()
            patience = None
            if self._queue:
                patience = self._queue[0].since + self._batch_wait - time.monotonic()
                if len(self._queue) >= self._batch_size or patience <= 0:
                    return self._take()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._came.wait(), patience)

    def _take(self) -> list[Waiting]:
        first = self._queue.popleft()
        batch, rest = [first], deque[Waiting]()
        for one in self._queue:
            fits = one.job.own is None is first.job.own and one.job.shared == first.job.shared
            (batch if fits and len(batch) < self._batch_size else rest).append(one)
        self._queue = rest
        return batch


def answers(resolver: Resolver, jobs: Sequence[Job]) -> list[Answer]:
    """An answer for each job. A job that cannot be done takes none of the others with it.

    Args:
        resolver: What finds the entities.
        jobs: Jobs with the same `shared` options; a job with options of its own comes alone.
    """
    try:
        return [
            _json(resolver, job, resolution)
            for job, resolution in zip(jobs, _resolved(resolver, jobs), strict=True)
        ]
    except Exception as error:
        if len(jobs) > 1:
            return [answer for job in jobs for answer in answers(resolver, [job])]
        return [_refusal(error)]


def _resolved(resolver: Resolver, jobs: Sequence[Job]) -> list[Resolution]:
    shared = dict(jobs[0].shared)
    if jobs[0].own is not None:
        return [resolver.resolve(jobs[0].text, **shared, **jobs[0].own)]
    return list(resolver.pipe([job.text for job in jobs], batch_size=len(jobs), **shared))


def _json(resolver: Resolver, job: Job, resolution: Resolution) -> bytes:
    record = resolution.as_dict()
    if job.links:
        scheme = dict(job.shared).get("scheme")
        record["links"] = candidate_links(resolver, resolution, scheme=scheme)
    return json.dumps(record).encode("ascii")  # half of a surrogate pair is an escape, too


def _refusal(error: Exception) -> Refusal:
    if isinstance(error, CorelaxError):
        return Refusal(400, str(error))
    _log.error("a text could not be resolved", exc_info=error)
    if isinstance(error, MemoryError):
        return Refusal(413, "the text needs more memory than there is")
    return Refusal(500, "the text could not be resolved; the log of the server has the reason")
