"""What the original extractor derives from OntoGUM, and what each switch changes there.

The values quote corpus text, so they are not in the repository: `spec/feature_cases.json.gz` lies beside
the folder that `CORELAX_DATA` names. `test_invented_sentences.py` has cases that need no corpus.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from corelax import Document, io
from corelax.rankers.sparse.features.extract import Described, describe, fit, mention_source, table
from corelax.rankers.sparse.features.mention import mention_values
from corelax.rankers.sparse.features.rows import feature_names
from corelax.rankers.sparse.features.settings import (
    FEATURE_SETS,
    MENTION_TEMPLATES,
    PAIR_TEMPLATES,
    UNKNOWN,
    FeatureSettings,
)
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.mentions.lexicons import Lexicons, load_lexicons
from tests.shared_corpora import DATA, LEXICONS

pytestmark = pytest.mark.shared_data

CASES = DATA.parent / "spec" / "feature_cases.json.gz"
LT17 = FEATURE_SETS["lt17"]
DETECT = mention_source("detect")

Values = list[dict[str, str | None]]  # [mention] template → value


class Case(NamedTuple):
    """A document of the file, with what we make of it."""

    expected: dict[str, Any]
    document: Document
    described: Described
    table: DocumentTable


class Extracted(NamedTuple):
    expected: dict[str, Any]
    lexicons: Lexicons
    vocabulary: Vocabulary
    cases: list[Case]


@pytest.fixture(scope="module")
def extracted() -> Extracted:
    """All training documents and the wanted ones of dev, by the settings of the paper."""
    if not CASES.is_file():
        pytest.skip(f"no {CASES}")
    with gzip.open(CASES, "rt", encoding="utf-8") as file:
        expected = json.load(file)
    wanted = {case["doc"] for case in expected["docs"]}
    lexicons = load_lexicons(LEXICONS)
    train = [
        describe(doc, LT17, lexicons, DETECT)
        for doc in io.stream(DATA / "ontogum" / "train.gold_conll.gz")
    ]
    vocabulary, tables = fit(train, LT17, lexicons)
    found = {d.document.id: (d, t) for d, t in zip(train, tables, strict=True)}
    for doc in io.stream(DATA / "ontogum" / "dev.gold_conll.gz"):
        if doc.id in wanted:
            described = describe(doc, LT17, lexicons, DETECT)
            found[doc.id] = (described, table(described, vocabulary))
    cases = [
        Case(case, found[case["doc"]][0].document, *found[case["doc"]]) for case in expected["docs"]
    ]
    return Extracted(expected, lexicons, vocabulary, cases)


# The values


def test_mentions_and_heads(extracted: Extracted) -> None:
    for expected, _, described, rows in extracted.cases:
        assert rows.spans.tolist() == expected["mentions"], expected["doc"]
        assert [m.mention.head for m in described.mentions] == expected["heads"], expected["doc"]


@pytest.mark.parametrize("attribute", ["type", "ner", "number", "gender", "animacy"])
def test_attributes(extracted: Extracted, attribute: str) -> None:
    for expected, _, described, _ in extracted.cases:
        found = [getattr(mention, attribute) for mention in described.mentions]
        assert found == expected[attribute], expected["doc"]


def test_mention_features(extracted: Extracted) -> None:
    for expected, _, _, rows in extracted.cases:
        found = feature_names(rows, extracted.vocabulary, pairs=False)["phi_a"]
        assert found == expected["phi_a"], expected["doc"]


def test_pair_features(extracted: Extracted) -> None:
    for expected, _, _, rows in extracted.cases:
        found = feature_names(rows, extracted.vocabulary, pairs=True)["pairs"]
        n = len(expected["mentions"])
        assert len(found) == n * (n - 1) // 2
        if expected["all_pairs"]:
            assert found == expected["pairs"], expected["doc"]
        for pair, names in expected["pairs"].items():
            assert found[pair] == names, (expected["doc"], pair)


def test_clusters_after_alignment(extracted: Extracted) -> None:
    for expected, _, _, rows in extracted.cases:
        clusters: dict[int, list[int]] = {}
        for mention, entity in enumerate(rows.gold.tolist()):
            if entity >= 0:
                clusters.setdefault(entity, []).append(mention)
        found = sorted(cluster for cluster in clusters.values() if len(cluster) > 1)
        assert found == sorted(expected["clusters"]), expected["doc"]


def test_mentions_with_an_antecedent_are_anaphoric(extracted: Extracted) -> None:
    for expected, _, _, rows in extracted.cases:
        later = {mention for cluster in expected["clusters"] for mention in cluster[1:]}
        assert set(np.flatnonzero(rows.is_anaphoric).tolist()) == later, expected["doc"]


def test_inventories(extracted: Extracted) -> None:
    ours = extracted.vocabulary.inventories
    sets = {
        "HEAD": ours.head,
        "FIRST": ours.first,
        "LAST": ours.last,
        "PREC": ours.before,
        "FOLL": ours.after,
        "GOV": ours.governor,
    }
    for name, words in extracted.expected["inventories"].items():
        assert sets.pop(name) == set(words), name
    assert not sets


def test_vocabularies_and_one_unknown_feature_for_each_template(extracted: Extracted) -> None:
    for ours, expected, templates in (
        (extracted.vocabulary.mention, "vocab_a", MENTION_TEMPLATES),
        (extracted.vocabulary.pair, "vocab_pair", PAIR_TEMPLATES),
    ):
        unknown = [f"{template}={UNKNOWN}" for template in templates]
        assert sorted(ours) == sorted([*extracted.expected[expected], *unknown])


# The switches, one by one


def values_of(extracted: Extracted, described: Described, settings: FeatureSettings) -> Values:
    """Every template of φ_a, before the vocabulary."""
    inventories = extracted.vocabulary.inventories
    return [
        dict(
            zip(
                settings.mention_templates,
                mention_values(mention, described.context, inventories, settings),
                strict=True,
            )
        )
        for mention in described.mentions
    ]


def changed_mentions(extracted: Extracted, settings: FeatureSettings) -> Counter[str]:
    """Template → how many mentions have another value than by LT17's settings."""
    changed: Counter[str] = Counter()
    for case in extracted.cases:
        flipped = describe(case.document, settings, extracted.lexicons, DETECT)
        assert [m.mention for m in flipped.mentions] == [m.mention for m in case.described.mentions]
        before = values_of(extracted, case.described, LT17)
        for old, new in zip(before, values_of(extracted, flipped, settings), strict=True):
            changed.update(t for t in old if old[t] != new.get(t, "absent"))
    return changed


@pytest.mark.parametrize(
    ("switch", "expected"),
    [
        ({"shared_number": True}, {"number": 790}),
        ({"second_ner": False}, {"ner2": 3592}),
        ({"third_person": True}, {"person": 452}),
        ({"pronoun_animacy": "rule"}, {"anim": 777}),
        ({"percent_animate": False}, {"anim": 1}),
        ({"lowercase_animacy": True}, {"anim": 130 + 218}),
        ({"empty_speakers": False}, {"spk_in_head": 2474}),
        ({"plural_names": True}, {"type": 10, "canon": 10}),
        ({"own_tag_is_known": False}, {"headcase": 1}),
        ({"genre": "word"}, {"genre": 3592}),
        ({"containment": "tokens"}, {}),
        ({"unknown": "none"}, {}),
        ({"mentions_in_pairs": "without_shared"}, {}),
    ],
    ids=lambda value: next(iter(value), "nothing"),
)
def test_a_switch_changes_as_many_mentions_as_it_should_and_no_other_template(
    extracted: Extracted, switch: dict[str, Any], expected: dict[str, int]
) -> None:
    assert changed_mentions(extracted, replace(LT17, **switch)) == expected


def test_counts_can_be_clipped(extracted: Extracted) -> None:
    settings = replace(LT17, largest_count=5)
    for case in extracted.cases:
        before = values_of(extracted, case.described, LT17)
        for old, new in zip(before, values_of(extracted, case.described, settings), strict=True):
            for template in ("len", "sentidx"):
                assert new[template] == str(min(int(old[template] or 0), 5))


def test_the_settings_of_wiseman_et_al_drop_two_templates_join_two_and_give_governors_sides(
    extracted: Extracted,
) -> None:
    settings = FEATURE_SETS["w16"]
    assert len(settings.mention_templates) == 21
    assert set(MENTION_TEMPLATES) - set(settings.mention_templates) == {"type", "ner1"}
    assert settings.display_name("ctx1") == settings.display_name("ctx2") == "ctx"
    # The pair network sees templates 3 to 17, 19 and 21 to 23 of both mentions.
    seen = [*MENTION_TEMPLATES[2:17], MENTION_TEMPLATES[18], *MENTION_TEMPLATES[20:23]]
    assert [settings.mention_templates[t] for t in settings.paired] == seen
    for case in extracted.cases[:3]:
        before = values_of(extracted, case.described, LT17)
        for old, new in zip(before, values_of(extracted, case.described, settings), strict=True):
            governor = new.pop("gov")
            assert all(old[template] == value for template, value in new.items())
            side = (old["ctx1"] or "").endswith("(L)")
            assert governor == f"{'l' if side else 'r'}-{old['gov']}"
