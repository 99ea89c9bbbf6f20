"""Words and sentences of raw text: `corelax.text.document_of` beside syntok, against treebanks.

    python benchmarks/splitting.py [--data FOLDER] [--runs 5]

Three texts of GUM dev: with blank lines between paragraphs, with one paragraph a line, and wrapped at 72
characters. The words, blanks and paragraphs are those of the corpus. LitBank keeps no blanks; its text is
put together from the words by simple rules, and it does not cut words at hyphens, so that its token F1 is
no more than a comparison of the two programs. A token counts if both its ends are right, a sentence if its
first character is. Speed is the best of several runs over all texts, the programs in turn, on one core;
time is relative to ours.

FOLDER holds `gum/dev.conllu.gz` and `litbank/dev.gold_conll.gz` (default: CORELAX_DATA).
syntok is optional: `pip install syntok`.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import importlib.util
import os
import re
import sys
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from corelax.core.text_table import format_table
from corelax.io import read
from corelax.text import document_of

DATA = Path(os.environ.get("CORELAX_DATA", "data"))
WIDTH = 72


class Split(NamedTuple):
    """Tokens and first characters of sentences."""

    tokens: set[tuple[int, int]]
    sentences: set[int]


class Sample(NamedTuple):
    """A text and how it is cut in a corpus."""

    text: str
    gold: Split


class Builder:
    """Puts a text together, and remembers where its tokens and sentences begin."""

    def __init__(self) -> None:
        self.text = ""
        self.tokens: set[tuple[int, int]] = set()
        self.sentences: set[int] = set()

    def add(self, sentence: str, words: list[str], gap: str) -> None:
        """Adds a sentence after a gap."""
        self.text += gap if self.text else ""
        place = len(self.text)
        self.sentences.add(place)
        self.text += sentence
        for word in words:
            place = self.text.index(word, place)
            self.tokens.add((place, place + len(word)))
            place += len(word)

    def sample(self) -> Sample:
        return Sample(self.text, Split(self.tokens, self.sentences))


def gum(path: Path) -> Iterator[Sample]:
    """Documents of a CoNLL-U file with `# text` and `# newpar`; blank lines between paragraphs."""
    builder, words, sentence, gap = Builder(), list[str](), "", " "
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in map(str.rstrip, lines):
            if line.startswith("# newdoc"):
                if builder.text:
                    yield builder.sample()
                builder = Builder()
            elif line == "# newpar":
                gap = "\n\n"
            elif line.startswith("# text = "):
                sentence = line.removeprefix("# text = ")
            elif not line:
                builder.add(sentence, words, gap)
                words, gap = [], " "
            elif line.split("\t")[0].isdigit():
                words.append(line.split("\t")[1])
    yield builder.sample()


def litbank(path: Path) -> Iterator[Sample]:
    """Documents without blanks of their own: closing signs join to the left, opening ones to the right."""
    for doc in read(path):
        builder = Builder()
        for words in doc.sentences:
            sentence, quoted = " ".join(words), False
            for straight in re.finditer(r'(?<!\S)"(?!\S)', sentence):  # first opens, second closes
                sign = "\x01" if quoted else "\x02"
                quoted = not quoted
                sentence = sentence[: straight.start()] + sign + sentence[straight.end() :]
            sentence = re.sub(
                r" (?=(?:[,.;:!?)\]”’\x01]|n't|'(?:s|m|d|re|ve|ll|em))(?:\s|$))", "", sentence
            )
            sentence = re.sub(r"(?<!\S)([(\[“‘\x02]) ", r"\1", sentence)
            builder.add(re.sub("[\x01\x02]", '"', sentence), list(words), " ")
        yield builder.sample()


def on_lines(sample: Sample) -> Sample:
    """One line for each paragraph, no blank lines."""
    removed = [match.start() for match in re.finditer("\n\n", sample.text)]

    def moved(place: int) -> int:
        return place - bisect_left(removed, place)

    tokens = {(moved(start), moved(end)) for start, end in sample.gold.tokens}
    sentences = {moved(place) for place in sample.gold.sentences}
    return Sample(sample.text.replace("\n\n", "\n"), Split(tokens, sentences))


def wrapped(sample: Sample) -> Sample:
    """Lines of at most 72 characters where blanks allow it; no character moves."""
    too_long = rf"(?=[^\n]{{{WIDTH + 1}}}) ([^\n]{{1,{WIDTH}}}|[^\n\ ]+) \ (?=[^\n])"
    return Sample(re.sub(too_long, r"\1\n", sample.text, flags=re.VERBOSE), sample.gold)


def ours(text: str) -> Split:
    doc = document_of(text)
    offsets = doc.layers["offsets"]
    return Split(set(offsets), {offsets[start][0] for start in doc.sentence_starts})


def syntok(text: str) -> Split:
    split = Split(set(), set())
    for paragraph in importlib.import_module("syntok.segmenter").analyze(text):
        for sentence in paragraph:
            split.sentences.add(sentence[0].offset)
            split.tokens.update((t.offset, t.offset + len(t.value)) for t in sentence)
    return split


def f1(pairs: list[tuple[set[object], set[object]]]) -> float:
    """Over all documents together."""
    both = sum(len(gold & system) for gold, system in pairs)
    return 2 * both / sum(len(gold) + len(system) for gold, system in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the corpora")
    parser.add_argument("--split", default="dev", help="dev, or train to look for errors")
    parser.add_argument("--runs", type=int, default=5, help="of which the best is shown")
    options = parser.parse_args()
    files = (f"gum/{options.split}.conllu.gz", f"litbank/{options.split}.gold_conll.gz")
    if missing := [name for name in files if not (options.data / name).exists()]:
        print(f"{options.data}: no {' and no '.join(missing)} here; name their folder with --data")
        return
    plain = list(gum(options.data / files[0]))
    corpora = {
        "GUM": plain,
        "GUM, paragraph a line": list(map(on_lines, plain)),
        f"GUM, wrapped at {WIDTH}": list(map(wrapped, plain)),
        "LitBank": list(litbank(options.data / files[1])),
    }
    programs: dict[str, Callable[[str], Split]] = {"corelax": ours}
    if importlib.util.find_spec("syntok"):
        programs["syntok"] = syntok
    else:
        print("syntok is not installed; its rows are left out", file=sys.stderr)
    rows = []
    for corpus, samples in corpora.items():
        tokens = sum(len(sample.gold.tokens) for sample in samples)
        seconds = dict.fromkeys(programs, float("inf"))
        for _ in range(options.runs):  # in turn, so that a busy machine disturbs both
            for name, program in programs.items():
                start = time.perf_counter()
                for sample in samples:
                    program(sample.text)
                seconds[name] = min(seconds[name], time.perf_counter() - start)
        for name, program in programs.items():
            pairs = [(sample.gold, program(sample.text)) for sample in samples]
            scores = [
                f1([({*gold.tokens}, {*split.tokens}) for gold, split in pairs]),
                f1([({*gold.sentences}, {*split.sentences}) for gold, split in pairs]),
            ]
            rows.append(
                [
                    f"{corpus}: {name}",
                    *(f"{100 * score:.2f}" for score in scores),
                    f"{tokens / seconds[name]:,.0f}",
                    f"{seconds[name] / seconds['corelax']:.1f}×",
                ]
            )
    header = [options.split, "token F1", "sentence F1", "tokens/s", "time"]
    print(format_table(header, rows))


if __name__ == "__main__":
    main()
