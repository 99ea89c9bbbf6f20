// A paragraph as elements. They nest, mentions mostly do: of two that cross, the one that starts later is cut where the
// other ends.

const MAX_HEIGHT = 3; // mentions in mentions for which the style sheet makes room
const startOf = new WeakMap(); // text node → the position of its first character

// `look` tells of a mention: {number, colour (null for a single one), entity, doubtful}; `register` gets its elements.
function drawnParagraph(text, paragraph, mentions, look, register) {
  const { content, starts, ends } = text;
  const block = make("p", { dir: "auto", class: paragraph.kind || null });
  block.style.setProperty("--lines", Math.ceil((paragraph.to - paragraph.from) / 75));
  const queue = mentions.map(mention => ({
    mention,
    start: Math.max(mention.start, paragraph.start),
    end: Math.min(mention.end, paragraph.end),
    isLast: mention.end <= paragraph.end,
  })).sort(beforeInText);
  const open = [];
  let at = paragraph.from, inner = block;
  const emit = to => {
    if (to > at) appendText(inner, content.slice(at, to), at, at === paragraph.from);
    at = Math.max(at, to);
  };
  const closeUntil = word => {
    while (open.length && open.at(-1).end <= word) {
      const piece = open.pop();
      emit(ends[piece.end - 1]);
      if (piece.isLast) piece.element.append(make("sup", {}, String(look(piece.mention).number)));
      piece.element.classList.add(`height-${Math.min(piece.height, MAX_HEIGHT)}`);
      inner = open.at(-1)?.element ?? block;
      if (open.length) open.at(-1).height = Math.max(open.at(-1).height, piece.height + 1);
    }
  };
  for (let next = 0; next < queue.length; next++) {
    const piece = queue[next];
    closeUntil(piece.start);
    if (piece.mention.start === piece.mention.end) {
      const isInside = piece.start > paragraph.start;
      if (isInside) emit(ends[piece.start - 1]);
      const zero = mentionElement(piece.mention, look, register);
      zero.append(ZERO, make("sup", {}, String(look(piece.mention).number)));
      inner.append(...(isInside ? [" ", zero] : [zero, " "]));
      continue;
    }
    const limit = open.at(-1)?.end ?? Infinity;
    if (piece.end > limit) { // it crosses: the rest comes after
      const rest = { ...piece, start: limit };
      queue.splice(next + 1 + firstPosition(queue.length - next - 1, i => beforeInText(queue[next + 1 + i], rest) > 0), 0, rest);
      Object.assign(piece, { end: limit, isLast: false });
    }
    emit(starts[piece.start]);
    piece.element = mentionElement(piece.mention, look, register);
    piece.height = 0;
    inner.append(piece.element);
    inner = piece.element;
    open.push(piece);
  }
  closeUntil(Infinity);
  emit(paragraph.to);
  return block;
}

// Those of no word come first, then outer ones.
const beforeInText = (a, b) =>
  a.start - b.start || (b.mention.start === b.mention.end) - (a.mention.start === a.mention.end) || b.end - a.end;

function mentionElement(mention, look, register) {
  const { colour, entity, doubtful } = look(mention);
  const element = make("span", {
    class: `mention ${colourClass(colour)}${doubtful ? " doubt" : ""}`, "data-e": entity, role: "link", tabindex: -1,
  });
  register(mention, element);
  return element;
}

// White space at the start of a line is kept as it is, all other as in a book.
function appendText(parent, content, start, isLineStart) {
  const indent = isLineStart ? /((?:^|\n)[^\S\n]+)/ : /(\n[^\S\n]+)/;
  let at = start;
  printable(content).split(indent).forEach((part, number) => {
    if (!part) return;
    const node = document.createTextNode(part);
    startOf.set(node, at);
    parent.append(number % 2 ? make("span", { class: "indent" }, node) : node);
    at += part.length;
  });
}
