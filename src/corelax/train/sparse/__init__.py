"""Training of the paper's ranker: settings, presets, features of files, chains of stages.

Its public names are those of `corelax.train`.
"""

__all__: list[str] = []
