"""Resolutions as plain data: what `--json` prints, and back; a row for each mention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from corelax.core.errors import CorelaxError
from corelax.decode import Antecedent, Decision
from corelax.document import Document, Span

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution

DIGITS = 4  # of probabilities
COLUMNS = (
    "id entity name text start end start_token end_token antecedent probability link_probability "
    "entity_probability"
).split()


def record_of(resolution: Resolution) -> dict[str, Any]:
    mentions = _mention_records(resolution)
    document = resolution.source
    tokens: list[dict[str, Any]] = [
        {"text": word, "start": start, "end": end}
        for word, (start, end) in zip(document.words, document.layer("offsets"), strict=True)
    ]
    for token, name in zip(tokens, document.layers.get("speaker", ()), strict=False):
        token["speaker"] = name
    place = {mention.span: id for id, mention in enumerate(resolution.mentions)}
    entities = []
    for entity in resolution.entities:
        own = [mentions[place[mention.span]] for mention in entity.mentions]
        # Of what is written, so that reading it gives the same.
        mean = round(sum(record["entity_probability"] for record in own) / len(own), DIGITS)
        entities.append({"representative": entity.name, "probability": mean, "mentions": own})
    return {
        "id": document.key,
        "text": resolution.text,
        "tokens": tokens,
        "sentence_starts": list(document.sentence_starts),
        "entities": entities,
        "mentions": [
            {**record, "entity": mention.entity}
            for record, mention in zip(mentions, resolution.mentions, strict=True)
        ],
    }


def rows_of(resolution: Resolution) -> list[dict[str, Any]]:
    rows = []
    for record, mention in zip(_mention_records(resolution), resolution.mentions, strict=True):
        name = resolution.entities[mention.entity].name
        row = {**record, "entity": mention.entity, "name": name}
        rows.append({column: row[column] for column in COLUMNS})
    return rows


def _mention_records(resolution: Resolution) -> list[dict[str, Any]]:
    place = {mention.span: id for id, mention in enumerate(resolution.mentions)}
    offsets = resolution.source.layer("offsets")

    def antecedent_record(antecedent: Antecedent) -> dict[str, Any]:
        span, probability = antecedent.span, round(antecedent.probability, DIGITS)
        if span is None:
            return {"id": None, "probability": probability}
        start, end = offsets[span.start][0], offsets[span.end - 1][1]
        id = {"id": place[span]} if span in place else {}
        return {
            **id,
            "text": resolution.text[start:end],
            "start": start,
            "end": end,
            "probability": probability,
        }

    return [
        {
            "id": id,
            "text": mention.text,
            "start": mention.start,
            "end": mention.end,
            "start_token": mention.span.start,
            "end_token": mention.span.end,
            **({"parts": [list(p) for p in mention.span.parts]} if mention.span.parts else {}),
            **({"empty": list(mention.span.empty)} if mention.span.empty else {}),
            "antecedent": mention.antecedent,
            "antecedents": [antecedent_record(antecedent) for antecedent in mention.antecedents],
            "probability": round(mention.probability, DIGITS),
            "link_probability": round(mention.link_probability, DIGITS),
            "entity_probability": round(mention.entity_probability, DIGITS),
        }
        for id, mention in enumerate(resolution.mentions)
    ]


def from_record(record: Mapping[str, Any]) -> tuple[Document, list[Decision], str]:
    """The document, the decisions and the text of a record; an error says what is wrong with it.

    >>> from_record({"text": "Ann"})
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: not what as_dict() gives: 'tokens' is missing
    """
    try:
        return _document(record), _decisions(record), record["text"]
    except CorelaxError as error:
        raise CorelaxError(f"not what as_dict() gives: {error}") from None
    except KeyError as error:
        raise CorelaxError(f"not what as_dict() gives: {error} is missing") from None
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise CorelaxError(f"not what as_dict() gives: {error}") from None


def _document(record: Mapping[str, Any]) -> Document:
    tokens = record["tokens"]
    layers: dict[str, tuple[Any, ...]] = {
        "offsets": tuple((int(token["start"]), int(token["end"])) for token in tokens)
    }
    if any("speaker" in token for token in tokens):
        layers["speaker"] = tuple(token.get("speaker") for token in tokens)
    starts = record.get("sentence_starts", [0] if tokens else [])
    return Document(
        id=str(record.get("id", "text")),
        words=tuple(token["text"] for token in tokens),
        sentence_starts=tuple(starts),
        layers=layers,
        raw_text=record["text"],
    )


def _decisions(record: Mapping[str, Any]) -> list[Decision]:
    """In the order in which entities list them; antecedents become positions in that order."""
    groups: Sequence[Any] = [entity["mentions"] for entity in record["entities"]]
    listed = [(number, mention) for number, group in enumerate(groups) for mention in group]
    place = {mention["id"]: at for at, (_, mention) in enumerate(listed)}
    if len(place) < len(listed):
        raise CorelaxError("two mentions have the same id")
    starts = {token["start"]: at for at, token in enumerate(record["tokens"])}
    ends = {token["end"]: at + 1 for at, token in enumerate(record["tokens"])}

    def antecedent(of: Mapping[str, Any]) -> Antecedent:
        if of.get("id", 0) is None:
            return Antecedent(None, of["probability"])
        return Antecedent(Span(starts[of["start"]], ends[of["end"]]), of["probability"])

    return [
        Decision(
            span=Span(
                mention["start_token"],
                mention["end_token"],
                parts=[(a, b) for a, b in mention.get("parts", ())],
                empty=mention.get("empty", ()),
            ),
            entity=number,
            antecedent=None if mention["antecedent"] is None else place[mention["antecedent"]],
            probability=mention["probability"],
            link_probability=mention["link_probability"],
            entity_probability=mention["entity_probability"],
            antecedents=tuple(map(antecedent, mention.get("antecedents", ()))),
        )
        for number, mention in listed
    ]
