"""Time and memory of `corelax score`, whole process from start to exit.

    python benchmarks/score.py [--quick] [--match]

Three seeded pairs of CoNLL-2012 files are made: the shape of the CoNLL-2012 test set (348
documents, 170 k tokens, 19.8 k mentions), ten times that, and one novel (1 M tokens, 100 k
mentions, 10 k entities). Beside our command run, in the same way, a bare loop over the lines of
the two files, and scorch (`make bench` installs it; five metrics, no words to check) on the same
clusters written as its JSON. Each figure is the best of five runs (scorch: one); memory is the peak
resident size of the process. scorch is not run on the novel: when tried, it failed after four
minutes.

With `--match`: each way of matching mentions on corpora of 1, 4 and 16 times a size (`score_matching.py`).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from corelax import Clustering, Document, Span, write
from corelax.io.writing import nested

BARE_LOOP = """
import sys
for path in sys.argv[1:]:
    for line in open(path, encoding="utf-8"):
        pass
"""


class Shape(NamedTuple):
    """Size of a corpus, all documents together."""

    documents: int
    tokens: int
    mentions: int
    entities: int


SHAPES = {
    "CoNLL-2012 test": Shape(348, 170_000, 19_800, 4_530),
    "ten times that": Shape(3_480, 1_700_000, 198_000, 45_300),
    "one novel": Shape(1, 1_000_000, 100_000, 10_000),
}


def make_pairs(shape: Shape, seed: int) -> Iterator[tuple[Document, Document]]:
    """Gold and system documents; the system misses, invents and misplaces some 15 % of mentions."""
    rng = np.random.default_rng(seed)
    lexicon = [f"{chr(97 + i % 26)}{'aeiou'[i % 5]}{i:x}" for i in range(5_000)]
    tags = ["NN", "NNP", "VBD", "IN", "DT", "PRP", "JJ"]
    pieces = ["(NP*", "*", "*)", "(VP*", "(PP(NP*"]
    share = rng.lognormal(0, 0.5, shape.documents)
    share /= share.sum()
    for number in range(shape.documents):
        tokens, n_mentions, n_entities = (
            max(8, round(float(share[number]) * total)) for total in shape[1:]
        )
        n_mentions = round(n_mentions / 0.9)  # a tenth is left out on each side
        sentence = 20
        spans: list[tuple[int, int]] = []
        while len(spans) < n_mentions:  # inside sentences, one inside the other or apart
            first = rng.integers(0, tokens, n_mentions)
            last = np.minimum(first + rng.geometric(0.5, n_mentions) - 1, tokens - 1)
            last = np.minimum(last, first - first % sentence + sentence - 1)
            more = zip(first.tolist(), last.tolist(), strict=True)
            spans = nested({*spans, *more}, Counter())
        spans = sorted(spans[i] for i in rng.choice(len(spans), n_mentions, replace=False))
        weight = 1 / np.arange(2, n_entities + 2)
        gold_of = rng.choice(n_entities, len(spans), p=weight / weight.sum())
        fate = rng.random((2, len(spans)))
        moved = rng.choice(n_entities, len(spans), p=weight / weight.sum())
        system_of = np.where(fate[0] < 0.15, moved, gold_of)
        base = Document(
            id=f"bench/{seed:02d}/doc_{number:05d}",
            part=0,
            words=tuple(lexicon[i] for i in rng.zipf(1.3, tokens) % len(lexicon)),
            sentence_starts=tuple(range(0, tokens, sentence)),
            layers={
                "pos": tuple(tags[i] for i in rng.integers(0, len(tags), tokens)),
                "parse": tuple(pieces[i] for i in rng.integers(0, len(pieces), tokens)),
                "speaker": ("Speaker#1",) * tokens,
            },
        )
        sides = []
        for entity_of, kept in ((gold_of, fate[1] < 0.9), (system_of, fate[1] > 0.1)):
            clusters: dict[int, list[Span]] = {}
            for (first_token, last_token), entity, keep in zip(spans, entity_of, kept, strict=True):
                if keep:
                    clusters.setdefault(int(entity), []).append(Span(first_token, last_token + 1))
            sides.append(base.with_clusters(Clustering(clusters.values())))
        yield sides[0], sides[1]


def write_pair(shape: Shape, seed: int, folder: Path) -> None:
    """Writes gold.conll and system.conll, and their clusters as scorch reads them."""
    pairs = list(make_pairs(shape, seed))
    for side, name in enumerate(("gold", "system")):
        write((pair[side] for pair in pairs), folder / f"{name}.conll")
        (folder / name).mkdir()
        for number, pair in enumerate(pairs):
            clusters = {
                str(i): [f"{m.start}-{m.end}" for m in cluster]
                for i, cluster in enumerate(pair[side].clusters)
            }
            path = folder / name / f"{number:05d}.json"
            path.write_text(json.dumps({"type": "clusters", "clusters": clusters}))


class Cost(NamedTuple):
    """Seconds of wall time, megabytes at the peak, and seconds of processor time."""

    seconds: float
    megabytes: float
    processor: float = 0.0


def measure(command: list[str], runs: int) -> Cost:
    """The best of several runs of a whole process."""
    best = Cost(float("inf"), 0)
    for _ in range(runs):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert process.stderr is not None
        complaint = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
        if process.returncode:
            raise RuntimeError(f"{command[:3]} failed: {complaint.decode()[-300:]}")
        processor = usage.ru_utime + usage.ru_stime
        best = min(best, Cost(seconds, usage.ru_maxrss / 1024, processor))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the smallest pair only, one run")
    parser.add_argument("--match", action="store_true", help="each way of matching mentions")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.match:
        from score_matching import measure_matching

        measure_matching(quick=options.quick, seed=options.seed)
        return
    shapes = dict(list(SHAPES.items())[:1]) if options.quick else SHAPES
    has_scorch = importlib.util.find_spec("scorch") is not None
    if not has_scorch:
        print("scorch is not installed; its column stays empty", file=sys.stderr)
    print(f"{'':18}{'corelax':>18}{'bare loop':>12}{'scorch':>18}{'ratios: bare':>14}{'scorch':>8}")
    for name, shape in shapes.items():
        with tempfile.TemporaryDirectory() as folder:
            gold, system = Path(folder, "gold.conll"), Path(folder, "system.conll")
            # In a process of its own: children would inherit the peak memory of this one.
            maker = multiprocessing.Process(
                target=write_pair, args=(shape, options.seed, Path(folder))
            )
            maker.start()
            maker.join()
            runs = 1 if options.quick else 5
            corelax = [sys.executable, "-m", "corelax"]
            ours = measure([*corelax, "score", str(gold), str(system)], runs)
            bare = measure([sys.executable, "-c", BARE_LOOP, str(gold), str(system)], runs)
            cells = f"{name:18}{ours.seconds:7.2f} s {ours.megabytes:5.0f} MB{bare.seconds:10.2f} s"
            ratios = f"{ours.seconds / bare.seconds:13.1f}×"
            if has_scorch and shape.documents > 1:
                command = [sys.executable, "-m", "scorch.main"]
                command += [str(side.with_suffix("")) for side in (gold, system)]
                peer = measure(command, 1)
                cells += f"{peer.seconds:9.2f} s {peer.megabytes:5.0f} MB"
                ratios += f"{peer.seconds / ours.seconds:7.1f}×"
            print(f"{cells}{ratios}", flush=True)


if __name__ == "__main__":
    main()
