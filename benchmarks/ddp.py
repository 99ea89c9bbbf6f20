"""Training an encoder ranker with several workers: is it the same, and how much faster is it?

    python benchmarks/ddp.py [--workers 2] [--documents 16] [--batch 4] [--encoder FOLDER] [--json]

The same steps are taken by one process with one thread, and by workers with a thread each. Without dropout
their losses and weights differ by rounding alone. Efficiency is the speed of the workers divided by that of
the one process and by their number; it means little while others use the cores. Without --encoder a BERT with
random weights is made (4 layers of 256, the vocabulary of the documents).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import torch
import transformers
from torch import Tensor

from corelax import Document
from corelax.core.text_table import format_table
from corelax.rankers.encoder.folder import EncoderModel, new_ranker
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.synthetic import Shape, generate
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.corpora import TrainingCorpus, examples_of
from corelax.train.encoder.trainee import EncoderTrainee
from corelax.train.joining import joined
from corelax.train.team import ALONE, END, Team

MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
MENTIONS = 40  # of a document
WARM = 2  # steps that are not timed


class Run(NamedTuple):
    """Losses and seconds of the steps, and the weights after them."""

    losses: list[float]
    seconds: list[float]
    weights: dict[str, Tensor]


def make_encoder(folder: Path, documents: Sequence[Document], layers: int, width: int) -> Path:
    words = sorted({word.lower() for document in documents for word in document.words})
    transformers.utils.logging.disable_progress_bar()
    vocabulary = {word: number for number, word in enumerate([*MARKS, *words])}
    transformers.BertTokenizerFast(vocab=vocabulary).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=width // 32,
        intermediate_size=4 * width,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def model_of(encoder: Path) -> EncoderModel:
    torch.manual_seed(1)
    model = new_ranker(encoder, EncoderSettings(dropout=0.0))
    for module in model.ranker.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return model


def train(encoder: Path, documents: Sequence[Document], config: EncoderConfig, team: Team) -> Run:
    """Takes the steps of all epochs."""
    model = model_of(encoder)
    settings = model.ranker.settings
    corpus = TrainingCorpus(name="made", scheme=settings.schemes[0])
    nothing = [None] * len(documents)
    examples = examples_of(documents, corpus, model.tokenizer, settings, nothing)
    trainee = EncoderTrainee(config, model, examples, {}, team)
    losses, seconds = [], []
    for epoch in range(1, config.epochs + 1):
        torch.manual_seed(epoch)
        order = torch.randperm(len(examples)).tolist()
        trainee.begin_epoch(epoch)
        for start in range(0, len(order), config.batch):
            began = time.perf_counter()
            losses.append(trainee.step(order[start : start + config.batch]).item())
            seconds.append(time.perf_counter() - began)
    return Run(losses, seconds[WARM:], dict(trainee.network.state_dict()))


def measure(
    *,
    workers: int = 2,
    number: int = 16,
    batch: int = 4,
    epochs: int = 2,
    encoder: Path | None = None,
    objective: str = "ranking",
    pool: str = "document",
) -> dict[str, Any]:
    """One process and several workers: how they differ, and how fast they are."""
    documents = list(generate(number, seed=1, shape=Shape.conll2012().scaled(MENTIONS)))
    config = EncoderConfig(
        stage="s", batch=batch, epochs=epochs, objective=objective, metric="conll", pool=pool
    )
    before = torch.get_num_threads()
    with tempfile.TemporaryDirectory() as folder:
        if encoder is None:
            encoder = make_encoder(Path(folder), documents, layers=4, width=256)
        torch.set_num_threads(1)
        one = train(encoder, documents, config, ALONE)
        with joined("cpu", workers) as team:
            torch.set_num_threads(1)
            several = train(encoder, documents, config, team)
            team.call(END, None)
    torch.set_num_threads(before)
    runs = {"1 process": one, f"{workers} workers": several}
    pairs = [(weight, several.weights[name]) for name, weight in one.weights.items()]
    gap = [abs(a - b) / abs(a) for a, b in zip(one.losses, several.losses, strict=True)]
    return {
        "workers": workers,
        "objective": objective,
        "pool": pool,
        "steps": len(one.losses),
        "documents a step": batch,
        "weights": sum(weight.numel() for name, weight in one.weights.items() if "ranker" in name),
        "first and last loss": [one.losses[0], one.losses[-1]],
        "largest difference of losses": max(gap),
        "largest difference of weights": max(float((a - b).abs().max()) for a, b in pairs),
        "seconds a step": {name: median(run.seconds) for name, run in runs.items()},
        "efficiency": median(one.seconds) / median(several.seconds) / workers,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--documents", type=int, default=16)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--encoder", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = [
        measure(
            workers=given.workers,
            number=given.documents,
            batch=given.batch,
            epochs=given.epochs,
            encoder=given.encoder,
            objective=objective,
            pool=pool,
        )
        for objective, pool in (("ranking", "document"), ("metric", "batch"))
    ]
    if given.json:
        print(json.dumps(results, indent=2))
        return
    rows = [
        [
            result["objective"] + (", pooled" if result["pool"] == "batch" else ""),
            f"{result['largest difference of losses']:.1e}",
            f"{result['largest difference of weights']:.1e}",
            *(f"{seconds:.2f} s" for seconds in result["seconds a step"].values()),
            f"{100 * result['efficiency']:.0f} %",
        ]
        for result in results
    ]
    names = [*results[0]["seconds a step"], "efficiency"]
    print(format_table(["objective", "losses differ", "weights differ", *names], rows))


if __name__ == "__main__":
    main()
