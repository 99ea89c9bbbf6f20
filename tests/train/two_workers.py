"""Functions that two workers call at the same time, one of them in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from corelax.train.team import BEGIN, Team


class Both:
    """What the follower serves."""

    def __init__(self, team: Team) -> None:
        self._team = team

    def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> list[Any]:
        """What the function returns on each worker; it is given the team."""
        self._team.call("run", function, arguments)
        return self._team.gather(function(self._team, *arguments))


def on_both(team: Team, function: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Calls a function of a module on both workers."""
    team.call(BEGIN, Both)
    return Both(team).run(function, arguments)
