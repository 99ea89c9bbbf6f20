"""How much memory resolving takes, known beforehand: a constant, and a little for each word."""

from __future__ import annotations

from corelax.decode.membership import BLOCK as STEP
from corelax.rankers.encoder.settings import EncoderSettings

BLOCK = 128  # spans whose antecedents are looked for at once, on a CPU: what they need stays in its caches
PIECES = {"cpu": 1024, "cuda": 65536, "mps": 16384}  # read by the encoder at a time
OPEN = 512  # entities that have mentions before and after a place; far more than in a novel
ALLOCATOR = 1.25  # what it holds, against what is used


def memory_bound(
    settings: EncoderSettings, *, size: int, heads: int, pieces: int, words: int
) -> int:
    """The most bytes that resolving a document takes, without the weights, if no mentions are given.

    Args:
        settings: The ranker's sizes and limits.
        size: The length of the encoder's vectors.
        heads: The number of attention heads of the encoder.
        pieces: How many word pieces the encoder reads at a time.
        words: The number of words of the document.
    """
    spans = int(words * settings.span_ratio) + 1
    # Per piece: attention and feed-forward in the encoder, then all spans of the scorer.
    per_piece = (
        4 * (16 * size + 3 * settings.window * heads)
        + 4 * 4 * settings.max_width * settings.hidden_size
    )
    pair = 4 * (2 * settings.span_size + 4 * settings.hidden_size)
    block = BLOCK * (settings.antecedents * pair + 4 * 8 * (settings.reach + BLOCK))
    # Per span: its vector and twelve numbers twice (in a row, in order), its candidates and their scores
    # twice (linked, on the CPU; later in the result), their probabilities twice.
    per_candidate = 2 * (4 + 8) + 2 * 8
    per_span = 2 * (4 * settings.span_size + 12 * 8) + per_candidate * (settings.antecedents + 1)
    # Rows of what a block reaches and of its candidates, a column for each entity that is open.
    membership = 8 * OPEN * (2 * settings.reach + STEP * (settings.antecedents + 2))
    per_word = 1000  # strings, offsets and windows, mentions in the result
    total = pieces * per_piece + block + membership + spans * per_span + words * per_word
    return int(ALLOCATOR * total)
