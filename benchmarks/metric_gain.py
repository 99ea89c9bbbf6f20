"""Does training on a metric help? Stages of several seeds against a baseline stage, with a paired bootstrap.

    python benchmarks/metric_gain.py RUNS --data CORPORA --predict [--device cuda]
    python benchmarks/metric_gain.py RUNS [--baseline continued] [--resamples 10000] [--json FILE]

RUNS holds model folders, RUNS/seed-N/STAGE. The first command writes what each predicts for OntoGUM dev,
LitBank dev and GAP validation to RUNS/seed-N/STAGE.CORPUS.json; files newer than the weights stay. The
weights are not needed any more then. The second command reads these files: mean and standard deviation over
seeds, and the difference to the baseline with a 95 % interval and p values. Documents within a corpus and
pairs of seeds are drawn with replacement; p (permutation) exchanges documents and keeps the seeds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from corelax.analysis.significance import DocumentCounts, holm, paired_difference
from corelax.challenges import gap_report, read_gap
from corelax.core.errors import CorelaxError
from corelax.core.files import file_digest, write_text
from corelax.core.text_table import format_table
from corelax.io import read
from corelax.metrics import score
from corelax.resolve import Resolver
from corelax.study.records import Predicted, load_predicted, save
from corelax.study.results import Spread, document_counts

BATCH = 32  # documents


class Corpus(NamedTuple):
    """Dev documents, and how they are scored.

    GAP has answers instead of entities. They are counted as mentions are: right ones, those asked for, given.
    """

    file: str
    scheme: str
    singletons: str = "drop"
    metric: str = "conll"


CORPORA = {
    "ontogum": Corpus("ontogum/dev.gold_conll.gz", "ontonotes"),
    "litbank": Corpus("litbank/dev.gold_conll.gz", "litbank", singletons="keep"),
    "gap": Corpus("gap/gap-validation.tsv.gz", "ontonotes", metric="mentions"),
}

Runs = dict[str, dict[int, Predicted]]  # by stage, then by seed


def predict(runs: Path, data: Path, device: str) -> None:
    """Writes what every stage of every seed predicts."""
    folders = sorted(path.parent for path in runs.glob("seed-*/*/config.json"))
    if not folders:
        raise CorelaxError(f"{runs}: no model folders; they are {runs}/seed-N/STAGE")
    for folder in folders:
        weights = max((path.stat().st_mtime for path in folder.glob("*.safetensors")), default=0.0)
        targets = {name: folder.parent / f"{folder.name}.{name}.json" for name in CORPORA}
        wanted = [n for n, p in targets.items() if not p.exists() or p.stat().st_mtime < weights]
        if not wanted:
            continue
        resolver = Resolver.from_pretrained(folder, device=device)
        for name in wanted:
            save(targets[name], predicted(resolver, name, data))
            print(targets[name], file=sys.stderr)


def predicted(resolver: Resolver, name: str, data: Path) -> Predicted:
    """Counts and entities of each document of a corpus."""
    corpus = CORPORA[name]
    path = data / corpus.file
    digest = file_digest(path)
    if name == "gap":
        items = read_gap(path)
        texts = [item.text for item in items]
        resolutions = resolver.pipe(texts, batch_size=BATCH, scheme=corpus.scheme)
        answers = [
            gap_report([item], [resolution.clusters]).overall.as_tuple()
            for item, resolution in zip(items, resolutions, strict=True)
        ]
        ids = [item.id for item in items]
        return Predicted(digest=digest, documents=ids, counts={"mentions": answers}, entities=[])
    gold = list(read(path))
    resolutions = resolver.pipe(
        gold, batch_size=BATCH, scheme=corpus.scheme, singletons=corpus.singletons
    )
    system = [resolution.document for resolution in resolutions]
    report = score(gold=gold, system=system, singletons=corpus.singletons, per_document=True)
    reports = report.documents.values()
    return Predicted(
        digest=digest,
        documents=list(report.documents),
        counts={name: [list(each.counts[name].as_tuple()) for each in reports] for name in report},
        entities=[[[[*span] for span in entity] for entity in doc.clusters] for doc in system],
    )


def predictions(runs: Path, corpus: str) -> Runs:
    """What was predicted for a corpus, by stage and seed."""
    result: Runs = {}
    for path in sorted(runs.glob(f"seed-*/*.{corpus}.json")):
        seed, stage = (
            path.parent.name.removeprefix("seed-"),
            path.name.removesuffix(f".{corpus}.json"),
        )
        if not seed.isdecimal():
            raise CorelaxError(f"{path.parent}: folders of seeds are called seed-1, seed-2, ...")
        result.setdefault(stage, {})[int(seed)] = load_predicted(path)
    every = [each for seeds in result.values() for each in seeds.values()]
    if len({(each.digest, tuple(each.documents)) for each in every}) > 1:
        raise CorelaxError(
            f"{runs}: files of {corpus} are not of the same documents; predict again"
        )
    return result


def gains(
    stages: Mapping[str, Mapping[int, Predicted]], baseline: str, metric: str, resamples: int
) -> dict[str, dict[str, Any]]:
    """For each stage its scores, and its difference to the baseline over the seeds that both have."""
    if baseline not in stages:
        raise CorelaxError(f"no stage {baseline!r}; there are {', '.join(stages)}: use --baseline")
    result: dict[str, dict[str, Any]] = {}
    for stage, seeds in stages.items():
        scores = of_seeds(seeds, seeds).score(metric).tolist()
        result[stage] = {"seeds": sorted(seeds), "scores": scores, **Spread.of(scores)._asdict()}
        both = set(seeds) & set(stages[baseline])
        if stage != baseline and both:
            difference = paired_difference(
                system=of_seeds(seeds, both),
                baseline=of_seeds(stages[baseline], both),
                metric=metric,
                resamples=resamples,
            )
            result[stage]["gain"] = difference._asdict()
    compared = [each["gain"] for each in result.values() if "gain" in each]
    for gain, adjusted in zip(
        compared, holm([gain["bootstrap_p"] for gain in compared]), strict=True
    ):
        gain["holm"] = adjusted
    return result


def of_seeds(predicted: Mapping[int, Predicted], seeds: Iterable[int]) -> DocumentCounts:
    """The counts of some runs, in the order of their seeds."""
    return document_counts([predicted[seed] for seed in sorted(seeds)])


def by_genre(stages: Runs) -> dict[str, dict[str, Spread]]:
    """For each stage, CoNLL by genre of OntoGUM: mean and standard deviation over seeds."""
    result: dict[str, dict[str, Spread]] = {}
    for stage, seeds in stages.items():
        names = next(iter(seeds.values())).documents
        counts = of_seeds(seeds, seeds)
        result[stage] = {}
        for genre in sorted({name.split("_")[1] for name in names}):
            chosen = [at for at, name in enumerate(names) if name.split("_")[1] == genre]
            part = DocumentCounts({name: c[:, chosen] for name, c in counts.counts.items()})
            result[stage][genre] = Spread.of(part.score("conll").tolist())
    return result


def gains_table(results: Mapping[str, Mapping[str, Any]], metric: str) -> str:
    rows = []
    for stage, result in results.items():
        row = [stage, str(len(result["seeds"])), shown(result["mean"], result["sd"])]
        if gain := result.get("gain"):
            row += [
                f"{100 * gain['mean']:+.2f}",
                f"{100 * gain['low']:+.2f} to {100 * gain['high']:+.2f}",
                *(f"{gain[p]:.4f}" for p in ("bootstrap_p", "holm", "p_value")),
            ]
        rows.append(row + [""] * (8 - len(row)))
    title = "CoNLL" if metric == "conll" else "F1"
    columns = ["stage", "seeds", title, "gain", "95 %", "p", "p (Holm)", "p (permutation)"]
    return format_table(columns, rows)


def genres_table(genres: Mapping[str, Mapping[str, Spread]]) -> str:
    names = sorted({name for part in genres.values() for name in part})
    rows = [[name, *(shown(*part[name]) for part in genres.values())] for name in names]
    return format_table(["genre", *genres], rows)


def shown(mean: float, sd: float) -> str:
    return f"{100 * mean:.2f} ± {100 * sd:.2f}"


def report(runs: Path, baseline: str, resamples: int) -> tuple[dict[str, Any], str]:
    """All comparisons, as plain numbers and as text."""
    content: dict[str, Any] = {}
    text = []
    for name, corpus in CORPORA.items():
        stages = predictions(runs, name)
        if not stages:
            continue
        content[name] = gains(stages, baseline, corpus.metric, resamples)
        text += [f"{name}, against {baseline}", gains_table(content[name], corpus.metric), ""]
        if name == "ontogum":
            genres = by_genre(stages)
            content["genres"] = {
                stage: {genre: spread._asdict() for genre, spread in part.items()}
                for stage, part in genres.items()
            }
            text += ["ontogum, CoNLL by genre", genres_table(genres), ""]
    if not content:
        raise CorelaxError(f"{runs}: no predictions; run with --predict --data CORPORA first")
    return content, "\n".join(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("runs", type=Path, help="The folder with seed-1, seed-2, ...")
    parser.add_argument("--predict", action="store_true", help="Write the predictions.")
    parser.add_argument("--data", type=Path, help="The folder with the corpora, for --predict.")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto; for --predict.")
    parser.add_argument("--baseline", default="continued", help="The stage to compare with.")
    parser.add_argument("--resamples", type=int, default=10_000, help="Draws of the bootstrap.")
    parser.add_argument("--json", type=Path, help="A file for all numbers.")
    options = parser.parse_args()
    try:
        if options.predict:
            if options.data is None:
                raise CorelaxError("--predict needs --data, the folder with the corpora")
            predict(options.runs, options.data, options.device)
            return
        content, text = report(options.runs, options.baseline, options.resamples)
        if options.json:
            write_text(options.json, json.dumps(content, indent=2) + "\n")
        print(text, end="")
    except CorelaxError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
