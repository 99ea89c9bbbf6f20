// What is shown of the text: its paragraphs, which entity is lit or chosen, which mention is the current one.

const view = {
  texts: [],
  text: null,
  colours: new Map(), // of entities, by id
  chosen: null, // the id of the entity that stands out
  current: null, // the mention that has, or had, the focus
  hovered: null, // the id of the entity that is pointed at
  elements: new Map(), // mention → its elements
  mentionOf: new WeakMap(), // and back
  drawn: new Map(), // mention → how it is drawn
  blocks: [], // the elements of paragraphs
};

const present = () => view.text.history.present;
const elementsOf = mention => view.elements.get(mention) ?? [];

// Its colour; null if it is mentioned once. Colours are kept for entities that come back.
const colourOf = entity => (entity.mentions.length > 1 ? view.colours.get(entity.id) : null);
const colourClass = colour => (colour === null ? "single" : `entity-${colour}`);

function look(mention) {
  const state = present(), entity = state.of.get(mention);
  return {
    entity: entity.id,
    number: entity.id + 1,
    colour: colourOf(entity),
    doubtful: isDoubtful(view.text, state, mention),
  };
}

const signature = mention => Object.values(look(mention)).join();

function drawBlock(at, mentions) {
  for (const mention of mentions) view.drawn.set(mention, signature(mention));
  return drawnParagraph(view.text, view.text.paragraphs[at], mentions, look, (mention, element) => {
    view.elements.set(mention, [...elementsOf(mention), element]);
    view.mentionOf.set(element, mention);
  });
}

function drawText() {
  view.elements.clear();
  view.drawn.clear();
  view.blocks = byParagraph(view.text, present()).map((mentions, at) => drawBlock(at, mentions));
  byId("text").replaceChildren(...(view.blocks.length ? view.blocks : [make("p", {}, "This text has no words.")]));
  reachable();
}

// Draws the paragraphs again in which a mention has changed.
function redraw() {
  const inside = byParagraph(view.text, present()), { of } = present();
  const isChanged = mention => view.drawn.get(mention) !== signature(mention);
  const gone = [...view.drawn.keys()].filter(mention => !of.has(mention));
  gone.forEach(mention => view.drawn.delete(mention));
  const touched = new Set(gone.flatMap(elementsOf).map(element => element.closest("p")));
  inside.forEach((mentions, at) => {
    const block = view.blocks[at];
    if (!touched.has(block) && !mentions.some(isChanged)) return;
    for (const element of block.querySelectorAll(".mention")) {
      const mention = view.mentionOf.get(element);
      const others = elementsOf(mention).filter(other => !block.contains(other));
      if (others.length) view.elements.set(mention, others);
      else view.elements.delete(mention);
    }
    view.blocks[at] = drawBlock(at, mentions);
    block.replaceWith(view.blocks[at]);
  });
  if (!of.has(view.current)) view.current = null;
  if (!present().entity(view.chosen)) view.chosen = null;
  reachable();
}

// One mention of the text can be reached with Tab, the others with the arrows from there.
function reachable() {
  byId("text").querySelector('[tabindex="0"]')?.setAttribute("tabindex", -1);
  const mention = view.current ?? present().order[0];
  elementsOf(mention)[0]?.setAttribute("tabindex", 0);
}

const marked = { lit: [], chosen: [], here: [], before: [] };

function mark(name, mentions) {
  const elements = mentions.flatMap(elementsOf), stay = new Set(elements);
  for (const element of marked[name]) if (!stay.has(element)) element.classList.remove(name);
  for (const element of elements) element.classList.add(name);
  marked[name] = elements;
}

const mentionsOf = id => present().entity(id)?.mentions ?? [];

// `mention` is the one whose card is shown.
function light(mention) {
  const before = mention && !isCorrected(view.text, present(), mention) ? antecedentOf(view.text, mention) : null;
  const id = mention ? present().of.get(mention).id : view.hovered;
  mark("lit", id === null ? [] : mentionsOf(id));
  mark("chosen", view.chosen === null ? [] : mentionsOf(view.chosen));
  mark("here", mention ? [mention] : []);
  mark("before", before ? [before] : []);
  byId("text").classList.toggle("choosing", view.chosen !== null);
  for (const entry of byId("entities").querySelectorAll(".lit")) entry.classList.remove("lit");
  if (id !== null) byId("entities").querySelector(`[data-e="${id}"]`)?.classList.add("lit");
}

function choose(id) {
  if (view.chosen === id) return;
  view.chosen = id;
  drawDetail();
  for (const entry of byId("entities").querySelectorAll("[aria-pressed]"))
    entry.setAttribute("aria-pressed", Number(entry.dataset.e) === id);
  light(cardMention());
}

function goTo(mention, { focus = true } = {}) {
  const [element] = elementsOf(mention);
  if (!element) return;
  view.current = mention;
  reachable();
  element.scrollIntoView({ block: "nearest" }); // `scroll-margin` keeps it away from the edges
  if (focus) element.focus({ preventScroll: true });
}
