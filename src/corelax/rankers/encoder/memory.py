"""How much is computed at a time, and how much memory resolving takes, which grows slowly with a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.decode.membership import BLOCK as STEP

if TYPE_CHECKING:
    from corelax.rankers.encoder.batches import Network

BLOCK = {
    "cpu": 128,
    "cuda": 4096,
    "mps": 512,
}  # spans that are linked: on a CPU they stay in its caches
PIECES = {"cpu": 1024, "cuda": 65536, "mps": 16384}  # that the encoder reads
OPEN = 512  # entities that have mentions before and after a place; far more than in a novel
ALLOCATOR = 1.25  # what it holds, against what is used


def memory_bound(network: Network, words: int) -> int:
    """The most bytes that resolving a document of so many words takes, without the weights.

    For a document whose mentions are not given.
    """
    settings = network.settings
    spans = int(words * settings.span_ratio) + 1
    # Per piece: attention and feed-forward in the encoder, then all spans of the scorer.
    per_piece = (
        4 * (16 * network.size + 3 * settings.window * network.heads)
        + 4 * 4 * settings.max_width * settings.hidden_size
    )
    pair = 4 * (2 * settings.span_size + 4 * settings.hidden_size)
    block = BLOCK["cpu"] * (settings.antecedents * pair + 4 * 8 * (settings.reach + BLOCK["cpu"]))
    # Per span: its vector and twelve numbers twice (in a row, in order), its candidates and their scores
    # twice (linked, on the CPU; later in the result), their probabilities twice.
    per_candidate = 2 * (4 + 8) + 2 * 8
    per_span = 2 * (4 * settings.span_size + 12 * 8) + per_candidate * (settings.antecedents + 1)
    # Rows of what a block reaches and of its candidates, a column for each entity that is open.
    membership = 8 * OPEN * (2 * settings.reach + STEP * (settings.antecedents + 2))
    per_word = 1000  # strings, offsets and windows, mentions in the result
    total = network.pieces * per_piece + block + membership + spans * per_span + words * per_word
    return int(ALLOCATOR * total)
