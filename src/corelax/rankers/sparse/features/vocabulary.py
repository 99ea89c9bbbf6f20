"""The features that training had, each with its row in the weight tables."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corelax.core.errors import CorelaxError
from corelax.core.files import parse_json, read_bytes
from corelax.rankers.sparse.features.mention import Inventories
from corelax.rankers.sparse.features.pair import code_values
from corelax.rankers.sparse.features.settings import PAIR_TEMPLATES, UNKNOWN, FeatureSettings

Array = NDArray[np.int32]
NO_FEATURE = -1
CODE_TEMPLATES = len(code_values(0))
VERSION = 1  # of the file


class Vocabulary:
    """Names of features `template=value`, those of one template side by side.

    Attributes:
        settings: The feature set.
        inventories: The words that are features.
        mention: φ_a's features, by row.
        pair: φ_pair's features, by row.
        lexicons: The digest of the word lists that numbers, genders and animacy came from.
        words: Words that have vectors, by row; None where a ranker has no word vectors.
    """

    def __init__(
        self,
        settings: FeatureSettings,
        inventories: Inventories,
        mention: Sequence[str],
        pair: Sequence[str],
        lexicons: str = "",
        words: Sequence[str] | None = None,
    ) -> None:
        self.settings, self.inventories, self.lexicons = settings, inventories, lexicons
        self.words = None if words is None else tuple(words)
        self._word_row = {word: row for row, word in enumerate(self.words or ())}
        self.mention, self.pair = tuple(mention), tuple(pair)
        self._mention_row = {name: row for row, name in enumerate(self.mention)}
        self._pair_row = {name: row for row, name in enumerate(self.pair)}
        self._shown = [settings.display_name(template) for template in settings.mention_templates]

    @classmethod
    def collect(
        cls,
        settings: FeatureSettings,
        inventories: Inventories,
        mention: Iterable[tuple[str, str]],
        pair: Iterable[tuple[str, str]],
        lexicons: str = "",
        words: Iterable[str] | None = None,
    ) -> Vocabulary:
        """All (template, value) that training had, and the unknown features of the settings."""
        shown = [settings.display_name(template) for template in settings.mention_templates]
        names = []
        for features, templates in ((set(mention), shown), (set(pair), PAIR_TEMPLATES)):
            order = {template: number for number, template in enumerate(reversed(templates))}
            if settings.unknown == "template":
                features |= {(template, UNKNOWN) for template in templates}
            # By template, then by value, numbers as numbers.
            in_order = sorted(features, key=lambda f: (-order[f[0]], len(f[1]), f[1]))
            names.append([f"{template}={value}" for template, value in in_order])
            if settings.unknown == "global":
                names[-1].append(UNKNOWN)
        listed = None if words is None else sorted(set(words))
        return cls(settings, inventories, names[0], names[1], lexicons, listed)

    def with_words(self, more: Iterable[str]) -> Vocabulary:
        """The same with more words after those that it has; rows stay as they are."""
        words = tuple(dict.fromkeys([*(self.words or ()), *more]))
        return Vocabulary(
            self.settings, self.inventories, self.mention, self.pair, self.lexicons, words
        )

    def word_rows(self, words: Iterable[str | None]) -> list[int]:
        """[word] the rows of words in lower case."""
        rows = self._word_row
        return [NO_FEATURE if word is None else rows.get(word, NO_FEATURE) for word in words]

    def mention_rows(self, values: Sequence[str | None]) -> list[int]:
        """[template] the rows of a mention's values."""
        return [
            NO_FEATURE if value is None else self._row(self._mention_row, template, value)
            for template, value in zip(self._shown, values, strict=True)
        ]

    def pair_row(self, template: str, value: str) -> int:
        return self._row(self._pair_row, template, value)

    def code_rows(self, codes: Iterable[int]) -> Array:
        """[code, template] the rows of the twelve features that codes stand for."""
        rows = [[self.pair_row(*item) for item in code_values(code).items()] for code in codes]
        return np.array(rows, dtype=np.int32).reshape(len(rows), CODE_TEMPLATES)

    def _row(self, rows: dict[str, int], template: str, value: str) -> int:
        row = rows.get(f"{template}={value}")
        if row is None:
            unknown = UNKNOWN if self.settings.unknown == "global" else f"{template}={UNKNOWN}"
            row = rows.get(unknown, NO_FEATURE)
        return row

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Vocabulary:
        """The vocabulary in a file, such as `vocabulary.json` of a model folder."""
        return cls.from_json(read_bytes(path), os.fspath(path))

    def to_json(self) -> str:
        """What `vocabulary.json` of a model folder holds."""
        content: dict[str, Any] = {
            "version": VERSION,
            "settings": asdict(self.settings),
            "lexicons": self.lexicons,
            "inventories": {n: sorted(words) for n, words in asdict(self.inventories).items()},
            "mention": self.mention,
            "pair": self.pair,
        }
        if self.words is not None:
            content["words"] = self.words
        return json.dumps(content, ensure_ascii=False, indent=0)

    @classmethod
    def from_json(cls, text: str | bytes, path: str = "vocabulary.json") -> Vocabulary:
        """The vocabulary of a model folder, or an error that names the file."""
        try:
            content = parse_json(text)
            if content["version"] != VERSION:
                raise ValueError(f"version {content['version']} is not known here")
            content.setdefault("words", None)
            for name in ("mention", "pair", "words"):
                if name == "words" and content[name] is None:
                    continue
                is_list = isinstance(content[name], list)
                if not is_list or not all(isinstance(item, str) for item in content[name]):
                    raise ValueError(f"{name} is not a list of names")
            return cls(
                FeatureSettings(**content["settings"]),
                Inventories(**{n: frozenset(w) for n, w in content["inventories"].items()}),
                content["mention"],
                content["pair"],
                content["lexicons"],
                content["words"],
            )
        except (ValueError, KeyError, TypeError, AttributeError, CorelaxError) as error:
            raise CorelaxError(f"{path}: not a vocabulary ({error})") from None

    @property
    def digest(self) -> str:
        """Tells vocabularies apart."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]
