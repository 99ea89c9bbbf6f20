"""Help with an example for each verb, and completion by the tab key."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys

import click
import pytest

from corelax.cli import app as app_module
from corelax.cli.app import app
from tests.command_server import server

VERBS = app.list_commands(click.Context(app))
EXAMPLES = {
    name: verb.example for group in app_module.VERBS.values() for name, verb in group.items()
}


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_an_example_that_it_understands(verb: str) -> None:
    done = server().run(verb, "-h")
    command = app.get_command(click.Context(app), verb)
    assert command is not None
    for line in EXAMPLES[verb].splitlines():
        assert f"\n    {line}\n" in done.out
        words = shlex.split(line.removeprefix('eval "$(').removesuffix(')"').split(" >> ")[0])
        assert words[:2] == ["corelax", verb]
        command.make_context(verb, words[2:])  # an error if an option is not known


@pytest.mark.parametrize(
    ("typed", "ending"),
    [("resolv", "'resolv'. Did you mean 'resolve'?\n"), ("qqq", "'qqq'.\n")],
)
def test_a_misspelt_verb_brings_the_one_that_was_meant(typed: str, ending: str) -> None:
    done = server().run(typed, "text.txt")
    assert done.code == 2
    assert done.err.endswith(f"No such command {ending}")


def test_all_examples_belong_to_verbs() -> None:
    assert sorted(EXAMPLES) == sorted(VERBS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_asks_the_command(shell: str) -> None:
    done = server().run("completion", shell)
    assert done.code == 0
    assert f"_CORELAX_COMPLETE={shell}_complete" in done.out
    program = shutil.which(shell)
    if program is not None:  # it can be read by the shell itself
        checked = subprocess.run(
            [program, "-n"], input=done.out, text=True, capture_output=True, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("corelax reso", "resolve"), ("corelax resolve --keep", "--keep-going")],
)
def test_words_are_completed(typed: str, offered: str) -> None:
    words = typed.split()
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv[0] = 'corelax'; from corelax.cli import main; main()"],
        env={
            "_CORELAX_COMPLETE": "bash_complete", "COMP_WORDS": typed,
            "COMP_CWORD": str(len(words) - 1), "PYTHONPATH": ":".join(sys.path),
        },
        text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert done.stdout == f"plain,{offered}\n"


def test_another_shell_is_wrong_usage() -> None:
    assert server().run("completion", "tcsh").code == 2


@pytest.mark.parametrize("verb", VERBS)
def test_the_list_of_verbs_has_the_first_sentence_of_their_help(verb):
    summary = {
        name: each.summary for group in app_module.VERBS.values() for name, each in group.items()
    }
    command = app.get_command(click.Context(app), verb)
    assert " ".join(command.help.split()).startswith(summary[verb])
