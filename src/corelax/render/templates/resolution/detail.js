// The chosen entity: where it occurs, all its mentions in their lines, and copies of it.

const MOST_LINES = 200; // at first
const AROUND = 36; // characters on each side of a mention in the list

function drawDetail() {
  const entity = present().entity(view.chosen), panel = byId("detail");
  panel.hidden = !entity;
  if (!entity) return panel.replaceChildren();
  panel.className = colourClass(colourOf(entity));
  panel.replaceChildren(
    make("h2", { dir: "auto" }, make("b", {}, String(entity.id + 1)), shortened(entity.name, 120)),
    strip(entity),
    make("div", { class: "buttons" },
      button("Merge with…", "m", () => startMerging(entity)),
      button("Copy JSON", "", () => copy(JSON.stringify(entityRecord(view.text, entity), null, 1), "JSON")),
      button("Copy CSV", "", () => copy(entityCsv(view.text, entity), "CSV")),
      button("Close", "Esc", () => choose(null))),
    contextLines(entity.mentions));
}

function contextLines(mentions) {
  const list = make("ol", { class: "lines" }, ...mentions.slice(0, MOST_LINES).map(contextLine));
  if (mentions.length > MOST_LINES) {
    const more = make("li", {}, button(`Show all ${inDigits(mentions.length)}`, "", () =>
      more.replaceWith(...mentions.slice(MOST_LINES).map(contextLine))));
    list.append(more);
  }
  return list;
}

function button(label, key, act, isDisabled = false) {
  return make("button", { type: "button", disabled: isDisabled, onclick: act }, label, key ? make("kbd", {}, key) : null);
}

function contextLine(mention) {
  const { content, starts, ends } = view.text;
  const from = mention.start < starts.length ? starts[mention.start] : content.length;
  const to = mention.end > mention.start ? ends[mention.end - 1] : from;
  const before = shownAround(content.slice(Math.max(0, from - AROUND), from));
  const after = shownAround(content.slice(to, to + AROUND));
  return make("li", {}, make("button", { type: "button", dir: "auto", onclick: () => goTo(mention) },
    before, make("mark", { class: isDoubtful(view.text, present(), mention) ? "doubt" : null },
      shortened(wordsOf(view.text, mention), 80)), after));
}

const shownAround = text => printable(text).replace(/\u200b/g, "").replace(/\s+/g, " ");

// Where in the text the mentions are, higher where there are more; a click goes to the nearest.
function strip(entity) {
  const size = Math.max(1, view.text.words.length), width = 150, height = 20;
  const place = mention => Math.min(width - 1, Math.floor(mention.start / size * width)) + 0.5;
  const times = new Map();
  for (const mention of entity.mentions) times.set(place(mention), (times.get(place(mention)) ?? 0) + 1);
  const most = Math.max(...times.values());
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "path"));
  path.setAttribute("d", [...times].map(([x, number]) => `M${x} ${height}V${height * (1 - number / most) * 0.8}`).join(""));
  const [first, last] = [entity.mentions[0], entity.mentions.at(-1)].map(mention => percent(place(mention) / width));
  const attributes = {
    viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", class: "strip",
    "aria-label": `Where it occurs: ${counted(entity.mentions.length, "mention")}, from ${first} to ${last} of the text`,
  };
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  svg.addEventListener("click", event => {
    const box = svg.getBoundingClientRect(), x = (event.clientX - box.left) / box.width * width;
    goTo(entity.mentions.reduce((a, b) => (Math.abs(place(b) - x) < Math.abs(place(a) - x) ? b : a)));
  });
  return svg;
}
