"""The folder of a run: a part for each shard, and what says which shards are done.

manifest.json      settings and inputs; when all is done, every part with its digest
part-00003.jsonl   the documents of a shard, in the order of the input
done/00003.json    written after the part: the shard is done
bad.jsonl          documents that could not be read or resolved, with the reason
.lock              while a command is at work in it
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.locks import check_claim, lock_folder
from corelax.core.printable import json_text
from corelax.scale.places import is_remote, read_place, sizes_in, write_place
from corelax.scale.worker import SUFFIXES, Part

MANIFEST, BAD, DONE = "manifest.json", "bad.jsonl", "done"


class RunFolder:
    """Where parts are written, here or in a store; `output` is that of `ShardOptions`."""

    def __init__(self, out: str, output: str) -> None:
        self.out = out.rstrip("/")
        self._suffix = SUFFIXES[output]

    def locked(self) -> AbstractContextManager[None]:
        return nullcontext() if is_remote(self.out) else lock_folder(Path(self.out))

    def claim(self, identity: Mapping[str, Any]) -> None:
        """Writes what the run is of; an error if the folder has parts of something else."""
        if MANIFEST in sizes_in(self.out) and self.done():
            check_claim(self.out, self._read(MANIFEST), identity, "shards")
        else:
            self._write(MANIFEST, {**identity, "complete": False})

    def done(self) -> dict[int, dict[str, Any]]:
        """What is written of the shards that are done, by number. One whose part is gone is not done."""
        sizes = sizes_in(self.out)
        # A command that was killed may have left records that have not got their name yet.
        records = [self._read(name) for name in sizes if re.fullmatch(rf"{DONE}/\d+\.json", name)]
        return {r["shard"]: r for r in records if sizes.get(r["file"]) == r["bytes"]}

    def save(self, number: int, part: Part) -> dict[str, Any]:
        name = f"part-{number:05}{self._suffix}"
        write_place(f"{self.out}/{name}", part.content)
        record = {
            "shard": number,
            "file": name,
            "documents": part.documents,
            "words": part.words,
            "bytes": len(part.content),
            "sha256": hashlib.sha256(part.content).hexdigest(),
            "bad": [bad._asdict() for bad in part.bad],
        }
        self._write(f"{DONE}/{number:05}.json", record)
        return record

    def finish(
        self, identity: Mapping[str, Any], done: Mapping[int, Mapping[str, Any]], *, complete: bool
    ) -> None:
        """Writes the bad documents so far, and the manifest if all shards are done."""
        records = [done[number] for number in sorted(done)]
        bad = [json_text(bad) + "\n" for record in records for bad in record["bad"]]
        if bad or BAD in sizes_in(self.out):
            write_place(f"{self.out}/{BAD}", "".join(bad).encode())
        if complete:
            parts = [{**record, "bad": len(record["bad"])} for record in records]
            self._write(MANIFEST, {**identity, "complete": True, "parts": parts})

    def _read(self, name: str) -> dict[str, Any]:
        path = f"{self.out}/{name}"
        try:
            content = json.loads(read_place(path))
        except ValueError:
            content = None
        if not isinstance(content, dict):
            raise CorelaxError(f"{path}: not what a run writes; delete it, or use another --out")
        return content

    def _write(self, name: str, content: Mapping[str, Any]) -> None:
        write_place(f"{self.out}/{name}", (json_text(content, indent=1) + "\n").encode())
