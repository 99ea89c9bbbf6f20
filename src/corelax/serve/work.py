"""What the worker thread does: jobs to answers, as JSON."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence

from corelax.core.errors import CorelaxError
from corelax.resolve import Resolution, Resolver
from corelax.resolve.links import candidate_links
from corelax.serve.refusal import Refusal
from corelax.serve.requests import Job

Answer = bytes | Refusal
_log = logging.getLogger("corelax.serve")


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
