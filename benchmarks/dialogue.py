"""Who *I*, *you*, *my* and *your* are in short chats, with and without speakers.

    python benchmarks/dialogue.py [MODEL] [--chats FILE] [--errors]

The chats are in `tests/data/dialogues.json`, whose errors were looked at while the rules of decoding were
written, and in `tests/data/dialogues_unseen.json`, which were written afterwards. Each pronoun that is clear
is written with the person that it stands for, as in `I/Ann`. A pronoun is right if its entity has another
mention of that person, at least one *I*, *my*, *me* or name of that person, and no mention of another
speaker. Wrong speaker: the entity has a mention of another speaker; the rest was not linked.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from corelax.core.text_table import format_table
from corelax.english.pronouns import FIRST_PERSON, POSSESSIVE_ENDINGS
from corelax.resolve import Resolution, Resolver

CHATS = Path(__file__).parents[1] / "tests" / "data" / "dialogues.json"
_MARK = re.compile(r"(\w+)/(\w+)")


class Pronoun(NamedTuple):
    """A pronoun and whom it stands for."""

    start: int
    end: int
    person: str


class Chat(NamedTuple):
    """A chat as a resolver takes it.

    Attributes:
        name: What it is about.
        text: A line for each turn.
        speakers: (first character, one past the last, name) of each turn.
        pronouns: The pronouns that are clear.
    """

    name: str
    text: str
    speakers: list[tuple[int, int, str]]
    pronouns: list[Pronoun]


def read_chats(path: Path) -> list[Chat]:
    """The chats of a file."""
    return [_chat(each["name"], each["turns"]) for each in json.loads(path.read_text("utf-8"))]


def _chat(name: str, turns: list[tuple[str, str]]) -> Chat:
    text = ""
    speakers, pronouns = [], []
    for speaker, marked in turns:
        text += f"{speaker}: "
        start, done = len(text), 0
        for mark in _MARK.finditer(marked):
            text += marked[done : mark.start()]
            pronouns.append(Pronoun(len(text), len(text) + len(mark[1]), mark[2]))
            text += mark[1]
            done = mark.end()
        text += marked[done:]
        speakers.append((start, len(text), speaker))
        text += "\n"
    return Chat(name, text, speakers, pronouns)


def outcomes(chat: Chat, resolution: Resolution) -> Iterator[tuple[Pronoun, str]]:
    """Each pronoun of a chat, and "right", "wrong speaker" or "not linked"."""
    person_of = {(p.start, p.end): p.person for p in chat.pronouns}
    names = {speaker: speaker.split()[-1] for _, _, speaker in chat.speakers}
    called = {form: person for speaker, person in names.items() for form in (speaker, person)}
    for pronoun in chat.pronouns:
        others: list[tuple[str, bool]] = []  # person, and whether it is no "you"
        is_first = chat.text[pronoun.start : pronoun.end].lower() in FIRST_PERSON
        own = [(pronoun.person, is_first)]
        for entity in resolution.clusters:
            if (pronoun.start, pronoun.end) in entity:
                for start, end in entity:
                    text = chat.text[start:end]
                    for ending in POSSESSIVE_ENDINGS:
                        text = text.removesuffix(ending)
                    person = person_of.get((start, end)) or called.get(text)
                    if person and (start, end) != pronoun[:2]:
                        others.append((person, text.lower() in FIRST_PERSON or text in called))
        people = {person for person, _ in others}
        if people - {pronoun.person}:
            yield pronoun, "wrong speaker"
        elif others and any(is_clear for _, is_clear in own + others):
            yield pronoun, "right"
        else:
            yield pronoun, "not linked"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", nargs="?", default=None, help="a model folder or name")
    parser.add_argument(
        "--errors", action="store_true", help="list the pronouns that are not right"
    )
    parser.add_argument("--chats", type=Path, default=CHATS, help="another file of chats")
    arguments = parser.parse_args()
    resolver = Resolver.from_pretrained(arguments.model)
    rows = []
    for label, with_speakers, consistent in (
        ("text alone", False, True),
        ("speakers", True, True),
        ("speakers, not kept apart", True, False),
    ):
        counts: Counter[str] = Counter()
        for chat in read_chats(arguments.chats):
            resolution = resolver.resolve(
                chat.text, speakers=chat.speakers if with_speakers else None, consistent=consistent
            )
            for pronoun, outcome in outcomes(chat, resolution):
                word = chat.text[pronoun.start : pronoun.end]
                kind = "first" if word.lower() in FIRST_PERSON else "second"
                counts.update([outcome, f"{kind} {outcome}", kind])
                if arguments.errors and label == "speakers" and outcome != "right":
                    before = chat.text[max(0, pronoun.start - 30) : pronoun.start].split("\n")[-1]
                    print(f"{chat.name}: {before}[{word}] is {pronoun.person}: {outcome}")
            if arguments.errors and label == "speakers":
                print(f"--- {chat.name}\n{resolution}")
        every = counts["first"] + counts["second"]
        rows.append(
            [
                label,
                f"{100 * counts['right'] / every:.1f}",
                f"{100 * counts['first right'] / counts['first']:.1f}",
                f"{100 * counts['second right'] / counts['second']:.1f}",
                f"{100 * counts['wrong speaker'] / every:.1f}",
                f"{100 * counts['not linked'] / every:.1f}",
            ]
        )
    header = ["%", "right", "I, my, me", "you, your", "wrong speaker", "not linked"]
    print(f"{every} pronouns")
    print(format_table(header, rows))


if __name__ == "__main__":
    main()
