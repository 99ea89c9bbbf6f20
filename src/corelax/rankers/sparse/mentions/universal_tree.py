"""Universal Dependencies trees: children, governors, and the head of any span.

In these trees prepositions, auxiliaries and copulas hang on the words that they introduce. The features were
made for trees in which they govern, so `governors` turns them around where a mention would notice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from corelax.document import Document

ROOT = -1

# A span that begins with one of these is headed by something behind them.
_NO_HEADS = frozenset(["case", "punct", "cc", "mark"])
# They have their own governor whether or not what they hang on is a predicate.
_NOT_OF_THE_CLAUSE = frozenset(["conj", "appos", "nmod:poss", "compound"])
_AUXILIARIES = frozenset(["aux", "aux:pass", "cop"])


@dataclass(frozen=True, slots=True)
class Tree:
    """The trees of a document. Positions count the tokens of the document.

    Attributes:
        words: [token] as written.
        heads: [token] what it hangs on, −1 at a root. There are no cycles and no links between sentences.
        relations: [token] how, such as `nsubj` or `nmod:poss`; empty where the document does not say.
        children: [token] what hangs on it, from left to right.
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    children: tuple[list[int], ...]

    @classmethod
    def of(cls, doc: Document) -> Tree:
        """The trees in the layers `head` and `relation`."""
        given = doc.layer("head")
        heads: list[int] = []
        for start, end in doc.sentence_bounds:
            inside = [head is not None and start <= head < end for head in given[start:end]]
            heads += [h if ok else ROOT for h, ok in zip(given[start:end], inside, strict=True)]
        _cut_cycles(heads)
        children: tuple[list[int], ...] = tuple([] for _ in heads)
        for token, head in enumerate(heads):
            if head != ROOT:
                children[head].append(token)
        relations = tuple(relation or "" for relation in doc.layer("relation", ""))
        return cls(doc.words, tuple(heads), relations, children)

    def children_by(self, token: int, *relations: str) -> Iterator[int]:
        return (child for child in self.children[token] if self.relations[child] in relations)

    def subtree(self, token: int) -> Iterator[int]:
        below = [token]
        while below:
            token = below.pop()
            yield token
            below += self.children[token]

    def head_of(self, start: int, end: int) -> tuple[int, int]:
        """The head word and the tree's head of a span.

        The tree's head is the first token that hangs on something outside. That of a name is its first
        word, but names are told by their last, which is thus the head word.
        """
        outside = [token for token in range(start, end) if not start <= self.heads[token] < end]
        able = (token for token in outside if self.relations[token] not in _NO_HEADS)
        node = next(able, outside[0])  # a forest: something does hang on the outside
        return self.last_name(node, end), node

    def last_name(self, node: int, end: int) -> int:
        """The last word, before `end`, of the flat name that begins with a token; mostly the token itself."""
        parent = self.heads[node]
        # A part of a name, such as "Ann Lee" of "Doctor Ann Lee": its other words hang on "Doctor" too.
        top = parent if is_flat(self.relations[node]) and parent != ROOT else node
        while later := [
            child
            for child in self.children[top]
            if node < child < end and is_flat(self.relations[child])
        ]:
            top = node = later[-1]
        return node


def is_flat(relation: str) -> bool:
    return relation == "flat" or relation.startswith("flat:")


def governors(tree: Tree) -> tuple[int, ...]:
    """[token] the word that would govern it if prepositions, auxiliaries and copulas were heads."""
    tokens = range(len(tree.words))
    # [token] what stands for it as a governor; itself where it has no such dependent
    prepositions = [next(_prepositions(tree, token), token) for token in tokens]
    copulas = [next(tree.children_by(token, "cop"), token) for token in tokens]
    auxiliaries = [next(_auxiliaries(tree, token), token) for token in tokens]

    def governor(token: int) -> int:
        head, relation = tree.heads[token], tree.relations[token]
        if prepositions[token] != token:
            return prepositions[token]
        if head != ROOT and (relation == "expl" or relation.startswith("nsubj")):
            return auxiliaries[head]
        if copulas[token] != token:
            return copulas[token]
        if head != ROOT and relation not in _NOT_OF_THE_CLAUSE:
            return copulas[head]
        return head

    result = [governor(token) for token in tokens]
    for token, head in enumerate(tree.heads):
        # A preposition or copula that governs a word hangs where the word did.
        for between in {prepositions[token], copulas[token]} - {token}:
            result[between] = head
    return tuple(result)


def _prepositions(tree: Tree, token: int) -> Iterator[int]:
    """The prepositions before a word. (The `case` of a possessor is its possessive mark.)"""
    if tree.relations[token] != "nmod:poss":
        yield from (child for child in tree.children_by(token, "case") if child < token)


def _auxiliaries(tree: Tree, clause: int) -> Iterator[int]:
    """Auxiliaries, copula and infinitive marker of a clause; the first of them governs its subject."""
    for child in tree.children[clause]:
        relation = tree.relations[child]
        if relation in _AUXILIARIES or (relation == "mark" and tree.words[child].lower() == "to"):
            yield child


def _cut_cycles(heads: list[int]) -> None:
    """Makes a root of one token of each cycle: files by hand or by machine may have some."""
    reached = [-1] * len(heads)  # [token] the climb that came by
    for start in range(len(heads)):
        token = start
        while token != ROOT and reached[token] == -1:
            reached[token] = start
            above = heads[token]
            if above != ROOT and reached[above] == start:
                heads[token] = above = ROOT
            token = above
