"""Correct what the model gets wrong, train it further on the corrected texts, and see what it has learnt.

python examples/06_correct_and_finetune.py

Three texts show the steps; a model that is better on other texts too needs hundreds. Needs torch (extra
`encoders`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import corelax
from corelax import Document, Resolution, Resolver
from corelax.resolve import ResolvedEntity

# A text, and what is one entity in it: words of the text, with which occurrence is meant.
Correction = tuple[str, list[list[tuple[str, int]]]]
CORRECTIONS: list[Correction] = [
    (
        "Ann and Bo met the mayor. Ann told her that the bridge was closed. She was angry.",
        [[("the mayor", 0), ("her", 0), ("She", 0)], [("Ann", 0), ("Ann", 1)]],
    ),
    (
        "Eve phoned the nurse. Eve asked her for the results. She had lost them.",
        [[("the nurse", 0), ("her", 0), ("She", 0)], [("Eve", 0), ("Eve", 1)]],
    ),
    (
        "Kim visited the judge. Kim reminded her of the trial. She had forgotten it.",
        [[("the judge", 0), ("her", 0), ("She", 0)], [("Kim", 0), ("Kim", 1)]],
    ),
]


def corrected(resolver: Resolver, correction: Correction) -> Resolution:
    """Resolves a text with the entities that a reader has named: linked inside, kept apart from others."""
    text, entities = correction
    places = [[place(text, words, number) for words, number in entity] for entity in entities]
    must = [(entity[0], other) for entity in places for other in entity[1:]]
    cannot = [(a[0], b[0]) for i, a in enumerate(places) for b in places[:i]]
    return resolver.resolve(text, must_link=must, cannot_link=cannot)


def place(text: str, words: str, number: int) -> tuple[int, int]:
    """The characters of an occurrence of some words."""
    return [match.span() for match in re.finditer(rf"\b{words}\b", text)][number]


def b_cubed(gold: list[Document], resolver: Resolver) -> float:
    """F1 of what a model finds in the texts by itself."""
    found = [resolution.document for resolution in resolver.pipe(gold)]
    return float(corelax.score(gold=gold, system=found)["b_cubed"].f1)


def main() -> None:
    resolver = Resolver.from_pretrained(device="cpu")
    gold = []
    for number, correction in enumerate(CORRECTIONS):
        print(f"found:     {'; '.join(map(shown, resolver.resolve(correction[0])))}")
        resolution = corrected(resolver, correction)
        print(f"corrected: {'; '.join(map(shown, resolution))}")
        gold.append(replace(resolution.document, id=f"text{number}"))
    before = b_cubed(gold, resolver)

    with TemporaryDirectory() as name:
        folder = Path(name)
        corelax.write(gold, folder / "gold.conll")
        trained = corelax.train(
            "tune",
            start="small",
            train=[folder / "gold.conll"],
            dev=[folder / "gold.conll"],  # of real work, other texts
            out=folder / "runs",
            stages=["likelihood"],
            settings={"epochs": 3},
            device="cpu",
        )
        tuned = Resolver.from_pretrained(trained.folder, device="cpu")
        print(
            f"\nB³ F1 on the corrected texts: {before:.0%}, after training {b_cubed(gold, tuned):.0%}"
        )


def shown(entity: ResolvedEntity) -> str:
    """The mentions of an entity."""
    return ", ".join(mention.text for mention in entity.mentions)


if __name__ == "__main__":
    main()
