"""The `corelax` command and what all its verbs share: exit codes, help, errors in one line.

A verb is imported when it is asked for, so that none waits for what another needs.
"""

from __future__ import annotations

import atexit
import gc
import sys
from importlib import import_module
from typing import Annotated, Literal, NamedTuple

import click

from corelax.cli.endings import ended_well
from corelax.cli.parameters import command_of
from corelax.core.options import Argument
from corelax.core.printable import printed_streams
from corelax.core.threads import spin_briefly


class Verb(NamedTuple):
    """The module that has the function of a verb, the first sentence of its help, and an example."""

    module: str
    summary: str
    example: str


# In the order of help.
VERBS = {
    "Use": {
        "resolve": Verb(
            "resolve",
            "Find who is who in texts: coloured on a terminal, or as JSON, a page or an annotated file.",
            'corelax resolve --text "Ann said she left."\ncorelax resolve story.txt --out story.html',
        ),
        "serve": Verb(
            "serve",
            "Serve a model over HTTP, with a page to paste texts into at /.",
            "corelax serve --port 8080",
        ),
        "compare": Verb(
            "compare",
            "Compare systems: scores with intervals and p values, errors, and passages where they differ.",
            "corelax compare story.txt small runs/own",
        ),
        "export": Verb(
            "export",
            "Write a model's network as ONNX graphs into its folder, checked against torch.",
            "corelax export runs/own/metric",
        ),
        "completion": Verb(
            "app",
            "Print a script that makes a shell complete verbs and options by the tab key.",
            'corelax completion bash >> ~/.bashrc\neval "$(corelax completion zsh)"',
        ),
    },
    "Measure": {
        "score": Verb(
            "score",
            "Score a system's coreference against the gold standard.",
            "corelax score gold.conll system.conll",
        ),
        "errors": Verb(
            "errors",
            "Count the errors of systems by kind and by type of mention.",
            "corelax errors gold.conll system.conll --examples 3",
        ),
        "stats": Verb(
            "files",
            "Count documents, sentences, tokens, mentions and entities.",
            "corelax stats train.conll dev.conll",
        ),
    },
    "Files": {
        "convert": Verb(
            "files",
            "Convert annotated files between formats.",
            "corelax convert gold.conll gold.jsonl",
        ),
        "validate": Verb(
            "files",
            "List everything that is wrong or odd in annotated files.",
            "corelax validate train.conll dev.conll",
        ),
        "features": Verb(
            "files",
            "Write the mentions and features of documents, one JSON object a line.",
            "corelax features dev.conll --train train.conll -o features.jsonl",
        ),
        "synth": Verb(
            "files",
            "Write invented documents with annotated coreference.",
            "corelax synth train.conll --documents 50 --seed 1",
        ),
    },
    "Train": {
        "train": Verb(
            "train",
            "Train a resolver, with the stages that it starts from.",
            "corelax train --train train.conll --dev dev.conll --config lea --out runs/first",
        ),
        "sweep": Verb(
            "sweep",
            "Train every combination of some settings, and list them by their score on dev.",
            "corelax sweep --train train.conll --dev dev.conll --config lea --seeds 3 --out runs/sweep",
        ),
        "reproduce": Verb(
            "reproduce",
            "Run the paper's experiments and those it is compared with, and write a report.",
            "corelax reproduce --quick",
        ),
    },
}
_FLAT = {name: verb for group in VERBS.values() for name, verb in group.items()}


class _Verbs(click.Group):
    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_FLAT)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _FLAT:
            return None
        verb = _FLAT[name]
        function = getattr(import_module(f"corelax.cli.{verb.module}"), name)
        return command_of(function, example=verb.example)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that is asked for; of one that is misspelt, the one that was meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            from difflib import get_close_matches

            close = get_close_matches(args[0], _FLAT, n=1)
            if close:
                ctx.fail(f"No such command {args[0]!r}. Did you mean {close[0]!r}?")
            raise

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Verbs in groups, each with the first sentence of its help."""
        room = formatter.width - 6 - max(map(len, _FLAT))
        for group, verbs in VERBS.items():
            rows = []
            for name, verb in verbs.items():  # which are not imported for that
                rows.append((name, click.Command(name, help=verb.summary).get_short_help_str(room)))
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


def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"], Argument(metavar="SHELL", help="bash, zsh or fish.")
    ],
) -> None:
    """Print a script that makes a shell complete verbs and options by the tab key.

    It belongs into ~/.bashrc, ~/.zshrc or ~/.config/fish/completions/corelax.fish.
    """
    from click.shell_completion import BashComplete, FishComplete, ZshComplete

    classes = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
    script = classes[shell](click.Group("corelax"), {}, "corelax", "_CORELAX_COMPLETE")
    # Not `source()`, which for bash starts the shell to look at its version.
    print(script.source_template % script.source_vars())


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
