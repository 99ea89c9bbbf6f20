"""Score a system's output, look at each document, and see where the two differ.

python examples/01_score.py
"""

from __future__ import annotations

from pathlib import Path

import corelax

HERE = Path(__file__).parent / "data"


def main() -> None:
    gold = corelax.read(HERE / "gold.conll")
    system = corelax.read(HERE / "system.conll")

    # All metrics over the whole corpus: counts are summed over documents and divided once.
    report = corelax.score(gold=gold, system=system, per_document=True, differences=True)
    print(report)
    print(f"\nB³ recall is {report['b_cubed'].recall:.4f}, the CoNLL score {report.conll:.4f}.")

    # The same for each document, and what the system got wrong there.
    for name, document in report.documents.items():
        print(f"\n{name}: CoNLL {document.conll:.4f}")
        for line in report.differences[name]:
            print(f"  {line}")


if __name__ == "__main__":
    main()
