"""`corelax compare GOLD A B...`: systems side by side, with intervals, p values, errors and passages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from corelax.cli.options import (
    AsCsv,
    AsJson,
    AsLatex,
    InputFormat,
    check_one_output,
    note,
)
from corelax.cli.parameters import BadParameter
from corelax.core.device import Device
from corelax.core.errors import CorelaxError
from corelax.core.options import Argument, Option, check_options
from corelax.metrics.options import CompareOptions, CrossDocument

if TYPE_CHECKING:
    from corelax.analysis import Agreement, Comparison


@dataclass(frozen=True, kw_only=True)
class InputOptions:
    """How the files of GOLD and SYSTEM are read, and models run."""

    cross_document: CrossDocument = None
    format: InputFormat = None
    scheme: Annotated[
        str | None,
        Option(metavar="NAME", help="Annotation scheme of models that know several."),
    ] = None
    device: Device = "auto"

    def __post_init__(self) -> None:
        check_options(self)


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
    options: CompareOptions,
    inputs: InputOptions,
    html: Annotated[
        str | None,
        Option(metavar="FILE", help="Write a page for the browser; - is standard output."),
    ] = None,
    json: AsJson = False,
    csv: AsCsv = False,
    latex: AsLatex = False,
) -> None:
    """Compare systems: scores with intervals and p values, errors, and passages where they differ.

    Differences are to the first system. p is of a paired permutation test over documents; Holm's correction
    is for all p values of the table. Without gold entities, the systems are compared with each other.
    """
    from corelax.analysis import compare as compare_systems
    from corelax.analysis import compare_outputs
    from corelax.cli.compare_inputs import input_paths, parse_systems, read_texts, system_runs
    from corelax.cli.compare_shown import print_result, write_page
    from corelax.core.files import check_not_input

    check_one_output(json=json, csv=csv, latex=latex)
    if html == "-" and (json or csv or latex):
        raise CorelaxError("--html - and tables cannot both go to standard output; name a file")
    if len(systems) < 2:
        raise BadParameter("name two systems or more", param_hint="SYSTEM")
    sources = parse_systems(systems)
    if [gold, *(run.path for runs in sources.values() for run in runs)].count("-") > 1:
        raise CorelaxError("standard input can be read once only")
    if html is not None:
        check_not_input(html, [*input_paths(gold, sources), inputs.cross_document])
    texts = read_texts(gold, inputs, note)
    if not texts.is_gold and (several := [name for name, runs in sources.items() if len(runs) > 1]):
        raise CorelaxError(f"{several[0]}: several runs are compared on gold entities only")
    runs = system_runs(sources, texts, inputs, note)
    result: Comparison | Agreement
    if texts.is_gold:
        result = compare_systems(texts.documents, runs, options=options)
    else:
        outputs = {name: of_system[0] for name, of_system in runs.items()}
        result = compare_outputs(outputs, options=options)
    for line in result.notes:
        note(line)
    if html is not None:
        write_page(result, html, f"Comparison: {', '.join(sources)}")
    print_result(result, json=json, csv=csv, latex=latex, is_quiet=html is not None)
