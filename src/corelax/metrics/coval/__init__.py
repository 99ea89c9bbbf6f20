"""coval's ways: minimum spans, noun phrases only, without nested mentions.

Private: `--match min-span`, `--only np` and `--nested drop` of `corelax score` use it.
"""

__all__: list[str] = []
