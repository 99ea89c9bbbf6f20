"""How fast training is, on a synthetic corpus of the size of the paper's: 2,802 documents, 380,000 mentions,
41 million pairs. Le & Titov needed 15 hours for 20 epochs.

    python benchmarks/train.py                       # on a CPU: extraction, then a sample of documents
    python benchmarks/train.py --device cuda         # on a GPU: whole epochs

Networks are compared in the same run: --presets global2016 deep_all_pairs deep_top_pairs deep_heuristic.
Clark & Manning needed 7 days for 300 epochs.

"Plain" is the same network as one writes it first: a bag of features for every pair, dense gradients, and
torch's own AdaGrad over all weights.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from corelax.io import write
from corelax.losses import ranking_loss
from corelax.rankers.sparse.features.cache import FeatureCorpus, training_corpus
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.folder import fresh_ranker
from corelax.rankers.sparse.mentions.lexicons import load_lexicons
from corelax.synthetic import generate
from corelax.train.sparse.config import Config
from corelax.train.sparse.data import Data, training_documents
from corelax.train.sparse.presets import PRESETS, stage_chain
from corelax.train.sparse.trainee import SparseTrainee

EPOCHS = 20
PAPER_DOCUMENTS = 2802
PUBLISHED_DEEP = 7 * 24 * 3600  # seconds of Clark & Manning's three stages, on a GTX TITAN
DEEP_STAGES = ("deep_all_pairs", "deep_top_pairs", "deep_heuristic")
FEWER = 10  # of the documents that are timed, one in so many for a deep ranker
FEATURES = (
    14_500  # rows of the paper's tables; synthetic text has fewer words, the others are never used
)


class PlainRanker(nn.Module):
    """The same scores, a bag of features a pair."""

    def __init__(self, vocabulary: Vocabulary, hidden_mention: int, hidden_pair: int) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        mention, pair = len(vocabulary.mention), len(vocabulary.pair)

        def table(rows: int, size: int) -> nn.Parameter:
            return nn.Parameter(torch.empty(rows + 1, size).uniform_(-0.1, 0.1))

        self.mention, self.pair = table(mention, hidden_mention), table(pair, hidden_pair)
        self.current, self.previous = table(mention, hidden_pair), table(mention, hidden_pair)
        self.link_mention, self.new = nn.Linear(hidden_mention, 1), nn.Linear(hidden_mention, 1)
        self.link_pair = nn.Linear(hidden_pair, 1)

    def forward(self, table: DocumentTable) -> Tensor:
        device = self.pair.device

        def rows(numbers: np.ndarray, nothing: int) -> Tensor:
            found = np.where(numbers < 0, nothing, numbers)
            return torch.from_numpy(found.astype(np.int64)).to(device)

        features = rows(table.features, len(self.mention) - 1)
        i, j = np.tril_indices(table.size, -1)
        of_code = self.vocabulary.code_rows(table.codes.tolist())[table.code_of_pair]
        of_pair = np.concatenate([of_code, table.current[i], table.previous[j]], axis=1)
        bags = embedding_bag(rows(of_pair, len(self.pair) - 1), self.pair, mode="sum")
        current = embedding_bag(features[i], self.current, mode="sum")
        previous = embedding_bag(features[j], self.previous, mode="sum")
        pairs = self.link_pair(torch.tanh(bags + current + previous))[:, 0]
        hidden = torch.tanh(embedding_bag(features, self.mention, mode="sum"))
        scores = torch.diag_embed(self.new(hidden)[:, 0])
        index = (torch.from_numpy(i).to(device), torch.from_numpy(j).to(device))
        return scores.index_put(index, pairs + self.link_mention(hidden)[index[0], 0])


def wait(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def timed(device: str, work: Callable[[], object]) -> float:
    wait(device)
    began = time.perf_counter()
    work()
    wait(device)
    return time.perf_counter() - began


def peak_memory() -> float:
    """GB of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def with_rows(vocabulary: Vocabulary, rows: int) -> Vocabulary:
    """The vocabulary filled up with features that no document has."""
    more = [f"unused={number}" for number in range(rows - len(vocabulary.mention))]
    settings, inventories = vocabulary.settings, vocabulary.inventories
    return Vocabulary(settings, inventories, [*vocabulary.mention, *more], vocabulary.pair)


def sample_of(tables: Sequence[DocumentTable], number: int) -> list[DocumentTable]:
    """Documents evenly spaced in the order of their sizes."""
    ordered = sorted(tables, key=lambda table: table.size)
    return [ordered[int((k + 0.5) * len(ordered) / number)] for k in range(number)]


def seconds_per_document(
    tables: Sequence[DocumentTable], vocabulary: Vocabulary, config: Config, device: str
) -> float:
    """Of the second epoch: the first sets things up."""
    torch.manual_seed(1)
    ranker = fresh_ranker(vocabulary, config.ranker).to(device)
    corpus = FeatureCorpus(tables, vocabulary, "")
    trainee = SparseTrainee(config, ranker, Data(corpus, corpus))
    order = torch.randperm(len(tables)).tolist()
    warm_up = order if device == "cuda" else order[:3]
    timed(device, lambda: [trainee.step([number]) for number in warm_up])
    return timed(device, lambda: [trainee.step([number]) for number in order]) / len(tables)


def plain_seconds(tables: Sequence[DocumentTable], vocabulary: Vocabulary, device: str) -> float:
    torch.manual_seed(1)
    ranker = PlainRanker(vocabulary, 200, 700).to(device)
    optimizer = torch.optim.Adagrad(ranker.parameters(), lr=0.05, initial_accumulator_value=0.1)

    def steps(tables: Sequence[DocumentTable]) -> None:
        for table in tables:
            gold = torch.from_numpy(table.gold.astype(np.int64)).to(device)
            loss = ranking_loss(ranker(table), gold)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            optimizer.zero_grad()

    steps(tables[:1])
    return timed(device, lambda: steps(tables)) / len(tables)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--documents", type=int, default=PAPER_DOCUMENTS)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--sample", type=int, default=60, help="documents that are timed on a CPU")
    parser.add_argument("--presets", nargs="+", default=list(PRESETS))
    arguments = parser.parse_args()
    device = arguments.device
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CORELAX_CACHE"] = str(Path(folder, "cache"))
        file = Path(folder, "train.conll")
        seconds = timed("cpu", lambda: write(generate(arguments.documents, seed=1), file))
        print(f"generated in {seconds:.0f} s, {file.stat().st_size / 1e6:.0f} MB")
        config = stage_chain("baseline", {})[-1]
        lexicons = load_lexicons("shipped")
        began = time.perf_counter()
        corpus = training_corpus(str(file), config.feature_settings, lexicons)
        extraction = time.perf_counter() - began
        corpus = corpus._replace(vocabulary=with_rows(corpus.vocabulary, FEATURES))
        mentions = sum(table.size for table in corpus.tables)
        pairs = sum(len(table.code_of_pair) for table in corpus.tables)
        print(
            f"{len(corpus.tables)} documents, {mentions:,} mentions, {pairs:,} pairs, "
            f"{len(corpus.vocabulary.mention):,} features"
        )
        print(f"features extracted in {extraction:.0f} s, peak memory {peak_memory():.1f} GB")
        again = timed("cpu", lambda: training_corpus(str(file), config.feature_settings, lexicons))
        [cached] = Path(os.environ["CORELAX_CACHE"]).iterdir()
        print(f"from the cache in {again:.1f} s, {cached.stat().st_size / 1e6:.0f} MB")
        deep = [name for name in arguments.presets if name.startswith("deep")]
        if deep:
            settings = config.feature_settings
            with_words = training_corpus(str(file), settings, lexicons, words=True)
    print(f"\n| {device} | ms a document | documents/s | {EPOCHS} epochs | against baseline |")
    print("|---|--:|--:|--:|--:|")
    baseline = None
    names = ["baseline", *(name for name in arguments.presets if name != "baseline")]
    epochs: dict[str, float] = {}
    for name in names:
        config = stage_chain(name, {})[-1]
        known = with_words if name in deep else corpus
        tables = training_documents(known.tables, config)
        sample = max(arguments.sample // FEWER, 2) if name in deep else arguments.sample
        some = tables if device == "cuda" else sample_of(tables, sample)
        seconds = seconds_per_document(some, known.vocabulary, config, device)
        baseline = baseline or seconds
        epochs[name] = seconds * len(tables) * config.epochs
        total = seconds * len(tables) * EPOCHS
        print(
            f"| `{name}` | {1000 * seconds:.2f} | {1 / seconds:.0f} | {total / 60:.1f} min "
            f"| {seconds / baseline:.2f} |",
            flush=True,
        )
    if set(DEEP_STAGES) <= set(epochs):
        total = sum(epochs[name] for name in DEEP_STAGES) * PAPER_DOCUMENTS / arguments.documents
        print(
            f"\nClark & Manning's 300 epochs at {PAPER_DOCUMENTS:,} documents: {total / 3600:.1f} h, "
            f"the published 7 days are {PUBLISHED_DEEP / total:.2f} times as long"
        )
    tables = training_documents(corpus.tables, stage_chain("baseline", {})[-1])
    some = sample_of(tables, arguments.sample)
    config = stage_chain("baseline", {})[-1]
    ours = seconds_per_document(some, corpus.vocabulary, config, device)
    plain = plain_seconds(
        sample_of(tables, max(arguments.sample // 3, 2)), corpus.vocabulary, device
    )
    print(
        f"\nplain PyTorch, baseline: {1000 * plain:.0f} ms a document, {plain / ours:.0f} times as long"
    )
    print(f"peak memory {peak_memory():.1f} GB", end="")
    if device == "cuda":
        print(f", of the GPU {torch.cuda.max_memory_allocated() / 1e9:.1f} GB", end="")
    print()


if __name__ == "__main__":
    main()
