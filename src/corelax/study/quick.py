"""A study in minutes, without any corpus: synthetic documents, small layers, few epochs."""

from __future__ import annotations

from pathlib import Path

from corelax.io import write
from corelax.study.work import Files
from corelax.synthetic import Shape, generate

DOCUMENTS = {"train": 50, "dev": 20, "test": 20}
MENTIONS = 60  # of a document, on average
SEEDS = 2
TITLE = "Training on the metric: synthetic documents"
REMARK = (
    "**Invented documents, small layers, few epochs**: these numbers say nothing about real text."
)
SETTINGS = {
    "features.lexical_cutoff": "5",
    "hidden_pair": "200",
    "antecedent.epochs": "5",
    "epochs": "5",
}


def synthetic_files(folder: Path) -> Files:
    """Writes training, dev and test documents, where they are not there yet.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name:
    ...     Path(synthetic_files(Path(name)).train).name
    'train.conll'
    """
    folder.mkdir(parents=True, exist_ok=True)
    shape = Shape.conll2012().scaled(MENTIONS)
    for seed, (part, documents) in enumerate(DOCUMENTS.items(), 1):
        path = folder / f"{part}.conll"
        if not path.exists():
            write(generate(documents, seed=seed, shape=shape), path)
    return Files(*(str(folder / f"{part}.conll") for part in DOCUMENTS))
