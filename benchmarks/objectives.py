"""Trains every objective with several seeds, and prints the dev scores as a table.

    python benchmarks/objectives.py --train T --dev D --out runs/ontogum --seeds 1 2 3

A stage that was finished before is not trained again, so that a study that was stopped goes on where it was.
Seeds run side by side with --workers.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from corelax.analysis.decisions import ERRORS, TYPES
from corelax.analysis.errors import count_errors
from corelax.io import read
from corelax.metrics.report import METRICS, TITLES
from corelax.train.checkpoint import History
from corelax.train.config import PRETRAINING, Config
from corelax.train.loop import Watcher
from corelax.train.predict import predict_documents
from corelax.train.presets import PRESETS, parse_settings, stage_chain
from corelax.train.stages import choose_device, load_data, train_chain

OBJECTIVES = [name for name in PRESETS if PRESETS[name]["objective"] not in PRETRAINING]


class LineForEachStage(Watcher):
    def epoch(self, config: Config, history: History) -> None:
        last = history.epochs[-1]
        if last.epoch == config.epochs:
            seconds = sum(epoch.seconds for epoch in history.epochs)
            best = history.best
            assert best is not None
            print(
                f"seed {config.seed} {config.stage}: dev {100 * best.dev:.2f} at epoch {best.epoch}, "
                f"{seconds:.1f} s",
                flush=True,
            )


def train_seed(
    seed: int, presets: list[str], arguments: argparse.Namespace
) -> dict[str, dict[str, Any]]:
    torch.set_num_threads(max(1, arguments.threads))
    settings = {**parse_settings(arguments.set), "seed": str(seed)}
    results = {}
    for preset in presets:
        # A setting of a stage that another objective does not have is left out there.
        names = {config.stage for config in stage_chain(preset, {})}
        own = {k: v for k, v in settings.items() if k.split(".")[0] not in set(PRESETS) - names}
        is_metric = PRESETS[preset].get("objective") == "metric"
        if settings.get("singletons") == "keep" and is_metric:
            own["like_original"] = "false"
        chain = stage_chain(preset, own)
        data = load_data(chain[-1], arguments.train, arguments.dev)
        began = time.monotonic()
        model = train_chain(
            chain,
            Path(arguments.out) / f"seed{seed}",
            data,
            device=arguments.device,
            resume=True,
            watcher=LineForEachStage(),
        )
        results[preset] = {**model.training, "seconds": time.monotonic() - began}
        path = Path(arguments.out) / f"seed{seed}" / "results.json"
        path.write_text(json.dumps(results, indent=1))
    return results


def spread(values: list[float]) -> str:
    if len(values) == 1:
        return f"{100 * values[0]:.2f}"
    return f"{100 * statistics.mean(values):.2f} ± {100 * statistics.stdev(values):.2f}"


def print_errors(arguments: argparse.Namespace) -> None:
    """Errors by kind and type of mention, as `corelax errors` counts them; means over seeds."""
    gold = read(arguments.dev)
    print(
        "\n| objective | " + " | ".join(f"{k}, {t}" for k in ERRORS for t in [*TYPES, "all"]) + " |"
    )
    print("|---|" + "--:|" * (len(ERRORS) * (len(TYPES) + 1)))
    for preset in arguments.presets:
        counts = []
        for seed in arguments.seeds:
            model = Path(arguments.out) / f"seed{seed}" / preset
            device = choose_device(arguments.device)
            counts.append(
                count_errors(gold=gold, system=predict_documents(model, gold, device=device))
            )
        means = [
            statistics.mean(count.number(kind, type) for count in counts)
            for kind in ERRORS
            for type in (*TYPES, None)
        ]
        print(f"| `{preset}` | {' | '.join(f'{mean:.0f}' for mean in means)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", required=True)
    parser.add_argument("--dev", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--presets", nargs="+", default=OBJECTIVES)
    parser.add_argument("--set", nargs="*", default=[])
    parser.add_argument("--device", default="auto")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    arguments = parser.parse_args()
    given = parse_settings(arguments.set)
    # The features are extracted once, before several processes ask for them.
    common = {k: v for k, v in given.items() if k.split(".")[0] not in PRESETS}
    load_data(stage_chain("baseline", common)[-1], arguments.train, arguments.dev, print)
    pool = ProcessPoolExecutor(arguments.workers, mp_context=get_context("spawn"))
    with pool:
        futures = {
            seed: pool.submit(train_seed, seed, arguments.presets, arguments)
            for seed in arguments.seeds
        }
        results = {seed: future.result() for seed, future in futures.items()}
    names = [name for name in METRICS if name != "mentions"]
    print(f"| objective | {' | '.join(TITLES[name] for name in names)} | CoNLL |")
    print("|---|" + "--:|" * (len(names) + 1))
    for preset in arguments.presets:
        scores = [results[seed][preset]["scores"] for seed in arguments.seeds]
        cells = [f"{100 * statistics.mean(s[name]['f1'] for s in scores):.2f}" for name in names]
        cells.append(spread([s["conll"] for s in scores]))
        print(f"| `{preset}` | {' | '.join(cells)} |")
    print_errors(arguments)
    one = results[arguments.seeds[0]][arguments.presets[0]]["scores"]["mentions"]
    print(f"mention recall {100 * one['recall']:.1f}, precision {100 * one['precision']:.1f}")


if __name__ == "__main__":
    main()
