"""A document that gets other entities keeps nothing of what its file said about the old ones."""

import json
from pathlib import Path

import pytest

from corelax import Clustering, Span, io
from tests.io.io_helpers import save

FORMATS = {"conll2012": "conll", "corefud": "conllu", "ua": "conllua", "jsonlines": "jsonl"}

# Whatever is gold about entities has 777 in it, whatever is not has 555.
COREFUD = """\
# newdoc id = d
# global.Entity = eid-etype-head-minspan-gold777
# meta::genre = 555a
# meta::salientEntities = 777 (5*)
# newpar = 555b
# sent_id = 555c
# transition = establishment777
# text = the 555 dog
# speaker = 555d
1-2\tthe555\t_\t_\t_\t_\t_\t_\t_\tSplitAnte=777<2|SpaceAfter=555f
1\tthe\t555g\tDET\t_\t_\t2\tdet\t_\tBridge=777<2|Entity=(e777-person777-2-1-x777|Keep=555h
2\tdog\t_\tNOUN\t_\t_\t0\troot\t_\tEntity=e777)|SplitAnte=777<4,777<5
2.1\t_\tit\tPRON\t_\t_\t_\t_\t2:nsubj\tBridge=777<e777|Entity=(e777-777)|Keep=555i
3\tdog\t_\tNOUN\t_\t_\t2\tconj\t_\tClusterId=777|MentionSpan=1,777|MentionText=a777|ClusterType=777
4\tcat\t_\tNOUN\t_\t_\t2\tconj\t_\tMentionMisc[1]=777|Keep=555j|ClusterId[12]=777

"""
JSONLINES = {
    "doc_key": "d",
    "sentences": [["the", "555", "dog"]],
    "speakers": [["555a"] * 3],
    "clusters": [[[1, 2]], [[0, 0]], [[1, 1]]],
    "genre": "555b",
    "layers": {
        "misc": ["Bridge=777<2|Keep=555c", None, "SplitAnte=777"],
        "pos": ["555d", None, None],
    },
    "word_clusters": [777],
    "head2span": [[777, 1, 2]],
    "gold_mentions": [[777]],
    "coreference": {"a": 777},
    "entity_types": [777],
    "bridging": [777],
    "split_antecedents": {"2": [0, 1]},
    "singletons": [777],
}
CONLL = "\n".join(
    [
        "#begin document (d); part 000",
        "d\t0\t0\tthe\t555a\t(NP555*\t-\t-\t-\t555b\t*\t(777",
        "d\t0\t1\tdog\t555c\t*)\t-\t-\t-\t555b\t*\t777)",
        "",
        "#end document",
        "",
    ]
)
UA = """\
# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DEIXIS NOM_SEM
# newdoc id = d
# sent_id = 555a
# salient_entities = 777
# text = the dog
# speaker = 555b
1\tthe\t555c\tDET\t_\t_\t2\tdet\t_\tKeep=555d\t(EntityID=e777|MarkableID=m777|Min=2|ElementOf=s777\t_\t_\t_
2\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_\t)\t(MarkableID=m777|Rel=777|MentionAnchor=m777)\t_\t777
3\tit\t_\tPRON\t_\t_\t_\t_\t_\t_\t(EntityID=s777|MarkableID=m7772)\t_\t(EntityID=777)\t_
4\train\t_\t_\t_\t_\t_\t_\t_\t_\t(EntityID=777-Pseudo|MarkableID=m7773)\t_\t_\t_

"""
FILES = {
    "conll2012": CONLL,
    "corefud": COREFUD,
    "ua": UA,
    "jsonlines": json.dumps(JSONLINES) + "\n",
}


def kept(text: str) -> list[str]:
    return [word for word in "abcdefghij" if f"555{word}" in text]


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("source", FORMATS)
def test_nothing_of_gold_is_in_a_file_with_other_entities(tmp_path, source, target) -> None:
    [doc] = io.read(save(tmp_path, FILES[source], f"gold.{FORMATS[source]}"))
    predicted = tmp_path / f"system.{FORMATS[target]}"
    io.write([doc.with_clusters(Clustering([[Span(0, 1), Span(1, 2)]]))], predicted)
    for gold in ("777", "split_antecedents", "SplitAnte", "ElementOf"):
        assert gold not in predicted.read_text()
    if source == target:
        assert kept(predicted.read_text()) == kept(FILES[source])


@pytest.mark.parametrize("source", FORMATS)
def test_gold_itself_is_written_whole(tmp_path: Path, source: str) -> None:
    [doc] = io.read(save(tmp_path, FILES[source], f"gold.{FORMATS[source]}"))
    io.write([doc], tmp_path / f"again.{FORMATS[source]}")
    again = (tmp_path / f"again.{FORMATS[source]}").read_text()
    if source == "jsonlines":
        assert set(json.loads(again)) == set(JSONLINES)
    else:
        assert again.count("777") == FILES[source].count("777")
    assert kept(again) == kept(FILES[source])


def test_a_predicted_mention_has_no_field_but_its_head(tmp_path: Path) -> None:
    [doc] = io.read(save(tmp_path, COREFUD, "gold.conllu"))
    same = Clustering([[Span(0, 2)]], labels=["e777"])  # name and span happen to be gold's
    io.write([doc.with_clusters(same)], tmp_path / "b.conllu")
    text = (tmp_path / "b.conllu").read_text()
    assert "# global.Entity = eid-etype-head-other\n" in text
    assert "\tEntity=(e777--2|Keep=555h\n" in text
