// The card of a mention: its entity, its best antecedents, what the probabilities mean, and what can be corrected.

const CARD_WIDTH = 120; // characters of a mention on its card
let onCard = null; // {mention} or {start, end}: words that are selected

const cardMention = () => onCard?.mention ?? null;

// `target` is a mention, a selection of words or null; with `actions` the card can be worked with.
function showCard(target, actions = false) {
  onCard = target;
  const card = byId("card");
  card.hidden = !target;
  card.classList.toggle("pinned", actions);
  light(cardMention());
  if (!target) return;
  const colour = target.mention ? look(target.mention).colour : null;
  card.dataset.colour = colour === null ? "" : colour;
  byId("about").replaceChildren(...(target.mention ? aboutMention(target.mention) : aboutWords(target)));
  byId("actions").replaceChildren(...(actions ? (target.mention ? mentionActions(target.mention) : wordActions(target)) : []));
  byId("actions").hidden = !actions;
  placeCard();
}

function aboutMention(mention) {
  const { found } = mention, state = present(), entity = state.of.get(mention);
  const isYours = isCorrected(view.text, state, mention);
  const role = isYours ? "corrected by you" : found.antecedent === null ? "the first of its entity"
    : `refers back to ${quoted(wordsOf(view.text, antecedentOf(view.text, mention)), CARD_WIDTH)}`;
  const lines = [
    make("p", { class: "name", dir: "auto" }, shortened(entity.name, CARD_WIDTH)),
    make("p", { class: "quiet" }, `${counted(entity.mentions.length, "mention")} · ${role}`),
  ];
  if (!found) return lines;
  const links = antecedentRows(found);
  lines.push(
    rows(isYours ? "The model’s antecedents" : "Antecedents", links),
    rows("Also", [["it is a mention at all", found.probability], ["it belongs to this entity", found.entity_probability]]),
    make("p", { class: "meaning" }, "How likely the model thinks each is. The best antecedent is taken; "
      + "an entity is all links together."));
  return lines;
}

// The best antecedents that are known, and all others together.
function antecedentRows(found) {
  const best = found.antecedents?.length ? found.antecedents.slice(0, 3)
    : [{ id: found.antecedent, probability: found.link_probability }];
  const labelled = best.map(({ id, text, probability }) => [
    text !== undefined ? quoted(text, 40)
      : id === null ? "none: a new entity" : quoted(wordsOf(view.text, view.text.mentions[id]), 40), probability,
  ]);
  const rest = 1 - best.reduce((sum, { probability }) => sum + probability, 0);
  return rest >= 0.005 ? [...labelled, ["any other", rest]] : labelled;
}

function rows(label, values) {
  return make("dl", { "aria-label": label }, ...values.flatMap(([name, probability]) => {
    const bar = make("i");
    bar.style.width = percent(probability);
    return [make("dt", { dir: "auto" }, name), make("dd", { class: "bar" }, bar), make("dd", {}, percent(probability))];
  }));
}

function mentionActions(mention) {
  const { mentions } = present().of.get(mention);
  return [
    button("Remove", "Del", () => removeMention(mention)),
    button("Take out", "t", () => takeOut(mention), mentions.length === 1),
    button("Split from here", "s", () => splitFrom(mention), mentions[0] === mention),
    button("Move to…", "l", () => startMoving(mention)),
    button("Merge entity…", "m", () => startMerging(present().of.get(mention))),
  ];
}

function placeCard() {
  if (!onCard) return;
  const lines = (onCard.mention ? elementsOf(onCard.mention)[0] : rangeOf(onCard.start, onCard.end))?.getClientRects() ?? [];
  if (!lines.length) return;
  const card = byId("card"), first = lines[0], last = lines[lines.length - 1];
  const isBelow = last.bottom + card.offsetHeight + 14 < innerHeight;
  const edge = Math.max(byId("text").getBoundingClientRect().right, card.offsetWidth + 8); // the list stays free
  const x = Math.min((isBelow ? last : first).left, edge - card.offsetWidth);
  card.style.setProperty("--x", `${Math.max(8, x)}px`);
  card.style.setProperty("--y", `${isBelow ? last.bottom + 8 : Math.max(4, first.top - card.offsetHeight - 8)}px`);
}
