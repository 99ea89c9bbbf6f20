"""The figures of docs/scale.md, from what `benchmarks/scale.py --write docs/results/scale.json` has measured.

`python scripts/scale_page.py` writes each table between its marks. Prices are those of the options: nobody's,
but of the usual size, so that the order of cost can be seen.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE, RESULTS = ROOT / "docs" / "scale.md", ROOT / "docs" / "results" / "scale.json"
BILLION = 1e9  # tokens
CORE_HOUR, GPU_HOUR = 0.04, 3.0  # dollars
MARK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(header: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---", *["--:"] * (len(header) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def core_rate(results: dict[str, Any]) -> float:
    """Tokens per second of one core."""
    way = results["speed"]["ways"]["one"]
    return float(way["rate"] * way["words"])


def speed(results: dict[str, Any], _: argparse.Namespace) -> str:
    """Processes and Ray beside each other."""
    measured = results["speed"]
    names = {"one": "one process", "two": "two processes", "ray": "Ray, two workers"}
    rows = [
        [
            names[name],
            f"{way['rate']:.1f}",
            f"{way['rate'] * way['words']:,.0f}",
            f"{way['start']:.0f} s",
            f"{measured['efficiency'][name]:.0%}" if name in measured["efficiency"] else "",
        ]
        for name, way in measured["ways"].items()
    ]
    text = table(["", "documents/s", "tokens/s", "until the first shards", "efficiency"], rows)
    if "ray_ms_per_document" in measured:
        text += f"\nRay over two processes: {measured['ray_ms_per_document']:+.1f} ms a document.\n"
    return (
        text
        + f"\n{measured['documents']} texts of about {measured['ways']['one']['words']:.0f} tokens, "
        f"medians of {measured['rounds']} rounds in turn, {measured['cores']} cores, load before "
        f"{measured['load_before']}.\n"
    )


def billion(results: dict[str, Any], options: argparse.Namespace) -> str:
    """Hours and money for a billion tokens."""
    rates = {"one CPU core": (core_rate(results), options.core_hour)}
    gpu = results["gpu"]
    rates[f"one {gpu['name']}"] = (gpu["tokens_per_second"], options.gpu_hour)
    rows = []
    for name, (rate, price) in rates.items():
        hours = BILLION / rate / 3600
        rows.append(
            [name, f"{rate:,.0f}", f"{hours:,.1f}", f"{hours / 24:,.1f}", f"{hours * price:,.0f} $"]
        )
    header = [
        "",
        "tokens/s",
        "hours",
        "days of one",
        f"at {options.core_hour} and {options.gpu_hour} $/hour",
    ]
    return table(header, rows)


def storage(results: dict[str, Any], _: argparse.Namespace) -> str:
    """Bytes of inputs and parts."""
    way = results["speed"]["ways"]["one"]
    rows = [
        ["texts as lines of JSON", f"{way['bytes_in']:.1f}", f"{way['bytes_in']:,.0f} GB"],
        ["parts as lines of JSON", f"{way['bytes_out']:.1f}", f"{way['bytes_out']:,.0f} GB"],
    ]
    return table(["", "bytes a token", "a billion tokens"], rows)


def bottleneck(results: dict[str, Any], _: argparse.Namespace) -> str:
    """How many workers it takes until something else than they is the limit."""
    way, driver = results["speed"]["ways"]["one"], results["driver"]
    workers = {
        "CPU cores": core_rate(results),
        results["gpu"]["name"]: results["gpu"]["tokens_per_second"],
    }
    rows = []
    for name, rate in workers.items():
        out = rate * way["bytes_out"] / 1e6
        most = driver["write"] / out
        gigabit = 125 / (rate * (way["bytes_in"] + way["bytes_out"]) / 1e6)
        rows.append([name, f"{out:.3f} MB/s", f"{gigabit:,.0f}", f"{most:,.0f}"])
    text = table(
        ["", "output of one", "fill a gigabit network", "fill the process that writes"], rows
    )
    return text + (
        f"\nThe process that plans cuts {driver['cut']:,.0f} MB/s of lines and writes "
        f"{driver['write']:,.0f} MB/s of parts, each of them safe on the disk.\n"
    )


def memory(results: dict[str, Any], _: argparse.Namespace) -> str:
    """Memory over many documents."""
    if "memory" not in results:
        return "Not measured yet.\n"
    measured = results["memory"]
    text = table(
        ["documents", *(f"{share}0 %" for share in range(1, 11))],
        [["MiB", *(f"{size:.0f}" for size in measured["mib"])]],
    )
    return text + (
        f"\n{measured['documents']:,} texts of a dozen words, {measured['jobs']} process(es): "
        f"{measured['mib_per_10000']:+.2f} MiB for 10,000 documents, by a straight line from 10 % on.\n"
    )


def score(results: dict[str, Any], _: argparse.Namespace) -> str:
    """Seconds and memory of scoring."""
    rows = [
        [
            f"{row['tokens']:,}",
            f"{row['seconds']:,.0f} s",
            f"{row['tokens'] / row['seconds']:,.0f}",
            f"{row['mib']:.0f} MiB",
        ]
        for row in results["score"]["sizes"]
    ]
    return table(["tokens", "time", "tokens/s", "memory"], rows)


TABLES: dict[str, Callable[[dict[str, Any], argparse.Namespace], str]] = {
    function.__name__: function for function in (speed, billion, storage, bottleneck, memory, score)
}


def page_with_figures(page: str, results: dict[str, Any], options: argparse.Namespace) -> str:
    """The page with every table made anew."""

    def filled(match: re.Match[str]) -> str:
        return f"{match[1]}\n{TABLES[match[2]](results, options)}\n{match[3]}"

    return MARK.sub(filled, page)


def options_of(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options of the script."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--core-hour", type=float, default=CORE_HOUR, help="dollars")
    parser.add_argument("--gpu-hour", type=float, default=GPU_HOUR, help="dollars")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    made = page_with_figures(PAGE.read_text(), json.loads(RESULTS.read_text()), options_of())
    PAGE.write_text(made)
