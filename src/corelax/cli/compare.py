"""`corelax compare GOLD A B...`: systems side by side, with intervals, p values, errors and passages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from corelax.cli.options import (
    AsCsv,
    AsJson,
    AsLatex,
    CrossDocument,
    InputFormat,
    Match,
    Nested,
    Only,
    Singletons,
    Zeros,
    check_one_output,
    metric_names,
    note,
)
from corelax.cli.parameters import Argument, BadParameter, Option
from corelax.core.device import Device
from corelax.core.errors import CorelaxError
from corelax.metrics.registry import METRICS, SUPPLEMENTS

if TYPE_CHECKING:
    from corelax.analysis import Agreement, Comparison

CONLL = "conll"


def compare(
    gold: Annotated[
        str,
        Argument(
            metavar="GOLD",
            help="The right answers, or a text without: one file, or a folder of files; - is standard input.",
        ),
    ],
    systems: Annotated[
        list[str],
        Argument(
            metavar="SYSTEM",
            help="Two or more: files or folders of output, or models (folder or installed name) to run. "
            "NAME=FILE names a system, NAME=FILE,FILE has several runs.",
        ),
    ],
    json: AsJson = False,
    csv: AsCsv = False,
    latex: AsLatex = False,
    html: Annotated[
        str | None,
        Option(metavar="FILE", help="Write a page for the browser; - is standard output."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        Option(
            metavar="NAME",
            check=partial(metric_names, average=True),
            help=f"Only this one of {', '.join((*METRICS, *SUPPLEMENTS))}, {CONLL}; may be repeated.",
        ),
    ] = None,
    match: Match = None,
    zeros: Zeros = None,
    singletons: Singletons = None,
    only: Only = None,
    nested: Nested = "keep",
    cross_document: CrossDocument = None,
    profile: Annotated[
        Literal["normal", "corefud"],
        Option(help="'corefud' does as the scorer of the CRAC shared tasks."),
    ] = "normal",
    resamples: Annotated[
        int, Option(min=1, max=10_000_000, metavar="N", help="Of an interval and a p value.")
    ] = 10_000,
    confidence: Annotated[float, Option(help="Of the intervals, between 0 and 1.")] = 0.95,
    seed: Annotated[int, Option(min=0, help="Of the resamples.")] = 0,
    passages: Annotated[
        int,
        Option(min=0, max=100_000, metavar="N", help="Passages to show where systems differ."),
    ] = 6,
    format: InputFormat = None,
    scheme: Annotated[
        str | None,
        Option(metavar="NAME", help="Annotation scheme of models that know several."),
    ] = None,
    device: Device = "auto",
) -> None:
    """Compare systems: scores with intervals and p values, errors, and passages where they differ.

    Differences are to the first system. p is of a paired permutation test over documents; Holm's correction
    is for all p values of the table. Without gold entities, the systems are compared with each other.
    """
    from corelax.analysis import compare as compare_systems
    from corelax.analysis import compare_outputs
    from corelax.cli.compare_inputs import input_paths, parse_systems, read_texts, system_runs
    from corelax.cli.compare_shown import print_result, write_page
    from corelax.core.overwriting import check_not_input

    check_one_output(json=json, csv=csv, latex=latex)
    if html == "-" and (json or csv or latex):
        raise CorelaxError("--html - and tables cannot both go to standard output; name a file")
    if len(systems) < 2:
        raise BadParameter("name two systems or more", param_hint="SYSTEM")
    sources = parse_systems(systems)
    if [gold, *(run.path for runs in sources.values() for run in runs)].count("-") > 1:
        raise CorelaxError("standard input can be read once only")
    if html is not None:
        check_not_input(html, [*input_paths(gold, sources), cross_document])
    texts = read_texts(gold, format, note, cross_document)
    if not texts.is_gold and (several := [name for name, runs in sources.items() if len(runs) > 1]):
        raise CorelaxError(f"{several[0]}: several runs are compared on gold entities only")
    runs = system_runs(sources, texts, format=format, scheme=scheme, device=device, note=note)
    chosen = {
        "singletons": singletons,
        "match": match,
        "zeros": zeros,
        "only": only,
        "nested": nested,
        "profile": profile,
    }
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
    else:
        outputs = {name: of_system[0] for name, of_system in runs.items()}
        result = compare_outputs(outputs, metrics=metric, passages=passages, **options)
    for line in result.notes:
        note(line)
    if html is not None:
        write_page(result, html, f"Comparison: {', '.join(sources)}")
    print_result(result, json=json, csv=csv, latex=latex, is_quiet=html is not None)
