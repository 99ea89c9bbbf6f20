// Words that are no mention yet: selected with the mouse, or word by word with the keys.

let adding = null; // {anchor, focus}: the words between which the keys select

// The position in the text of a place in the page; null outside the text.
function positionOf(node, offset) {
  if (!byId("text").contains(node)) return null;
  if (startOf.has(node)) return startOf.get(node) + offset;
  const walker = document.createTreeWalker(byId("text"), NodeFilter.SHOW_TEXT);
  const after = node.childNodes?.[offset];
  walker.currentNode = after ?? node;
  let found = after?.nodeType === Node.TEXT_NODE ? after : null;
  while (!found || !startOf.has(found)) {
    found = walker.nextNode();
    if (!found) return view.text.content.length;
  }
  return startOf.get(found);
}

// The words that are selected, or null.
function selectedWords() {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const from = positionOf(range.startContainer, range.startOffset), to = positionOf(range.endContainer, range.endOffset);
  if (from === null || to === null) return null;
  const { starts, ends } = view.text;
  const start = firstPosition(ends.length, word => ends[word] > from);
  const end = firstPosition(starts.length, word => starts[word] >= to);
  return start < end ? { start, end } : null;
}

// The place in the page of words.
function rangeOf(start, end) {
  const at = firstPosition(view.text.paragraphs.length, i => view.text.paragraphs[i].end > start);
  const range = document.createRange(), { starts, ends } = view.text;
  const walker = document.createTreeWalker(byId("text"), NodeFilter.SHOW_TEXT);
  walker.currentNode = view.blocks[at];
  let started = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!startOf.has(node)) continue;
    const first = startOf.get(node), last = first + node.length;
    if (!started && starts[start] < last) {
      range.setStart(node, Math.max(0, starts[start] - first));
      started = true;
    }
    if (started && ends[end - 1] <= last) {
      range.setEnd(node, Math.max(0, ends[end - 1] - first));
      return range;
    }
  }
  return null;
}

function aboutWords({ start, end }) {
  return [
    make("p", { class: "name", dir: "auto" }, quoted(characters(view.text, start, end), CARD_WIDTH)),
    make("p", { class: "quiet" }, "is not a mention yet"),
  ];
}

function wordActions({ start, end }) {
  const entity = present().entity(view.chosen);
  return [
    entity ? button(`Add to ${quoted(entity.name, 30)}`, "Enter", () => addMention(start, end, entity)) : null,
    button("Add as a new entity", entity ? "n" : "Enter", () => addMention(start, end, null)),
    button("Add to…", "l", () => startPicking(
      `Add ${quoted(characters(view.text, start, end))} to which entity?`, other => addMention(start, end, other))),
  ].filter(Boolean);
}

// A card for what is selected. Words that are a mention already have theirs.
function showSelection() {
  const words = selectedWords();
  if (!words) {
    if (onCard && !onCard.mention && !byId("card").contains(document.activeElement) && !picking) showCard(null);
    return;
  }
  const known = present().order.find(mention => mention.start === words.start && mention.end === words.end);
  if (known) showCard({ mention: known }, true);
  else showCard(words, true);
}

function startAdding() {
  const text = view.text;
  if (!text.words.length) return;
  const top = view.blocks.findIndex(block => block.getBoundingClientRect().bottom > 80);
  const first = view.current ? view.current.end : text.paragraphs[Math.max(0, top)].start;
  adding = { anchor: first, focus: first };
  extend(0, false);
  say("→ and ← choose a word, with Shift several; Enter adds them, Escape stops.");
}

function extend(step, isMore) {
  const within = word => Math.min(Math.max(word, 0), view.text.words.length - 1);
  adding.focus = within(adding.focus + step);
  if (!isMore) adding.anchor = adding.focus;
  const [first, last] = [adding.anchor, adding.focus].sort((a, b) => a - b);
  const range = rangeOf(first, last + 1);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  range.startContainer.parentElement.closest("p").scrollIntoView({ block: "nearest" });
  showSelection();
}

function stopAdding() {
  adding = null;
  getSelection().removeAllRanges();
}
