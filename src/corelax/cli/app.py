"""The `corelax` command and what all its verbs share: exit codes, help, errors in one line.

A verb is imported when it is asked for, so that none waits for what another needs.
"""

from __future__ import annotations

import atexit
import gc
import sys
from importlib import import_module

import click

from corelax.cli.endings import ended_well
from corelax.cli.examples import EXAMPLES
from corelax.cli.parameters import command_of
from corelax.core.printable import printed_streams
from corelax.core.threads import spin_briefly

# For each verb the module that has its function; in the order of help.
VERBS = {
    "Use": {
        "resolve": "resolve",
        "serve": "serve",
        "compare": "compare",
        "export": "export",
        "completion": "completion",
    },
    "Measure": {"score": "score", "errors": "errors", "stats": "files"},
    "Files": {"convert": "files", "validate": "files", "features": "features", "synth": "synth"},
    "Train": {"train": "train", "sweep": "sweep", "reproduce": "reproduce"},
}
_MODULES = {verb: module for group in VERBS.values() for verb, module in group.items()}


class _Verbs(click.Group):
    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_MODULES)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _MODULES:
            return None
        function = getattr(import_module(f"corelax.cli.{_MODULES[name]}"), name)
        return command_of(function, example=EXAMPLES[name])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that is asked for; of one that is misspelt, the one that was meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            from difflib import get_close_matches

            close = get_close_matches(args[0], _MODULES, n=1)
            if close:
                ctx.fail(f"No such command {args[0]!r}. Did you mean {close[0]!r}?")
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Verbs in groups, each with the first sentence of its help."""
        room = formatter.width - 6 - max(map(len, _MODULES))
        for group, verbs in VERBS.items():
            rows = []
            for verb in verbs:
                command = self.get_command(ctx, verb)
                rows.append((verb, command.get_short_help_str(room) if command else ""))
            with formatter.section(group):
                formatter.write_dl(rows)


def _show_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from corelax.core.version import VERSION

        click.echo(f"corelax {VERSION}")
        ctx.exit()


app = _Verbs(
    name="corelax",
    help="Coreference resolution trained on the metric you report.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[
        click.Option(
            ["-V", "--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Show the version and exit.",
        )
    ],
)


def main() -> None:
    """Runs the command. 0 is success, 1 bad input, 2 wrong usage, 128 and more a signal."""
    # Documents are trees without cycles: looking for garbage again and again costs a third of the time.
    gc.set_threshold(1_000_000)
    # At the end Python would look through all that is loaded, twice and in vain, before the process goes.
    atexit.register(gc.freeze)
    spin_briefly()  # read when torch is loaded, which no command has done yet
    with ended_well(), printed_streams():
        try:
            code = app(standalone_mode=False)  # what a verb returns, or the code of an exit
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except click.Abort:
            raise KeyboardInterrupt from None
        sys.exit(code)
