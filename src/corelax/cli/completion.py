"""`corelax completion SHELL`: verbs and options by the tab key."""

from __future__ import annotations

from typing import Annotated, Literal

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from corelax.cli.parameters import Argument

_CLASSES = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"], Argument(metavar="SHELL", help="bash, zsh or fish.")
    ],
) -> None:
    """Print a script that makes a shell complete verbs and options by the tab key.

    It belongs into ~/.bashrc, ~/.zshrc or ~/.config/fish/completions/corelax.fish.
    """
    script = _CLASSES[shell](click.Group("corelax"), {}, "corelax", "_CORELAX_COMPLETE")
    # Not `source()`, which for bash starts the shell to look at its version.
    print(script.source_template % script.source_vars())
