"""The `corelax` command and what all its verbs share: exit codes, help, errors in one line."""

from __future__ import annotations

import gc
import os

import typer

from corelax.cli.compare import compare
from corelax.cli.endings import ended_well
from corelax.cli.errors import errors
from corelax.cli.export import export
from corelax.cli.features import features
from corelax.cli.files import convert, stats, validate
from corelax.cli.predict import predict
from corelax.cli.reproduce import reproduce
from corelax.cli.resolve import resolve
from corelax.cli.score import score
from corelax.cli.serve import serve
from corelax.cli.sweep import sweep
from corelax.cli.synth import synth
from corelax.cli.train import train
from corelax.core.printed import printed_streams

app = typer.Typer(
    name="corelax",
    help="Coreference resolution trained on the metric you report.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (
    resolve, serve, score, compare, convert, validate, stats, errors,
    train, sweep, reproduce, predict, features, export, synth,
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
    """Runs the command. 0 is success, 1 bad input, 2 wrong usage, 128 and more a signal."""
    # Documents are trees without cycles: looking for garbage again and again costs a third of the time.
    gc.set_threshold(1_000_000)
    # Threads that wait for each other by spinning make training twenty times slower where others use the
    # processor too. Read when torch is loaded, which no command has done yet.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    with ended_well(), printed_streams():
        app()
