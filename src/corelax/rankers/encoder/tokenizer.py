"""The pieces of words, by the library `tokenizers` alone: neither torch nor transformers is imported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from corelax.core.files import parse_json
from corelax.core.folders import MOST_WORDS, read_regular

MARKS = ("cls_token", "sep_token", "unk_token")
MOST_CACHED = 100_000  # words: most words of a text were seen before


class WordPieces:
    """The pieces of words, of which the last `most_words` are cached."""

    def __init__(self, tokenizer: Any, most_words: int = MOST_CACHED) -> None:
        self.tokenizer = tokenizer
        self._most_words = most_words
        self._known: dict[str, list[int]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles without the cache and without transformers."""
        return WordPieces, (fast_tokenizer(self.tokenizer), self._most_words)

    def of(self, words: Sequence[str]) -> list[list[int]]:
        """The pieces of each word, whatever stands before it; a word without any piece is unknown."""
        known = self._known  # another thread may begin anew meanwhile
        new = [word for word in dict.fromkeys(words) if word not in known]
        if len(known) + len(new) > self._most_words:
            known = self._known = {}
            new = list(dict.fromkeys(words))
        if new:
            known.update(zip(new, self._cut(new), strict=True))
        return [known[word] for word in words]

    def _cut(self, words: list[str]) -> list[list[int]]:
        clean = [word.encode("utf-8", "replace").decode() for word in words]  # lone surrogates
        pieces = fast_tokenizer(self.tokenizer)(
            clean,
            add_special_tokens=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )["input_ids"]
        unknown = [self.tokenizer.unk_token_id]
        return [each or unknown for each in pieces]


class FastTokenizer(NamedTuple):
    """A tokenizer as `WordPieces` takes it, which other processes can be sent; with the ids of its marks."""

    backend: Any
    cls_token_id: int
    sep_token_id: int
    unk_token_id: int

    def __call__(self, words: list[str], **_: Any) -> dict[str, list[list[int]]]:
        encoded = self.backend.encode_batch_fast(words, add_special_tokens=False)
        return {"input_ids": [each.ids for each in encoded]}

    @property
    def vocabulary(self) -> dict[str, int]:
        vocabulary: dict[str, int] = self.backend.get_vocab()
        return vocabulary


def read_tokenizer(folder: Path) -> FastTokenizer:
    from tokenizers import Tokenizer

    content = read_regular(folder / "tokenizer.json", MOST_WORDS)
    backend = Tokenizer.from_str(content.decode())
    backend.no_padding()
    backend.no_truncation()
    names = parse_json(read_regular(folder / "tokenizer_config.json", MOST_WORDS))
    return FastTokenizer(backend, *(_number(backend, mark, names.get(mark)) for mark in MARKS))


def fast_tokenizer(tokenizer: Any) -> Any:
    """The same tokenizer without transformers around it; one that is not made of `tokenizers` stays.

    What it is told of padding and truncation is forgotten; transformers tells it anew at each call.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or isinstance(tokenizer, FastTokenizer):
        return tokenizer
    backend.no_padding()
    backend.no_truncation()
    return FastTokenizer(backend, *(getattr(tokenizer, f"{mark}_id") for mark in MARKS))


def _number(backend: Any, mark: str, token: Any) -> int:
    text = token.get("content") if isinstance(token, dict) else token
    number = backend.token_to_id(text) if isinstance(text, str) else None
    if number is None:
        raise ValueError(f"its tokenizer has no {mark}")
    return int(number)
