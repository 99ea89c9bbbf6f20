"""Replace pronouns by names, and keep track of where everything is.

python examples/05_resolved_text.py
"""

from __future__ import annotations

from corelax import Resolver

TEXT = (
    "Marie Curie moved to Paris in 1891. She studied physics there, and her sister Bronia paid for it. "
    "In the city she met Pierre Curie. He's said to have given up his own work to help her."
)


def main() -> None:
    resolution = Resolver.from_pretrained().resolve(TEXT)

    # By default pronouns of the third person, and descriptions such as "the city".
    text = resolution.resolved_text()
    print(text)

    # Pronouns alone, and only where the model is nearly certain.
    print("\n" + resolution.resolved_text(kinds=["pronouns"], least_probability=0.9))

    # Offsets go there and back: for annotations of the old text in the new one, and the reverse.
    start = TEXT.index("sister")
    new_start, new_end = text.to_new(start, start + len("sister"))
    assert text[new_start:new_end] == "sister"
    print("\nReplaced:")
    for part in text.replacements:
        old, new = TEXT[part.start : part.end], text[part.new_start : part.new_end]
        print(f"  {part.start:3}-{part.end:3} {old!r} by {new!r}")
        assert text.to_original(part.new_start, part.new_end) == (part.start, part.end)


if __name__ == "__main__":
    main()
