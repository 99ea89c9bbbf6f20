"""`corelax compare GOLD A B...`: systems side by side, with intervals, p values, errors and passages."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from corelax.cli.options import (
    AsCsv,
    AsJson,
    AsLatex,
    Device,
    InputFormat,
    check_one_output,
    note,
    print_json,
    print_table,
)
from corelax.core.errors import CorelaxError
from corelax.metrics.registry import METRICS, check_metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corelax.analysis import Agreement, Comparison
    from corelax.cli.compare_inputs import Source, Texts
    from corelax.document import Document
    from corelax.render import Page, Passages

CONLL = "conll"


def _metric_names(names: list[str] | None) -> list[str] | None:
    """What `--metric` takes, or an error of usage."""
    if not names:
        return None
    try:
        check_metrics(name for name in names if name != CONLL)
    except CorelaxError as error:
        raise typer.BadParameter(str(error)) from None
    return names


def compare(
    gold: Annotated[
        str,
        typer.Argument(
            metavar="GOLD",
            help="The right answers, or a text without: file or folder; - is standard input.",
        ),
    ],
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM...",
            help="Two or more: files or folders of output, or models (folder or installed name) to run. "
            "NAME=FILE names a system, NAME=FILE,FILE has several runs.",
        ),
    ],
    json: AsJson = False,
    csv: AsCsv = False,
    latex: AsLatex = False,
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a page for the browser; - is standard output."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            callback=_metric_names,
            help=f"Only this one of {', '.join(METRICS)}, {CONLL}; may be repeated.",
        ),
    ] = None,
    singletons: Annotated[
        Literal["keep", "drop"] | None,
        typer.Option(help="Whether entities of one mention count, on all sides; else they do."),
    ] = None,
    resamples: Annotated[
        int, typer.Option(min=1, max=10_000_000, metavar="N", help="Of an interval and a p value.")
    ] = 10_000,
    confidence: Annotated[float, typer.Option(help="Of the intervals, between 0 and 1.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Of the resamples.")] = 0,
    passages: Annotated[
        int,
        typer.Option(
            min=0, max=100_000, metavar="N", help="Passages to show where systems differ."
        ),
    ] = 6,
    format: InputFormat = None,
    scheme: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Annotation scheme of models that know several."),
    ] = None,
    device: Device = "auto",
) -> None:
    """Compare systems: scores with intervals and p values, errors, and passages where they differ.

    Differences are to the first system. p is of a paired permutation test over documents; Holm's correction
    is for all p values of the table. Without gold entities, the systems are compared with each other.
    """
    from corelax.analysis import compare as compare_systems
    from corelax.analysis import compare_outputs
    from corelax.cli.compare_inputs import parse_systems, read_texts

    check_one_output(json=json, csv=csv, latex=latex)
    if [gold, *systems].count("-") > 1:
        raise CorelaxError("standard input can be read once only")
    if len(systems) < 2:
        raise typer.BadParameter("name two systems or more", param_hint="SYSTEM")
    _check_target(html, gold, systems, is_data=json or csv or latex)
    sources = parse_systems(systems)
    texts = read_texts(gold, format, note)
    if not texts.is_gold and (several := [name for name, runs in sources.items() if len(runs) > 1]):
        raise CorelaxError(f"{several[0]}: several runs are compared on gold entities only")
    runs = _documents(sources, texts, format, scheme, device)
    chosen = {"singletons": singletons}
    options: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    result: Comparison | Agreement
    if texts.is_gold:
        result = compare_systems(
            texts.documents,
            runs,
            metrics=metric,
            resamples=resamples,
            confidence=confidence,
            seed=seed,
            passages=passages,
            **options,
        )
        for line in result.notes:
            note(line)
    else:
        outputs = {name: of_system[0] for name, of_system in runs.items()}
        result = compare_outputs(outputs, metrics=metric, passages=passages, **options)
    if html is not None:
        _write_page(result, html, ", ".join(sources))
    _print(result, json=json, csv=csv, latex=latex, is_quiet=html is not None)


def _check_target(html: str | None, gold: str, systems: Sequence[str], *, is_data: bool) -> None:
    from corelax.core.overwriting import check_not_input

    if html == "-" and is_data:
        raise CorelaxError("--html - and tables cannot both go to standard output; name a file")
    if html is not None:
        check_not_input(html, [gold, *systems])


def _documents(
    sources: Mapping[str, Sequence[Source]],
    texts: Texts,
    format: str | None,
    scheme: str | None,
    device: str,
) -> dict[str, list[list[Document]]]:
    """The runs of each system: files are read first, so that an error in one comes before models run."""
    from corelax.cli.compare_inputs import read_system, run_model
    from corelax.cli.progress import UnitsProgress

    is_model = [source.is_model for runs in sources.values() for source in runs]
    if scheme is not None and not any(is_model):
        raise CorelaxError("--scheme is of models that are run; the systems are all files")
    ready = {
        source: read_system(source, texts, format)
        for runs in sources.values()
        for source in runs
        if not source.is_model
    }
    documents = texts.documents
    wanted, done = sum(is_model) * len(documents), 0
    with UnitsProgress() as bar:
        for name, runs in sources.items():
            for source in runs:
                if source in ready:
                    continue

                def advance(name: str = name) -> None:
                    nonlocal done
                    done += 1
                    bar.update(done, wanted, [name])

                ready[source] = run_model(
                    source, documents, scheme=scheme, device=device, note=note, progress=advance
                )
    return {name: [ready[source] for source in runs] for name, runs in sources.items()}


def _write_page(result: Comparison | Agreement, target: str, names: str) -> None:
    from corelax.core.files import open_for_writing
    from corelax.render import page_html

    title, command = f"Comparison: {names}", shlex.join(["corelax", *sys.argv[1:]])
    with open_for_writing(target) as file:
        file.write(page_html(_page(result, title, command)) + "\n")


def _page(result: Comparison | Agreement, title: str, command: str) -> Page:
    from corelax.analysis import Comparison, agreement_page, comparison_page

    if isinstance(result, Comparison):
        return comparison_page(result, title=title, command=command)
    return agreement_page(result, title=title, command=command)


def _print(
    result: Comparison | Agreement, *, json: bool, csv: bool, latex: bool, is_quiet: bool
) -> None:
    from corelax.analysis import (
        Comparison,
        agreement_passages,
        agreement_table,
        comparison_passages,
        comparison_table,
        errors_table,
    )
    from corelax.render import table_text

    if json:
        print_json(result.as_dict())
    elif csv or latex:
        if isinstance(result, Comparison):
            print_table(comparison_table(result, grouped=latex), latex=latex)
        else:
            print_table(agreement_table(result), latex=latex)
    elif is_quiet:
        return
    elif isinstance(result, Comparison):
        print(table_text(comparison_table(result)))
        print(f"\n{errors_table(result.errors)}")
        _print_passages(comparison_passages(result))
    else:
        print(table_text(agreement_table(result)))
        _print_passages(agreement_passages(result))


def _print_passages(passages: Passages) -> None:
    from rich.console import Console

    from corelax.core.printed import unfiltered
    from corelax.render import print_passages

    if passages.passages:
        print()
        sys.stdout.flush()
        print_passages(passages, Console(file=unfiltered(sys.stdout)))
