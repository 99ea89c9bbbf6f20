"""A few invented documents in the files of the corpora that the scripts read, and a tiny model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from corelax.document import Clustering, Document, Span
from corelax.io import write
from corelax.io.gap import COLUMNS
from corelax.rankers.encoder.folder import save_ranker
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_model, write_encoder

GUM = {"GUM_vlog_dog": "CC BY", "GUM_news_cat": "CC BY 2.5", "GUM_fiction_man": "CC BY-NC-SA 3.0"}
TALK = ["I saw her dog .", "you saw my dog ?", "he saw it and I saw him ."]


def gold_of(name: str, sentences: list[str]) -> Document:
    """Words that are alike are one entity; two speakers take turns."""
    speakers: list[str | None] = ["Ann", "Bo"] * len(sentences)
    document = a_document(sentences, speakers[: len(sentences)])
    alike: dict[str, list[Span]] = {}
    for at, word in enumerate(document.words):
        alike.setdefault(word.lower(), []).append(Span(at, at + 1))
    return replace(document, id=name, clusters=Clustering(alike.values()))


def write_corpora(folder: Path) -> Path:
    """All corpora, small."""
    for name in ("ontogum", "gum", "litbank", "craft", "gap", "winobias", "winogender"):
        (folder / name).mkdir(parents=True)
    gum = [gold_of(name, STORY[at:] + TALK) for at, name in enumerate(GUM)]
    write(gum, folder / "ontogum/dev.gold_conll.gz", "conll2012")
    rows = [f"{name}\tdev\t{licence}\n" for name, licence in GUM.items()]
    (folder / "gum/documents.tsv").write_text("document\tsplit\tlicence\n" + "".join(rows))
    for name in ("litbank", "craft"):
        stories = [gold_of(f"{name}{at}", STORY[at:]) for at in range(3)]
        write(stories, folder / f"{name}/dev.gold_conll.gz", "conll2012")
    text = "ann saw the cat when she barked ."
    item = [text, "she", "21", "ann", "0", "TRUE", "cat", "12", "FALSE"]
    lines = [COLUMNS, ["a-1", *item], ["a-2", *item]]
    table = "\n".join("\t".join(line) for line in lines) + "\n"
    for part in ("validation", "development"):
        (folder / f"gap/gap-{part}.tsv.gz").write_text(table)
    sentence = [text.split()]
    gold = Document.from_sentences("w", sentence, clusters=[[(0, 1), (5, 6)]])
    for kind in ("type1", "type2"):
        for side in ("pro", "anti"):
            file = f"winobias/dev_{kind}_{side}_stereotype.v4_auto_conll.gz"
            write([gold], folder / file, "conll2012")
    said = [f"man.dog.0.{g}.txt\tthe man saw the dog and {w} barked ." for g, w in GENDERS.items()]
    (folder / "winogender/all_sentences.tsv.gz").write_text("\n".join(["sentid\tsentence", *said]))
    return folder


GENDERS = {"male": "he", "female": "she", "neutral": "they"}


def write_model(folder: Path, encoder: Path, seed: int = 0) -> Path:
    """A model with random weights, as a folder."""
    folder.mkdir(parents=True)
    save_ranker(folder, tiny_model(encoder, seed, schemes=("ontonotes", "litbank")))
    return folder


__all__ = ["GUM", "write_corpora", "write_encoder", "write_model"]
