"""`corelax resolve [FILES]...`: who is who in texts."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated

from corelax.cli.options import note, plural
from corelax.cli.parameters import BadParameter, Exit
from corelax.cli.resolve_outputs import OutputOptions, chosen_outputs, write_outputs
from corelax.cli.shards import resolve_into_shards
from corelax.core.errors import CorelaxError
from corelax.core.files import STANDARD
from corelax.core.options import Argument, Option
from corelax.resolve.options import FileOptions
from corelax.scale.options import ShardOptions

if TYPE_CHECKING:
    from corelax.cli.bars import PiecesBar
    from corelax.document import Document
    from corelax.resolve import Resolution
    from corelax.text import Source

HINT = 'name files or folders, or pipe text in: echo "Ann said she left." | corelax resolve'


def resolve(
    output: OutputOptions,
    options: FileOptions,
    sharding: ShardOptions,
    files: Annotated[
        list[str] | None,
        Argument(
            metavar="FILES",
            help="Texts, folders of *.txt, or annotated files; - or nothing is standard input.",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        str | None, Option("--text", "-t", metavar="TEXT", help="A text itself, instead of FILES.")
    ] = None,
    constraints: Annotated[
        str | None,
        Option(metavar="FILE", help="Corrections that a page of --html has saved."),
    ] = None,
    shards: Annotated[
        bool,
        Option(
            "--shards",
            help="For corpora: texts, jsonlines and Parquet in parts below --out. The same command "
            "continues an interrupted one.",
        ),
    ] = False,
    parquet: Annotated[
        bool, Option("--parquet", help="With --shards: Parquet instead of lines of JSON.")
    ] = False,
    keep_going: Annotated[
        bool,
        Option("--keep-going", help="Skip files that cannot be read; tell, and exit 1 at the end."),
    ] = False,
    quiet: Annotated[
        bool, Option("--quiet", "-q", help="No notes and no progress; errors are told.")
    ] = False,
    verbose: Annotated[
        bool, Option("--verbose", "-v", help="Also tell model, runtime and words per second.")
    ] = False,
) -> None:
    """Find who is who in texts: coloured on a terminal, or as JSON, a page or an annotated file.

    Files that end in .conll, .conllu or .jsonl keep their words and layers; their entities are replaced.
    """
    if text is None and not files and sys.stdin.isatty():
        raise BadParameter(HINT, param_hint="FILES")
    if text is not None and (files or options.input_format):
        other = "FILES" if files else "--input-format"
        raise BadParameter(f"a text is given; leave out {other}", param_hint="--text")
    if quiet and verbose:
        raise BadParameter("leave out --quiet", param_hint="--verbose")
    if sharding.gpu_share is not None and sharding.ray is None:
        raise BadParameter("goes with --ray", param_hint="--gpu-share")
    if shards or sharding.ray is not None:
        if not files:
            address = f" (--ray has taken {sharding.ray!r} for an address)" if sharding.ray else ""
            raise BadParameter(f"name files or folders{address}", param_hint="FILES")
        unsuitable = {
            "--html": output.html,
            "--resolved": output.resolved,
            "--mentions": options.mentions,
            "--decoding": options.decoding,
            "--constraints": constraints,
            "--json and --format": output.json and output.format,
            "--parquet and --json or --format": parquet and (output.json or output.format),
        }
        sharding = replace(sharding, output="parquet" if parquet else output.format or "rows")
        resolve_into_shards(
            files, output.out, options, sharding, unsuitable=unsuitable, quiet=quiet
        )
        return
    if parquet:
        raise BadParameter("goes with --shards", param_hint="--parquet")
    from corelax.resolve import resolve_files
    from corelax.resolve.models import model_files

    outputs = chosen_outputs(output)
    skipped: list[str] = []
    sources = _sources(files, text, options, skipped if keep_going else None)
    documents = [document for source in sources for document in source.documents]
    show = _silent if quiet else note
    is_on_terminal = sys.stdout.isatty() and any(each.target == STANDARD for each in outputs)
    progress = _Progress(documents, is_shown=not quiet and not is_on_terminal)
    resolutions = resolve_files(
        documents,
        constraints=constraints,
        note=show,
        detail=note if verbose else _silent,
        progress=progress.update,
        **vars(options),
    )
    inputs = [source.path for source in sources if source.path]
    inputs += [*skipped, *filter(None, (options.mentions, constraints))]
    inputs += map(str, model_files(options.model))
    with progress.stack:
        write_outputs(outputs, sources, progress.watched(resolutions), inputs=inputs, note=show)
    if not progress.has_found:
        show("no entities of two or more mentions")
    if verbose:
        note(progress.speed)
    if skipped:
        note(f"{plural(len(skipped), 'input')} skipped, {len(sources):,} resolved")
        raise Exit(1)


def _sources(
    files: list[str] | None, text: str | None, options: FileOptions, skipped: list[str] | None
) -> list[Source]:
    """What is resolved. Names of files that cannot be read are added to `skipped`, unless it is None."""
    from corelax.text import Source, document_of, read_sources, speakers_of
    from corelax.text.sources import TEXTS

    if text is not None:
        document = document_of(text, "text", speakers_of(text) if options.dialogue else None)
        return [Source("", "text", (document,))]

    def skip(path: str, error: CorelaxError) -> None:
        if skipped is not None:
            skipped.append(path)
        note(f"skipped: {error}")

    sources = read_sources(
        files or [STANDARD],
        options.input_format,
        dialogue=options.dialogue,
        encoding=options.encoding,
        glob=options.glob or TEXTS,
        skipped=None if skipped is None else skip,
    )
    if not sources:
        raise CorelaxError("no input could be read")
    return list(sources)


def _silent(_: str) -> None:
    """Says nothing."""


class _Progress:
    """How many words are resolved, as a bar on standard error if there are several documents."""

    def __init__(self, documents: Sequence[Document], *, is_shown: bool) -> None:
        self.stack = ExitStack()
        self.has_found = False
        self._words = list(accumulate((len(doc.words) for doc in documents), initial=0))
        self._is_shown = is_shown and len(documents) > 1
        self._bar: PiecesBar | None = None
        self._began = time.monotonic()

    def update(self, done: int, _documents: int, name: str) -> None:
        """Moves the bar, which is drawn when the first document is resolved."""
        if self._is_shown:
            if self._bar is None:
                from corelax.cli.bars import PiecesBar

                self._bar = self.stack.enter_context(PiecesBar("words"))
            self._bar.update(self._words[done], self._words[-1], [name])

    def watched(self, resolutions: Iterator[Resolution]) -> Iterator[Resolution]:
        """The same, seen in passing."""
        for resolution in resolutions:
            self.has_found |= any(len(entity.mentions) > 1 for entity in resolution.entities)
            yield resolution

    @property
    def speed(self) -> str:
        """Words, seconds with the loading of the model, words per second."""
        seconds = max(time.monotonic() - self._began, 1e-9)
        words = self._words[-1]
        return (
            f"{words:,} words in {seconds:.1f} s, loading included: {words / seconds:,.0f} words/s"
        )
