"""The `corelax` command and what all its verbs share: exit codes, help, errors in one line."""

from __future__ import annotations

import gc
import io
import os
import sys

import typer

from corelax.cli.errors import errors
from corelax.cli.features import features
from corelax.cli.files import convert, stats, validate
from corelax.cli.predict import predict
from corelax.cli.reproduce import reproduce
from corelax.cli.resolve import resolve
from corelax.cli.score import score
from corelax.cli.sweep import sweep
from corelax.cli.synth import synth
from corelax.cli.train import train
from corelax.core.errors import CorelaxError

app = typer.Typer(
    name="corelax",
    help="Coreference resolution trained on the metric you report.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (
    resolve, score, convert, validate, stats, train, sweep, reproduce, predict, errors, features, synth,
):  # fmt: skip
    app.command()(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        from corelax.core.version import VERSION

        typer.echo(f"corelax {VERSION}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Coreference resolution trained on the metric you report."""


def main() -> None:
    """Runs the command. 0 is success, 1 bad input, 2 wrong usage."""
    # Documents are trees without cycles: looking for garbage again and again costs a third of the time.
    gc.set_threshold(1_000_000)
    # Threads that wait for each other by spinning make training twenty times slower where others use the
    # processor too. Read when torch is loaded, which no command has done yet.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that knows no B³ shows B?
            stream.reconfigure(errors="replace")
    try:
        app()
    except CorelaxError as error:
        sys.exit(str(error))
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            # The reader of our output has gone (`corelax ... | head`): nothing is left to say.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        sys.exit(f"{error.filename or 'corelax'}: {error.strerror or error}")
