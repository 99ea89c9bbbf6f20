// The entities by size, with a filter; small ones are folded where there are many.

const MANY = 12; // entities of two mentions or more, from which on those of two are folded
const ENTRY_WIDTH = 60;

function drawList() {
  const filter = onOneLine(byId("filter").value).toLowerCase();
  const entities = bySize(present().entities).filter(entity => isNamed(entity, filter));
  const groups = { large: [], two: [], one: [] };
  const isMany = entities.filter(entity => entity.mentions.length > 1).length > MANY;
  for (const entity of entities) {
    const size = entity.mentions.length;
    groups[size === 1 ? "one" : size === 2 && isMany ? "two" : "large"].push(entity);
  }
  const isOpen = new Set([...byId("entities").querySelectorAll("details[open]")].map(details => details.id));
  const folded = (id, label, members) => (members.length === 0 ? null
    : foldedList(id, `${label}: ${inDigits(members.length)}`, members, Boolean(filter) || isOpen.has(id)));
  byId("entities").replaceChildren(...[
    groups.large.length ? make("ul", {}, ...groups.large.map(entry)) : null,
    folded("twice", "Mentioned twice", groups.two),
    folded("once", "Mentioned once", groups.one),
    entities.length ? null : make("p", { class: "legend" }, filter ? "No entity has these words." : "No entities."),
  ].filter(Boolean));
}

// The entries of a folded list are made when it is opened.
function foldedList(id, label, entities, isOpen) {
  const list = make("ul");
  const fill = () => {
    if (!list.firstChild) list.append(...entities.map(entry));
  };
  if (isOpen) fill();
  return make("details", { id, open: isOpen, ontoggle: fill }, make("summary", {}, label), list);
}

const isNamed = (entity, filter) => !filter || entity.name.toLowerCase().includes(filter)
  || entity.mentions.some(mention => onOneLine(wordsOf(view.text, mention)).toLowerCase().includes(filter));

function entry(entity) {
  const doubts = entity.mentions.filter(mention => isDoubtful(view.text, present(), mention)).length;
  const sure = probabilityOf(entity);
  const facts = [counted(entity.mentions.length, "mention")];
  if (sure !== null) facts.push(percent(sure));
  if (doubts) facts.push(`${doubts} doubtful`);
  return make("li", {}, make("button", {
    type: "button", "data-e": entity.id, "aria-pressed": entity.id === view.chosen,
    class: colourClass(colourOf(entity)),
  }, make("b", {}, String(entity.id + 1)), make("span", { dir: "auto" }, shortened(entity.name, ENTRY_WIDTH)),
  make("small", {}, facts.join(", "))));
}

// How sure its mentions are on average; null if all were added by the reader.
function probabilityOf(entity) {
  const known = entity.mentions.filter(mention => mention.found).map(mention => mention.found.entity_probability);
  return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
}
