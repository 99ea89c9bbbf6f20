"""The queue: what is resolved together, and when it is full."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from corelax.serve.batching import BatchQueue
from corelax.serve.requests import Job, Refusal


class Work:
    """Keeps the batches; the gate holds the thread up."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.gate, self.began = threading.Event(), threading.Event()
        self.gate.set()

    def __call__(self, jobs: Sequence[Job]) -> list[Any]:
        self.batches.append([job.text for job in jobs])
        self.began.set()
        self.gate.wait(30)
        return [job.text.encode() for job in jobs]


def queue_of(work: Work, *, size: int = 4, wait: float = 0.0, limit: int = 10) -> BatchQueue:
    return BatchQueue(
        work, batch_size=size, batch_wait=wait, queue_size=limit, observe=lambda *_: None
    )


def jobs(text: str, **options: Any) -> list[Job]:
    return [Job(text=word, **options) for word in text.split()]


def run(scenario: Any) -> None:
    asyncio.run(asyncio.wait_for(scenario, 60))


async def until_begun(work: Work) -> None:
    await asyncio.to_thread(work.began.wait, 30)
    work.began.clear()


def test_texts_that_come_while_a_batch_is_done_are_the_next_batch_and_answers_fit():
    async def scenario() -> None:
        work = Work()
        work.gate.clear()
        queue = queue_of(work)
        queue.start()
        futures = queue.submit(jobs("a"))
        await until_begun(work)
        for word in "bcdef":
            futures += queue.submit(jobs(word))
        work.gate.set()
        assert await asyncio.gather(*futures) == [b"a", b"b", b"c", b"d", b"e", b"f"]
        assert work.batches == [["a"], ["b", "c", "d", "e"], ["f"]]
        await queue.stop()

    run(scenario())


def test_a_text_waits_for_others_but_not_for_ever():
    async def scenario() -> None:
        work = Work()
        queue = queue_of(work, wait=0.2)
        queue.start()
        first = queue.submit(jobs("a"))
        await asyncio.sleep(0.02)
        await asyncio.gather(*first, *queue.submit(jobs("b")))
        assert work.batches == [["a", "b"]]
        await queue.stop()

    run(scenario())


def test_other_options_are_another_batch_and_given_mentions_come_alone():
    async def scenario() -> None:
        work = Work()
        queue = queue_of(work)
        keep = (("singletons", "keep"),)
        futures = queue.submit(
            [*jobs("a"), *jobs("b", shared=keep), *jobs("c", own={"mentions": []}), *jobs("d")]
        )
        queue.start()
        await asyncio.gather(*futures)
        assert work.batches == [["a", "d"], ["b"], ["c"]]
        await queue.stop()

    run(scenario())


def test_a_full_queue_takes_all_texts_of_a_request_or_none():
    async def scenario() -> None:
        work = Work()
        queue = queue_of(work, limit=3)
        futures = queue.submit(jobs("a b"))
        with pytest.raises(Refusal) as refused:
            queue.submit(jobs("c d"))
        assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "1"})
        with pytest.raises(Refusal) as never:
            queue.submit(jobs("c d e f"))
        assert never.value.status == 413
        futures += queue.submit(jobs("c"))
        queue.start()
        assert await asyncio.gather(*futures) == [b"a", b"b", b"c"]
        await queue.stop()

    run(scenario())


def test_a_text_that_nobody_waits_for_makes_room_and_is_not_resolved():
    async def scenario() -> None:
        work = Work()
        queue = queue_of(work, limit=2)
        gone, stays = queue.submit(jobs("a b"))
        gone.cancel()
        [new] = queue.submit(jobs("c"))
        queue.start()
        assert await asyncio.gather(stays, new) == [b"b", b"c"]
        assert work.batches == [["b", "c"]]
        await queue.stop()

    run(scenario())


def test_work_that_fails_as_a_whole_is_an_answer_and_the_queue_lives():
    async def scenario() -> None:
        def fail(given: Sequence[Job]) -> list[Any]:
            if given[0].text == "a":
                raise MemoryError
            return [b"done"]

        queue = BatchQueue(fail, batch_size=1, batch_wait=0, queue_size=9, observe=lambda *_: None)
        queue.start()
        [failed], [done] = queue.submit(jobs("a")), queue.submit(jobs("b"))
        answer = await failed
        assert isinstance(answer, Refusal)
        assert answer.status == 500
        assert await done == b"done"
        await queue.stop()

    run(scenario())
