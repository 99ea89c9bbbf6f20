"""What the CorefUD scorer 1.2 and coval print for invented files, with every combination of their options."""

import gzip
import json
from pathlib import Path

import pytest

from corelax.document import Clustering, Document, Span
from corelax.document.gold import GLOBAL_ENTITY
from corelax.io import read
from corelax.metrics import align, score
from corelax.metrics.scoring import score_files

FILE = Path(__file__).parents[1] / "data" / "matching_cases.json.gz"
INPUTS = json.loads(gzip.decompress(FILE.read_bytes()))["inputs"]
TOLERANCE = 1e-9


def inputs(kind):
    chosen = [pytest.param(case, id=case["name"]) for case in INPUTS if case["kind"] == kind]
    return pytest.mark.parametrize("case", chosen)


def written(case, folder, suffix):
    """Both files of a case."""
    sides = {"gold": folder / f"gold.{suffix}", "system": folder / f"system.{suffix}"}
    sides["gold"].write_text(case["key"], "utf-8")
    sides["system"].write_text(case["response"], "utf-8")
    return sides


def figures(report, names):
    scores = {
        name: pytest.approx([*report[name]], abs=TOLERANCE) for name in names if name != "conll"
    }
    return {**scores, "conll": pytest.approx(report.conll, abs=TOLERANCE)}


@inputs("corefud")
def test_the_profile_corefud_has_the_figures_of_the_corefud_scorer(case, tmp_path):
    files = written(case, tmp_path, "conllu")
    for run in case["runs"]:
        report = score_files(**files, profile="corefud", **run["options"])
        assert run["figures"] == figures(report, run["figures"]), run["options"]


def test_the_profile_corefud_does_by_default_as_the_shared_tasks_do(tmp_path):
    default = {"match": "head", "singletons": "drop", "zeros": "dependent"}
    for case in (case for case in INPUTS if case["kind"] == "corefud"):
        [run] = [run for run in case["runs"] if run["options"] == default]
        report = score_files(**written(case, tmp_path, "conllu"), profile="corefud")
        assert run["figures"] == figures(report, run["figures"])
        assert list(report) == ["muc", "b_cubed", "ceaf_e", "ceaf_m", "blanc", "lea", "mor", "zero"]


@inputs("corefud")
def test_matching_in_the_normal_profile_renames_and_counts_as_ever(case, tmp_path):
    """The other profile differs for mentions in two entities, in BLANC, and where its table collides."""
    files = written(case, tmp_path, "conllu")
    if any(doc.clusters.repeated for path in files.values() for doc in read(path)):
        pytest.skip("a mention in two entities")
    metrics = ["muc", "b_cubed", "ceaf_e", "ceaf_m", "lea", "mor"]
    for run in case["runs"]:
        if not run.get("collision"):
            report = score_files(**files, metrics=metrics, **run["options"])
            expected = {name: run["figures"][name] for name in (*metrics, "conll")}
            assert expected == figures(report, metrics), run["options"]


def node_names(doc, span, sentences_before):
    """A mention as the cases write it, without its head: document, then sentence and id of each node."""
    starts = doc.sentence_starts
    names = []
    for node in doc.nodes(span):
        if isinstance(node, int):
            sentence = sum(start <= node for start in starts) - 1
            names.append(f"{sentence + 1 + sentences_before}:{node - starts[sentence] + 1}")
        else:
            names.append(f"{node.sentence + 1 + sentences_before}:{node}")
    return " ".join([doc.id, *names])


def has_spans_with_two_heads(doc):
    heads = {}
    for label, cluster in zip(doc.clusters.labels, doc.clusters, strict=True):
        for span in cluster:
            known = doc.mention_heads.get((label, span), (doc.head_of(label, span),))
            heads.setdefault(span, set()).update(known)
    return any(len(of_span) > 1 for of_span in heads.values())


@inputs("corefud")
def test_align_pairs_the_mentions_that_the_corefud_scorer_pairs(case, tmp_path):
    files = written(case, tmp_path, "conllu")
    gold, system = read(files["gold"]), read(files["system"])
    if any(map(has_spans_with_two_heads, (*gold, *system))):
        pytest.skip("a span with two heads is two mentions")
    for run in case["runs"]:
        options = dict(run["options"])
        if options.pop("singletons") == "drop":
            continue
        pairs, sentences = set(), 0
        for ours, theirs in zip(gold, system, strict=True):
            aligned = align(gold=ours, system=theirs, **options)
            assert len(set(aligned.values())) == len(aligned)
            pairs |= {
                (node_names(ours, g, sentences), node_names(theirs, s, sentences))
                for s, g in aligned.items()
            }
            sentences += len(ours.sentence_starts)
        different = {(ours, theirs) for ours, theirs in pairs if ours != theirs}
        expected = {tuple(name.replace("*", "") for name in pair) for pair in run["pairs"]}
        assert different == {pair for pair in expected if pair[0] != pair[1]}, run["options"]


@inputs("coval")
def test_min_span_np_and_nested_have_the_figures_of_coval(case, tmp_path):
    files = written(case, tmp_path, "conll")
    for run in case["runs"]:
        asked = run["options"]
        report = score_files(
            **files,
            match="min-span" if asked["min_span"] else "exact",
            only="np" if asked["np_only"] else None,
            nested="drop" if asked["remove_nested"] else "keep",
            singletons=asked["singletons"],
        )
        assert run["figures"] == figures(report, run["figures"]), asked


@pytest.mark.parametrize(
    ("fields", "precision"), [("eid-etype-head", 5.5 / 8), ("GRP-etype", 6.5 / 8)]
)
def test_entities_of_a_corpus_keep_the_order_in_which_they_are_first_met(fields, precision):
    """A mention of two gold entities is found in the last: of their order in the first document, if names
    (`eid`) are those of the corpus, otherwise of their order in the document itself."""

    def document(name, **entities):
        clusters = Clustering([[Span(i, i + 1) for i in c] for c in entities.values()], entities)
        extra = {GLOBAL_ENTITY: fields}
        return Document(id=name, words=tuple("abcdef"), clusters=clusters, extra=extra)

    first = document("1", e1=[0, 1], e2=[2, 3])
    gold = [first, document("2", e1=[1, 4], e2=[0, 4])]
    system = [first, document("2", e3=[1, 4], e4=[0, 5])]
    report = score(gold=gold, system=system, profile="corefud", match="exact")
    assert report["b_cubed"].precision == precision
