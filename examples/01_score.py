"""Score a system's output, look at each document, and see where the two differ.

python examples/01_score.py
"""

from __future__ import annotations

from pathlib import Path

import corelax
from corelax.differences import describe_differences

HERE = Path(__file__).parent / "data"


def main() -> None:
    gold = corelax.read(HERE / "gold.conll")
    system = corelax.read(HERE / "system.conll")

    # All metrics over the whole corpus: counts are summed over documents and divided once.
    report = corelax.score(gold=gold, system=system, per_document=True)
    for name, (recall, precision, f1) in report.items():
        print(f"{name:10}{100 * recall:8.2f}{100 * precision:8.2f}{100 * f1:8.2f}")
    print(f"{'conll':26}{100 * report.conll:8.2f}\n")

    # The same for each document.
    for key, document in report.documents.items():
        print(f"{key:20} CoNLL {100 * document.conll:.2f}")

    # What the system got wrong.
    for ours, theirs in zip(gold, system, strict=True):
        print(f"\n{ours.id}")
        for line in describe_differences(gold=ours, system=theirs):
            print(f"  {line}")


if __name__ == "__main__":
    main()
