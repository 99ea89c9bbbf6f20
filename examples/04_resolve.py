"""Find the entities of a text, look at what the model doubts, correct it, and save it.

python examples/04_resolve.py
"""

from __future__ import annotations

import json
from pathlib import Path

from corelax import Resolution, Resolver

HERE = Path(__file__).parent / "data"


def main() -> None:
    resolver = Resolver.from_pretrained()  # the model small; load it once
    resolution = resolver((HERE / "curie.txt").read_text(encoding="utf-8"))
    print(repr(resolution))

    # Entities come in the order of their first mentions.
    for entity in resolution:
        places = ", ".join(f"{m.text!r} at {m.start}" for m in entity.mentions[:3])
        print(f"  {' '.join(entity.name.split())}, {entity.probability:.0%} sure: {places}")

    # The mention that the model doubts most, and what else it might refer to.
    doubted = min(resolution.mentions, key=lambda mention: mention.entity_probability)
    print(f"\n{doubted.text!r} at {doubted.start} may refer to")
    for antecedent in doubted.antecedents:
        words = (
            "nothing before"
            if antecedent.span is None
            else resolution.document.text(antecedent.span)
        )
        print(f"  {words}: {antecedent.probability:.0%}")

    # A correction: two stretches of characters are the same. Everything else is still found.
    text = resolution.text
    couple, physicists = "The couple", "the two physicists"
    pair = [(text.index(name), text.index(name) + len(name)) for name in (couple, physicists)]
    corrected = resolver.resolve(text, must_link=[(pair[0], pair[1])])
    [entity] = [
        entity for entity in corrected if pair[0] in [(m.start, m.end) for m in entity.mentions]
    ]
    print(f"\nAfter the correction: {', '.join(m.text for m in entity.mentions)}")

    # JSON and back. `to_pandas()` has a row for each mention, `to_html()` is a page.
    record = json.loads(json.dumps(corrected.as_dict()))
    assert Resolution.from_dict(record).clusters == corrected.clusters


if __name__ == "__main__":
    main()
