"""Sentences of CoNLL-U of which words and `Entity=` are all that is wanted, found with numpy.

Nearly all sentences are regular: ten columns, words numbered from 1, perhaps multiword tokens. Their rows
need not be taken apart one by one. All others are handed over as lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from typing import IO, NamedTuple

import numpy as np

from corelax.io.table import Table, pieces

COLUMNS = 10
_ENTITY = re.compile(rb"Entity=([^|\t\n]*)")
_HEADER = re.compile(rb"\n#\s*(?:newdoc|global\.Entity)")
_SPLIT = re.compile(rb"SplitAnte=")
_RANGE = re.compile(r"([1-9]\d{0,8})-([1-9]\d{0,8})")


class Regular(NamedTuple):
    """A regular sentence.

    Attributes:
        words: Its words.
        cells: Token (from 0), line and value of each `Entity=`.
    """

    words: list[str]
    cells: list[tuple[int, int, str]]


def lines_of_sentences(file: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """(line number, lines) of each stretch without blank lines."""
    number = 1
    for blank, group in groupby(file, str.isspace):
        rows = [row.rstrip("\n") for row in group]
        if not blank:
            yield number, rows
        number += len(rows)


def sentences(file: IO[str]) -> Iterator[tuple[int, list[str] | Regular]]:
    """(line number, sentence) of a file: a regular one, or its lines.

    Comments that begin a document, or say what its brackets mean, come as lines before their sentence.

    >>> from io import StringIO
    >>> row = "1\\tAnn" + "\\t_" * 7 + "\\tEntity=(e1)"
    >>> list(sentences(StringIO(f"{row}\\n\\n2 Bo\\n")))
    [(1, Regular(words=['Ann'], cells=[(0, 1, '(e1)')])), (3, ['2 Bo'])]
    """
    before = 1
    for text in pieces(file, at_marks=False):
        table = Table(text)
        yield from _sentences(table, before)
        before += table.lines


def _sentences(table: Table, before: int) -> Iterator[tuple[int, list[str] | Regular]]:
    """The sentences of a piece whose first line has the number `before`."""
    is_blank = np.ones(table.lines, bool)
    is_blank[table.rows] = is_blank[table.marks] = False
    group = np.cumsum(is_blank)  # [line]
    full = np.flatnonzero(~is_blank)
    if not len(full):
        return
    begins = full[np.flatnonzero(np.diff(group[full], prepend=-1))]  # [sentence] its first line
    ends = full[np.flatnonzero(np.diff(group[full], append=-1))] + 1
    wide = np.flatnonzero(table.width == COLUMNS)
    lines = table.rows[wide]
    words = table.column(1, wide)
    cuts = np.searchsorted(lines, [*begins.tolist(), table.lines])
    sizes = np.diff(cuts)  # [sentence]
    position = np.arange(len(wide)) - np.repeat(cuts[:-1], sizes)
    unnumbered = np.cumsum(~table.is_number(0, position + 1, wide))
    unnumbered = np.concatenate(([0], unnumbered))
    plain = unnumbered[cuts[1:]] == unnumbered[cuts[:-1]]  # numbered from 1, nothing else between
    # Numbers of words become strings where multiword tokens or empty nodes stand between them.
    ids = table.column(0, wide[np.repeat(~plain, sizes)])
    id_cuts = np.cumsum(np.where(plain, 0, sizes)).tolist()
    rows, values = table.items(_ENTITY, COLUMNS - 1)
    cells = np.searchsorted(wide, rows)  # [cell] its row among the wide ones
    again = cells[1:][cells[1:] == cells[:-1]]  # two in one row
    firsts = np.append(lines, table.lines)[cuts[:-1]]  # [sentence] the line of its first row
    headers = table.lines_with(_HEADER)
    before_rows = headers < firsts[np.searchsorted(begins, headers, "right") - 1]
    headed = set(group[headers[before_rows]].tolist())
    odd = np.concatenate(
        (
            group[headers[~before_rows]],
            group[table.lines_with(_SPLIT)],
            group[table.rows[table.width != COLUMNS]],
            group[lines[again]],
            group[lines[[at for at, word in enumerate(words) if not word] if "" in words else []]],
        )
    )
    irregular = set(odd.tolist())
    owner = np.searchsorted(cuts, cells, "right") - 1
    found = list(
        zip(
            (cells - cuts[owner]).tolist(),
            (lines[cells] + before).tolist(),
            values,
            strict=True,
        )
    )
    cell_cuts = np.searchsorted(cells, cuts).tolist()
    numbers = list(map(str, range(1, 1 + int(sizes.max(initial=0)))))
    places = zip(
        begins.tolist(),
        ends.tolist(),
        group[begins].tolist(),
        pairwise(cuts.tolist()),
        plain.tolist(),
        firsts.tolist(),
        strict=True,
    )
    for sentence, (begin, end, name, (first, last), is_plain, line) in enumerate(places):
        regular = None
        if name not in irregular and last > first:
            its_words = words[first:last]
            its_cells = found[cell_cuts[sentence] : cell_cuts[sentence + 1]]
            if is_plain:
                regular = Regular(its_words, its_cells)
            else:
                its_ids = ids[id_cuts[sentence] - (last - first) : id_cuts[sentence]]
                regular = _with_multiword(its_ids, its_words, its_cells, numbers)
        if regular is None:
            stretch = [table.line(line) + "\n" for line in range(begin, end)]
            for number, its_lines in lines_of_sentences(stretch):
                yield before + begin + number - 1, its_lines
            continue
        if name in headed:
            yield before + begin, [table.line(number) for number in range(begin, line)]
        yield before + begin, regular


def _with_multiword(
    ids: list[str], words: list[str], cells: list[tuple[int, int, str]], numbers: list[str]
) -> Regular | None:
    """A sentence without the rows of its multiword tokens, or None if something is not as usual."""
    is_word = list(map(str.isdecimal, ids))
    tokens = [id for id, word in zip(ids, is_word, strict=True) if word]
    if tokens != numbers[: len(tokens)]:
        return None
    token, covered = 0, 0
    of_row = []  # token numbers from 0
    for id, word in zip(ids, is_word, strict=True):
        of_row.append(token)
        if word:
            token += 1
            continue
        span = _RANGE.fullmatch(id)
        if not span or int(span[1]) != token + 1 or token < covered:
            return None
        covered = int(span[2])
        if not token < covered <= len(tokens):
            return None
    if not all(is_word[row] for row, _, _ in cells):
        return None
    kept = [w for w, word in zip(words, is_word, strict=True) if word]
    return Regular(kept, [(of_row[row], line, value) for row, line, value in cells])
