"""Two figures: what a temperature does to probabilities, and how relaxed scores become exact ones.

python examples/02_temperature.py [FOLDER]      (default: out)
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import torch
from torch import Tensor

from corelax.decode import best_entities
from corelax.metrics import METRICS, Report, evaluate
from corelax.relax import entity_probs, link_probs, sharpen
from corelax.relax import evaluate as relaxed

mpl.use("Agg")  # files, no windows
from matplotlib import pyplot as plt

TEMPERATURES = [1.0, 0.8, 0.6, 0.45, 0.35, 0.25, 0.18, 0.12, 0.08, 0.05, 0.03, 0.02, 0.01]
SHOWN = [name for name in METRICS if name != "mentions"]


def document(n: int = 40, entities: int = 6, seed: int = 3) -> tuple[Tensor, Tensor]:
    """Scores that favour gold antecedents, without being sure of them."""
    generator = torch.Generator().manual_seed(seed)
    gold = torch.randint(-2, entities, [n], generator=generator).clamp(min=-1)
    same = ((gold[:, None] == gold) & (gold >= 0)).tril(-1)
    scores = torch.randn(n, n, generator=generator, dtype=torch.float64)
    return scores + 4 * same + 3.5 * torch.eye(n), gold


def exact_report(scores: Tensor, gold: Tensor) -> Report:
    """The scores of the clusters that relaxed metrics tend to."""
    clusters = [torch.nonzero(gold == v).flatten().tolist() for v in range(int(gold.max()) + 1)]
    return evaluate(gold=clusters, system=best_entities(scores), singletons="drop")


def draw_temperature(path: Path) -> None:
    """p(m ∈ E_u) of one mention, sharpened more and more."""
    links = link_probs(
        torch.tensor([[0.0, 0, 0, 0], [0.2, 0.6, 0, 0], [0.1, 0.3, 0.7, 0], [1.1, 0.5, 0.8, 0.9]])
    )
    probs = entity_probs(links)
    figure, axes = plt.subplots(1, 4, figsize=(9, 2.4), sharey=True, layout="constrained")
    for axis, temperature in zip(axes, (1.0, 0.5, 0.2, 0.05), strict=True):
        axis.bar(range(4), sharpen(probs, temperature)[3].tolist(), color="#3b6ea5")
        axis.set(title=f"T = {temperature:g}", xticks=range(4), xlabel="entity u", ylim=(0, 1))
        axis.set_xticklabels([f"$E_{u + 1}$" for u in range(4)])
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("$p(m_4 \\in E_u)$")
    figure.savefig(path, dpi=130)
    plt.close(figure)


def draw_limits(path: Path) -> None:
    """Relaxed F1 against T, and the exact F1 of entity decoding at the left edge."""
    scores, gold = document()
    exact = exact_report(scores, gold)
    reports = [relaxed(scores, gold, temperature=temperature) for temperature in TEMPERATURES]
    figure, axis = plt.subplots(figsize=(7, 3.8), layout="constrained")
    for number, name in enumerate(SHOWN):
        color = f"C{number}"
        axis.plot(
            TEMPERATURES,
            [report[name].f1.item() for report in reports],
            color=color,
            label=METRICS[name].title,
        )
        axis.plot([0.0075], [exact[name].f1], marker="o", color=color, clip_on=False)
        print(
            f"{METRICS[name].title:7} T = 1: {reports[0][name].f1:.3f}"
            f"   T = 0.01: {reports[-1][name].f1:.3f}",
            end="",
        )
        print(f"   exact: {exact[name].f1:.3f}")
    axis.set(
        xscale="log", xlim=(0.0075, 1), xlabel="temperature T", ylabel="F1, singletons dropped"
    )
    axis.set_title("Relaxed scores (lines) tend to exact ones (dots)", loc="left", fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
    folder.mkdir(parents=True, exist_ok=True)
    draw_temperature(folder / "temperature.png")
    draw_limits(folder / "limits.png")
    print(f"figures are in {folder}/")


if __name__ == "__main__":
    main()
