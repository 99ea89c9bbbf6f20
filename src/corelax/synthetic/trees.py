"""From phrase trees to the columns of a document."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from corelax.document import Span

NOUN_TAGS = frozenset(("NN", "NNS", "NNP", "NNPS"))
PRONOUN_TAGS = frozenset(("PRP", "PRP$"))
NOT_MENTIONS = frozenset(("CARDINAL", "QUANTITY", "PERCENT"))  # names that detection leaves out


class Leaf(NamedTuple):
    """A word under its Penn tag."""

    tag: str
    word: str


class Phrase(NamedTuple):
    """A node of a tree; one without a label only marks its words and leaves no bracket.

    Attributes:
        label: Penn label, or "".
        children: Leaves and phrases.
        entity: The number of the entity it refers to.
        name: The type of named entity it is.
    """

    label: str
    children: tuple[Leaf | Phrase, ...]
    entity: int | None = None
    name: str | None = None


class Text:
    """The columns of a document that is being written.

    Attributes:
        words, tags, parse, names, speakers: [token].
        starts: [sentence] its first token.
        mentions: The mentions of each entity, by its number.
        candidates: How many mentions detection will find; stories are measured in these.

    >>> text = Text()
    >>> her = Phrase("", (Leaf("PRP$", "her"),), entity=1)
    >>> dog = Phrase("NP", (her, Leaf("NN", "dog")), entity=2)
    >>> text.add(Phrase("TOP", (Phrase("S", (dog, Phrase("VP", (Leaf("VBD", "barked"),)))),)))
    >>> text.words, text.parse, text.candidates
    (['Her', 'dog', 'barked'], ['(TOP(S(NP*', '*)', '(VP*)))'], 2)
    >>> text.mentions[2]
    [Span(0, 2)]
    """

    def __init__(self) -> None:
        self.words: list[str] = []
        self.tags: list[str] = []
        self.parse: list[str] = []
        self.names: list[str] = []
        self.speakers: list[str | None] = []
        self.starts: list[int] = []
        self.mentions: defaultdict[int, list[Span]] = defaultdict(list)
        self.candidates = 0
        self._brackets = ""  # opened since the last word
        self._phrases: set[tuple[int, int, int]] = set()  # (head, start, end) in this sentence
        self._chunks: list[tuple[int, int, str]] = []  # (start, end, type) in this sentence

    def add(self, sentence: Phrase, speaker: str | None = None) -> None:
        """Appends a sentence."""
        start = len(self.words)
        self.starts.append(start)
        self._phrases.clear()
        self._chunks.clear()
        self._walk(sentence)
        self.words[start] = self.words[start][0].upper() + self.words[start][1:]
        self.speakers += [speaker] * (len(self.words) - start)
        self.candidates += self._count()

    def _walk(self, node: Leaf | Phrase) -> int:
        """Writes a subtree and returns its head token, which is right for noun phrases and names."""
        start = len(self.words)
        if isinstance(node, Leaf):
            self.words.append(node.word)
            self.tags.append(node.tag)
            self.parse.append(f"{self._brackets}*")
            self.names.append("*")
            self._brackets = ""
            if node.tag in PRONOUN_TAGS:
                self._phrases.add((start, start, start + 1))
            return start
        if node.label:
            self._brackets += f"({node.label}"
        heads = [self._walk(child) for child in node.children]
        end = len(self.words)
        if node.label:
            self.parse[-1] += ")"
        if node.entity is not None:
            self.mentions[node.entity].append(Span(start, end))
        if node.name is not None:
            self._chunks.append((start, end, node.name))
            self.names[start] = f"({node.name})" if end == start + 1 else f"({node.name}*"
            if end > start + 1:
                self.names[end - 1] = "*)"
        if node.label != "NP":
            return heads[-1]
        head = self._noun_head(node, heads)
        self._phrases.add((head, start, end))
        return head

    def _noun_head(self, node: Phrase, heads: list[int]) -> int:
        """The last noun of its own, else the head of its first noun phrase, else the last word."""
        flat = [isinstance(child, Leaf) or not child.label for child in node.children]
        for head, own in zip(reversed(heads), reversed(flat), strict=True):
            if own and self.tags[head] in NOUN_TAGS:
                return head
        inner = (h for h, c in zip(heads, node.children, strict=True) if _is_noun_phrase(c))
        return next(inner, heads[-1])

    def _count(self) -> int:
        """Detected mentions of the sentence: one a head, and those before a comma or conjunction."""
        names = []
        for start, end, type in self._chunks:
            if type not in NOT_MENTIONS:
                possessive = end < len(self.words) and self.words[end] == "'s"
                names.append((end - 1, start, end + possessive))
        by_head: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for head, start, end in names:
            by_head[head].append((start, end))
        for head, start, end in self._phrases:
            if not any(first <= start and end <= last for _, first, last in names):
                by_head[head].append((start, end))
        count = 0
        for spans in by_head.values():
            largest = max(end - start for start, end in spans)
            count += sum(end - start == largest or self._precedes_link(end) for start, end in spans)
        return count

    def _precedes_link(self, end: int) -> bool:
        return end < len(self.tags) and self.tags[end] in (",", "CC")


def _is_noun_phrase(node: Leaf | Phrase) -> bool:
    return isinstance(node, Phrase) and node.label == "NP"
