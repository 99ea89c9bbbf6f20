"""A small writer of CoNLL files: one token a row, nothing but brackets in the last column.

It is on purpose not the writer of corelax: it writes what a case says, a span listed twice twice,
and lets a test break a file as it likes.
"""


def document(name, clusters=(), *, tokens=0, end="#end document\n"):
    """A document. Clusters are lists of (first token, last token), or of first = last token alone.

    >>> document("(d)", [[(0, 1), 2], [(0, 1), (0, 1)]]).splitlines()[1:-1]
    ['0\\t(0|(1|(1', '1\\t0)|1)|1)', '2\\t(0)']
    """
    spans = [
        (entity, *((span, span) if isinstance(span, int) else span))
        for entity, cluster in enumerate(clusters)
        for span in cluster
    ]
    cells = [[] for _ in range(max([tokens, 1, *(last + 1 for _, _, last in spans)]))]
    for entity, first, last in spans:
        if first == last:
            cells[first].append(f"({entity})")
        else:
            cells[first].append(f"({entity}")
            cells[last].append(f"{entity})")
    rows = [f"{token}\t{'|'.join(cell) or '-'}\n" for token, cell in enumerate(cells)]
    return "".join([f"#begin document {name}\n", *rows, end])
