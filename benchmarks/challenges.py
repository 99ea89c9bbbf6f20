"""The resolver on challenge sets: GAP (pronouns and names), WinoBias and Winogender (does gender matter?).

    python benchmarks/challenges.py [--model FOLDER] [--limit N]

Reads the sets from the folder that CORELAX_DATA names: gap, winobias, winogender.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import corelax
from corelax.challenges import (
    gap_report,
    read_gap,
    read_winogender,
    winobias_counts,
    winobias_report,
    winogender_report,
)
from corelax.resolve import Resolver

DATA = Path(os.environ.get("CORELAX_DATA", "data"))
GAP = "gap/gap-development.tsv.gz"
WINOBIAS = "winobias/dev_{kind}_{side}_stereotype.v4_auto_conll.gz"
KINDS, SIDES = ("type1", "type2"), ("pro", "anti")
WINOGENDER = "winogender/all_sentences.tsv.gz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--model", help="A model folder; default: the shipped one.")
    parser.add_argument("--limit", type=int, help="The most items of each set.")
    options = parser.parse_args()
    needed = (GAP, *(WINOBIAS.format(kind=k, side=s) for k in KINDS for s in SIDES), WINOGENDER)
    if missing := [name for name in needed if not (DATA / name).exists()]:
        folders = sorted({name.split("/")[0] for name in missing})
        print(
            f"{DATA}: {', '.join(folders)} not here, or not whole; name the folder in CORELAX_DATA"
        )
        return
    resolver = Resolver.from_pretrained(options.model)
    limit = slice(options.limit)

    items = read_gap(DATA / GAP)[limit]
    resolutions = resolver.pipe((item.text for item in items), batch_size=32)
    print("GAP development")
    print(gap_report(items, (resolution.clusters for resolution in resolutions)), end="\n\n")

    for kind in KINDS:
        counts = []
        for side in SIDES:
            gold = corelax.read(DATA / WINOBIAS.format(kind=kind, side=side))[limit]
            system = [r.document for r in resolver.pipe(gold, batch_size=32)]
            counts.append(winobias_counts(gold=gold, system=system))
        print(f"WinoBias dev, {kind}")
        print(winobias_report(pro=counts[0], anti=counts[1]), end="\n\n")

    sentences = read_winogender(DATA / WINOGENDER)[limit]
    resolutions = resolver.pipe((sentence.text for sentence in sentences), batch_size=32)
    print("Winogender")
    print(winogender_report(sentences, (resolution.clusters for resolution in resolutions)))


if __name__ == "__main__":
    main()
