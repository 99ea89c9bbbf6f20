"""What is wrong with a file, line by line.

Readers report here and go on as well as they can. In strict reading the first error is raised; when
validating, errors are gathered. Oddities are always gathered: unusual, but with one clear meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from corelax.core.errors import FormatError


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding. `is_error` is False for an oddity."""

    path: str
    line: int | None
    message: str
    is_error: bool

    def __str__(self) -> str:
        return str(FormatError(self.message, path=self.path, line=self.line))


def quote(text: str) -> str:
    """A piece of a file as messages show it.

    >>> quote("(7))"), quote("9" * 5000)
    ("'(7))'", "'9999999999999999999999999999999999999...'")
    """
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


@dataclass(slots=True)
class Problems:
    """The findings in one file.

    >>> problems = Problems("a.conll", strict=False)
    >>> problems.error(3, "entity 7 closes but was never opened")
    >>> print(*problems.items)
    a.conll:3: entity 7 closes but was never opened
    """

    path: str
    strict: bool = True
    items: list[Problem] = field(default_factory=list)
    _first_seen: dict[str, int] = field(default_factory=dict)
    _once: set[str] = field(default_factory=set)

    def error(self, line: int | None, message: str) -> None:
        """Raises in strict reading, otherwise notes the error; the caller then recovers."""
        error = FormatError(message, path=self.path, line=line)
        if self.strict:
            raise error
        self.items.append(Problem(self.path, line, error.message, is_error=True))

    def odd(self, line: int | None, message: str) -> None:
        self.items.append(Problem(self.path, line, message, is_error=False))

    def odd_once(self, line: int | None, message: str) -> None:
        """Notes an oddity of the whole file at its first line."""
        if message not in self._once:
            self._once.add(message)
            self.odd(line, message)

    def new_document(self, key: str, line: int) -> None:
        """To be called once for each document: no name may be used twice in a file."""
        first = self._first_seen.setdefault(key, line)
        if first != line:
            self.error(line, f"document {key} occurs again (first at line {first})")

    @property
    def once(self) -> frozenset[str]:
        return frozenset(self._once)

    @property
    def documents(self) -> int:
        return len(self._first_seen)

    @property
    def errors(self) -> list[Problem]:
        return [item for item in self.items if item.is_error]

    @property
    def oddities(self) -> list[Problem]:
        return [item for item in self.items if not item.is_error]
