"""`corelax resolve [FILES]...`: who is who in texts."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Literal

from corelax.cli.options import MOST_WORKERS, note, plural
from corelax.cli.parameters import Argument, BadParameter, Exit, Option
from corelax.cli.shards import resolve_into_shards
from corelax.core.device import Device
from corelax.core.errors import CorelaxError
from corelax.core.files import STANDARD
from corelax.core.options import Threads
from corelax.io.formats import FormatName
from corelax.scale.options import ShardOptions

if TYPE_CHECKING:
    from corelax.cli.bars import PiecesBar
    from corelax.document import Document
    from corelax.resolve import Resolution

HINT = 'name files or folders, or pipe text in: echo "Ann said she left." | corelax resolve'


def resolve(
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
    model: Annotated[
        str | None,
        Option(metavar="NAME", help="Folder, or name of an installed model; else small."),
    ] = None,
    json: Annotated[
        bool, Option("--json", help="Print one JSON object for each document, a line each.")
    ] = False,
    html: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="Write a page for the browser, also beside another output; - is standard output.",
        ),
    ] = None,
    resolved: Annotated[
        bool,
        Option("--resolved", help="Print texts with pronouns and the like replaced by names."),
    ] = False,
    format: Annotated[
        FormatName | None, Option("--format", "--to", help="Write an annotated file.")
    ] = None,
    out: Annotated[
        str | None,
        Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where to write; .json, .html, .jsonl, .conll, .conllu say what. A folder (out/) gets a "
            "file for each input. Else standard output.",
        ),
    ] = None,
    input_format: Annotated[
        FormatName | None,
        Option("--input-format", "--from", help="Of annotated FILES; else by suffix."),
    ] = None,
    encoding: Annotated[str, Option(metavar="NAME", help="Of texts, such as cp1252.")] = "utf-8",
    glob: Annotated[
        str | None,
        Option(
            metavar="PATTERN",
            help="Which files of folders are read; else *.txt, with --shards all that can be.",
        ),
    ] = None,
    keep_going: Annotated[
        bool,
        Option("--keep-going", help="Skip files that cannot be read; tell, and exit 1 at the end."),
    ] = False,
    dialogue: Annotated[
        bool, Option("--dialogue", help="Lines such as `Ann: Hello!` name who speaks.")
    ] = False,
    mentions: Annotated[
        str | None,
        Option(help="detect, gold, or a file with the mentions; else as in training."),
    ] = None,
    singletons: Annotated[
        Literal["drop", "keep"] | None,
        Option(help="Entities that are mentioned once; else as in training."),
    ] = None,
    decoding: Annotated[
        Literal["links", "entities"] | None,
        Option(help="By best links or best entities (not with an encoder); else as in training."),
    ] = None,
    scheme: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Annotation scheme, if the model knows several; small has ontonotes, gum, litbank, craft.",
        ),
    ] = None,
    constraints: Annotated[
        str | None,
        Option(metavar="FILE", help="Corrections that a page of --html has saved."),
    ] = None,
    device: Device = "auto",
    runtime: Annotated[
        Literal["auto", "onnx", "int8", "torch"],
        Option(
            help="What computes; auto is onnxruntime on a CPU if it can; int8 is faster, less exact."
        ),
    ] = "auto",
    batch_size: Annotated[
        int, Option(min=1, max=4096, metavar="N", help="Documents resolved together.")
    ] = 8,
    jobs: Annotated[
        int | None,
        Option(
            min=1,
            max=MOST_WORKERS,
            metavar="N",
            help="Processes, each with a model of its own; else 1, with --shards one for each core.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        Option(
            min=0,
            max=MOST_WORKERS,
            metavar="N",
            help="Processes that read and decide while one network computes; else by the cores beside a GPU, "
            "none on a CPU.",
        ),
    ] = None,
    threads: Threads = None,
    shards: Annotated[
        bool,
        Option(
            "--shards",
            help="For corpora: texts, jsonlines and Parquet in parts below --out. The same command "
            "continues an interrupted one.",
        ),
    ] = False,
    sharding: ShardOptions = ShardOptions(),  # noqa: B008
    parquet: Annotated[
        bool, Option("--parquet", help="With --shards: Parquet instead of lines of JSON.")
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
    if text is not None and (files or input_format):
        other = "FILES" if files else "--input-format"
        raise BadParameter(f"a text is given; leave out {other}", param_hint="--text")
    if quiet and verbose:
        raise BadParameter("leave out --quiet", param_hint="--verbose")
    if workers and jobs is not None and jobs > 1:
        raise BadParameter("leave out --jobs: workers share one model", param_hint="--workers")
    if sharding.gpu_share is not None and sharding.ray is None:
        raise BadParameter("goes with --ray", param_hint="--gpu-share")
    if shards or sharding.ray is not None:
        if not files:
            taken = f" (--ray has taken {sharding.ray!r} for an address)" if sharding.ray else ""
            raise BadParameter(f"name files or folders{taken}", param_hint="FILES")
        sharding = replace(
            sharding,
            output="parquet" if parquet else format or "rows",
            model=model,
            singletons=singletons,
            scheme=scheme,
            device=device,
            runtime=runtime,
            threads=threads,
            batch_size=batch_size,
            jobs=jobs,
            input_format=input_format,
            encoding=encoding,
            dialogue=dialogue,
            glob=glob,
        )
        resolve_into_shards(
            files,
            out,
            sharding,
            unsuitable={
                "--html": html,
                "--resolved": resolved,
                "--mentions": mentions,
                "--decoding": decoding,
                "--constraints": constraints,
                "--workers": workers,
                "--json and --format": json and format,
                "--parquet and --json or --format": parquet and (json or format),
            },
            quiet=quiet,
        )
        return
    if parquet:
        raise BadParameter("goes with --shards", param_hint="--parquet")
    from corelax.cli.resolve_outputs import chosen_outputs, write_outputs
    from corelax.resolve import resolve_files
    from corelax.resolve.models import model_files
    from corelax.text import Source, document_of, read_sources, speakers_of
    from corelax.text.sources import TEXTS

    outputs = chosen_outputs(json=json, html=html, resolved=resolved, format=format, out=out)
    skipped: list[str] = []

    def skip(path: str, error: CorelaxError) -> None:
        skipped.append(path)
        note(f"skipped: {error}")

    if text is not None:
        document = document_of(text, "text", speakers_of(text) if dialogue else None)
        sources = [Source("", "text", (document,))]
    else:
        sources = read_sources(
            files or [STANDARD],
            input_format,
            dialogue=dialogue,
            encoding=encoding,
            glob=glob or TEXTS,
            skipped=skip if keep_going else None,
        )
        if not sources:
            raise CorelaxError("no input could be read")
    documents = [document for source in sources for document in source.documents]
    show = _silent if quiet else note
    is_on_terminal = sys.stdout.isatty() and any(each.target == STANDARD for each in outputs)
    progress = _Progress(documents, is_shown=not quiet and not is_on_terminal)
    resolutions = resolve_files(
        documents,
        model=model,
        mentions=mentions,
        singletons=singletons,
        decoding=decoding,
        scheme=scheme,
        constraints=constraints,
        device=device,
        runtime=runtime,
        threads=threads,
        batch_size=batch_size,
        jobs=jobs or 1,
        workers=workers,
        note=show,
        detail=note if verbose else _silent,
        progress=progress.update,
    )
    inputs = [source.path for source in sources if source.path]
    inputs += [*skipped, *filter(None, (mentions, constraints)), *map(str, model_files(model))]
    with progress.stack:
        write_outputs(outputs, sources, progress.watched(resolutions), inputs=inputs, note=show)
    if not progress.has_found:
        show("no entities of two or more mentions")
    if verbose:
        note(progress.speed)
    if skipped:
        note(f"{plural(len(skipped), 'input')} skipped, {len(sources):,} resolved")
        raise Exit(1)


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
