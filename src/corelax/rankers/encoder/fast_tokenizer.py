"""Tokenizers of the library `tokenizers` alone: neither torch nor transformers is imported."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from corelax.core.files import parse_json
from corelax.core.folders import MOST_WORDS, read_regular
from corelax.rankers.encoder.folder_config import MARKS


class FastTokenizer(NamedTuple):
    """A tokenizer as `WordPieces` takes it, which other processes can be sent.

    Attributes:
        backend: The tokenizer.
        cls_token_id: The number of the mark of begin.
        sep_token_id: The number of the mark of end.
        unk_token_id: The number of what is unknown.
    """

    backend: Any
    cls_token_id: int
    sep_token_id: int
    unk_token_id: int

    def __call__(self, words: list[str], **_: Any) -> dict[str, list[list[int]]]:
        """Cuts words into pieces."""
        encoded = self.backend.encode_batch_fast(words, add_special_tokens=False)
        return {"input_ids": [each.ids for each in encoded]}

    @property
    def vocabulary(self) -> dict[str, int]:
        """The number of each piece."""
        vocabulary: dict[str, int] = self.backend.get_vocab()
        return vocabulary


def read_tokenizer(folder: Path) -> FastTokenizer:
    """The tokenizer in the folder of an encoder."""
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
