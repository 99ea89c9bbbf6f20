"""Losses of any scores and arguments: a finite loss with finite gradients, or an error of one line."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import torch

from corelax import CorelaxError, losses
from corelax.metrics import METRICS
from corelax.relax.advice import trusted
from tests.fuzz.shrink import smaller_fields
from tests.fuzz.target import Target
from tests.fuzz.targets.readers import check_message

NUMBERS = [
    *(0, 1, 0.5, 3, 1e-9, 1e-30, 1e-39, 1e-300, 20, 700, 710, 1e4, 1e6, 1e30, 1e39, 1e200, 1e308),
    *(-1, -1e-9, float("nan"), float("inf"), -float("inf"), True, None, "x"),
]
SCALES = [0, 1e-30, 1, 5, 100, 1e4, 1e10, 1e30]
DTYPES = ["float32", "float64", "float16", "bfloat16"]
METRIC_NAMES = [*METRICS, "conll"]
OPTIONS: dict[str, dict[str, list[Any]]] = {
    "ranking_loss": {"costs": NUMBERS},
    "entity_loss": {"costs": NUMBERS, "cost_same_cluster": NUMBERS},
    "margin_loss": {"costs": NUMBERS, "margin": NUMBERS},
    "antecedent_loss": {"margin": NUMBERS},
    "anaphoricity_loss": {"weight": NUMBERS},
    "reinforce_loss": {
        "metric": ["b_cubed", "lea", "muc"],
        "singletons": ["keep", "drop"],
        "actions": ["greedy", "sampled"],
        "gold_sizes": NUMBERS,
    },
    "rescale_loss": {
        "metric": ["b_cubed", "lea"],
        "singletons": ["keep", "drop"],
        "margin": NUMBERS,
        "gold_sizes": NUMBERS,
    },
    "metric_loss": {
        "metric": METRIC_NAMES,
        "weights": NUMBERS,
        "beta": NUMBERS,
        "temperature": NUMBERS,
        "temperature_on": ["entity", "link", None],
        "family": ["entity", "pairwise"],
        "singletons": ["keep", "drop"],
        "like_original": [True, False],
        "as_printed": [True, False],
        "pool": ["document", "batch"],
        "gold_sizes": NUMBERS,
    },
}


def make(rng: random.Random) -> bytes:
    """A loss, scores as a seed with a scale, gold labels, and a few arguments, as JSON."""
    loss = rng.choice([*OPTIONS, "metric_loss", "metric_loss"])
    size = rng.choice([0, 1, 2, 3, 8, 20])
    usual = rng.random() < 0.6  # arguments that are meant to work
    fields: dict[str, Any] = {
        "loss": loss,
        "seed": rng.randrange(1000),
        "scale": rng.choice(SCALES),
        "dtype": rng.choice(DTYPES),
        "pruned": rng.choice([0, 0, 0.3, 0.9]),
        "documents": rng.choice([None, None, 0, 1, 3]),
        "gold": [rng.choice([-1, 0, 0, 1, 2, size]) for _ in range(size)],
    }
    for option, values in OPTIONS[loss].items():
        if rng.random() < 0.4:
            choices = values[:4] if usual and values is NUMBERS else values
            count = 3 if option == "costs" else 2
            several = option in ("costs", "weights", "gold_sizes")
            value = [rng.choice(choices) for _ in range(count)] if several else rng.choice(choices)
            fields[option] = value
    return json.dumps(fields).encode()


def check(case: bytes, _: Path) -> None:
    """The loss and its gradient."""
    fields = json.loads(case)
    gold = torch.tensor(fields.get("gold", []), dtype=torch.long)
    loss = fields.get("loss", "ranking_loss")
    scores = _scores(fields, len(gold), vector=loss == "anaphoricity_loss")
    arguments = {name: fields[name] for name in OPTIONS[loss] if name in fields}
    if (documents := fields.get("documents")) is not None:
        gold = gold.expand(documents, -1)
        lengths = torch.full((documents,), len(fields.get("gold", [])))
        lengths[:1] = max(int(lengths[0]) - 1, 0) if documents else 0
        gold = torch.where(torch.arange(gold.shape[-1]) < lengths[:, None], gold, -1)
        arguments["lengths"] = lengths
    if "costs" in arguments:
        arguments["costs"] = tuple(arguments["costs"])
    if "weights" in arguments:
        names = [arguments.get("metric", "b_cubed"), "lea"]
        arguments["metric"] = list(zip(names, arguments.pop("weights"), strict=True))
    if "gold_sizes" in arguments:
        sizes = [size for size in arguments["gold_sizes"] if isinstance(size, int | float)]
        sizes = torch.tensor(sizes, dtype=torch.float64)
        arguments["gold_sizes"] = sizes.expand(*gold.shape[:-1], -1)
    try:
        with trusted():  # documents of which everything is pruned are meant
            value = getattr(losses, loss)(scores, gold, **arguments)
    except CorelaxError as error:
        check_message(error)
        return
    assert bool(value.isfinite()), f"{loss} is {value}"
    # Gradients beyond 65,504 overflow in float16, which is what the scaling of losses is for.
    if value.requires_grad and scores.dtype != torch.float16:
        (gradient,) = torch.autograd.grad(value, scores)
        assert bool(gradient.isfinite().all()), f"the gradient of {loss} is not finite"


def _scores(fields: dict[str, Any], size: int, *, vector: bool) -> torch.Tensor:
    """[document, mention, antecedent], or [document, mention]; without documents if there is no batch."""
    generator = torch.Generator().manual_seed(fields.get("seed", 0))
    documents = [] if fields.get("documents") is None else [fields["documents"]]
    shape = [*documents, size] if vector else [*documents, size, size]
    scores = torch.randn(shape, generator=generator, dtype=torch.float64) * fields.get("scale", 1)
    if not vector:
        pruned = torch.rand(shape, generator=generator) < fields.get("pruned", 0)
        scores = scores.masked_fill(pruned.tril(-1), -torch.inf)
    return scores.to(getattr(torch, fields.get("dtype", "float32"))).requires_grad_()


TARGET = Target(name="losses", suffix=".json", make=make, check=check, smaller=smaller_fields)
