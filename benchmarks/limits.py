"""What limits the baseline on a corpus: mentions that are not detected, errors of ranking, amount of data.

    python benchmarks/limits.py --train T --dev D --out runs/limits --seeds 1 2 3

Prints how many gold mentions are detected, by type; the score of a resolver that makes no error on detected
mentions; and the dev score of the baseline trained on a quarter, a half and all documents, and on annotated
mentions instead of detected ones.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from corelax.core.settings import parse_settings
from corelax.document.clustering import Clustering
from corelax.io import read, write
from corelax.metrics.scoring import score
from corelax.rankers.sparse.mentions.agreement import mention_type
from corelax.rankers.sparse.mentions.detect import analyse, detected, given
from corelax.study import Files, Runner, Spread, Unit, Wish
from corelax.study.executors import make_executor


def detection(dev: str) -> None:
    """Recall of gold mentions by type, and the score if all that is detected were resolved rightly."""
    found, wanted = Counter[str](), Counter[str]()
    anaphoric = missed = alone = 0
    gold, oracle = read(dev), []
    for doc in gold:
        analysis = analyse(doc)
        spans = {(m.start, m.end) for m in detected(analysis)}
        every = [mention for cluster in doc.clusters for mention in cluster]
        for mention in given(analysis, every):
            type = mention_type(analysis, mention).lower()
            wanted[type] += 1
            found[type] += (mention.start, mention.end) in spans
        kept = [[m for m in cluster if (m.start, m.end) in spans] for cluster in doc.clusters]
        for cluster, there in zip(doc.clusters, kept, strict=True):
            anaphoric += len(cluster) - 1
            first = min(there, default=None)
            missed += sum(mention not in there for mention in sorted(cluster)[1:])
            alone += first is not None and first != min(cluster)
        oracle.append(doc.with_clusters(Clustering(c for c in kept if len(c) > 1)))
    for type in wanted:
        print(
            f"{type}: {found[type]} of {wanted[type]} detected ({found[type] / wanted[type]:.1%})"
        )
    print(f"all: {found.total()} of {wanted.total()} ({found.total() / wanted.total():.1%})")
    print(
        f"of {anaphoric} anaphoric mentions {missed} are not detected, of {alone} others no antecedent"
    )
    report = score(gold=gold, system=oracle, singletons="drop")
    print(f"no error on detected mentions: CoNLL {100 * report.conll:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--train", required=True)
    parser.add_argument("--dev", required=True)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument(
        "--shares", type=int, nargs="+", default=[4, 2, 1], help="every n-th document"
    )
    parser.add_argument("--set", nargs="*", default=[])
    parser.add_argument("--device", default="auto")
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    detection(arguments.dev)
    documents = read(arguments.train)
    arguments.out.mkdir(parents=True, exist_ok=True)
    runs: list[tuple[str, str, list[str]]] = []
    for share in arguments.shares:
        file = arguments.out / f"train{share}.conll"
        write(documents[::share], file)
        runs.append((f"{len(documents[::share])} documents", str(file), []))
    runs.append(("annotated mentions", arguments.train, ["mentions=gold"]))
    baseline = Unit("baseline", "baseline")
    wishes = [Wish(baseline, seed) for seed in arguments.seeds]
    for number, (name, train, settings) in enumerate(runs):
        runner = Runner(
            arguments.out / f"run{number}",
            Files(train, arguments.dev),
            parse_settings(settings + arguments.set),
            device=arguments.device,
            executor=make_executor(arguments.workers),
        )
        runner.prepare(runner.chain(baseline, arguments.seeds[0])[-1])
        runner.run(lambda: wishes)
        records = [runner.record(baseline, seed) for seed in arguments.seeds]
        found = Spread.of(100 * record.dev for record in records if record)
        print(f"{name}: CoNLL {found.mean:.2f} ± {found.sd:.2f}", flush=True)


if __name__ == "__main__":
    main()
