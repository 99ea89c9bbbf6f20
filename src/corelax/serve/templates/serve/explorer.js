// The explorer: matrices, curves and soft metrics of the text that is shown, against its corrected entities.
const explorer = (() => {
  "use strict";
  const { byId, make, percent } = corelax;
  const METRICS = { muc: "MUC", b_cubed: "B³", ceaf_e: "CEAF-e", lea: "LEA", blanc: "BLANC" };
  const STEPS = 25;
  const SVG = "http://www.w3.org/2000/svg";
  const state = { spans: [], links: [], gold: [], sizes: [], shown: [], cell: null };

  function show(record) {
    const links = record?.links ?? [];
    state.spans = record?.spans ?? [];
    state.links = relax.linkMatrix(links);
    state.cell = null;
    byId("explorer-parts").hidden = !links.length;
    byId("explorer-none").textContent = links.length ? "" : record?.count
      ? `${record.count} likely mentions or more are too many to draw; try a shorter text.` : "This text has no likely mentions.";
    update();
  }

  // Gold are the entities of the page; a mention that the ranker does not consider counts in the size of its entity.
  function readGold() {
    const place = new Map(state.spans.map((span, at) => [span.join(), at]));
    const entities = corelax.entities();
    state.gold = state.spans.map(() => -1);
    state.sizes = entities.map(mentions => mentions.length);
    entities.forEach((mentions, entity) => mentions.forEach(span => {
      if (place.has(span.join())) state.gold[place.get(span.join())] = entity;
    }));
  }

  const options = () => ({
    temperature: Number(byId("temperature").value),
    on: byId("temperature-on").value,
    beta: 2 ** Number(byId("beta").value),
    keepSingletons: byId("keep-singletons").checked,
  });

  function draw() {
    if (!state.links.length) return;
    readGold();
    const chosen = options();
    const evaluated = temperature => relax.evaluate(state.links, state.gold, state.sizes, { ...chosen, temperature });
    const now = evaluated(chosen.temperature), exact = evaluated(0);
    document.querySelector("output[for=temperature]").value = chosen.temperature.toFixed(2);
    document.querySelector("output[for=beta]").value = chosen.beta.toFixed(2);
    drawTable(now.scores, exact.scores);
    drawCurves(Array.from({ length: STEPS + 1 }, (_, at) => 1 - at / STEPS).map(t => [t, evaluated(t).scores]), chosen.temperature);
    const gold = state.gold.map((v, i) => Float64Array.from({ length: i + 1 }, (_, j) => (v >= 0 && v === state.gold[j] && j < i ? 1 : 0)));
    state.shown = { links: now.links, entities: now.probs, gold }[byId("which-matrix").value];
    drawMatrix();
  }

  let isWaiting = false;

  function update() {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(drawWhatWaits);
  }

  function drawWhatWaits() {
    if (!isWaiting) return;
    isWaiting = false;
    draw();
  }

  function drawTable(now, exact) {
    const number = value => (100 * value).toFixed(1);
    byId("measures").tBodies[0].replaceChildren(...Object.entries(METRICS).map(([key, name], at) => make("tr", {},
      make("th", { scope: "row", class: `entity-${at}` }, name),
      ...[now[key].recall, now[key].precision, now[key].f, exact[key].f].map(value => make("td", {}, number(value))))));
  }

  const svg = (tag, attributes, ...children) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  function drawCurves(points, temperature) {
    const x = t => 40 + 430 * (1 - t), y = f => 265 - 250 * Math.min(f, 1.02);
    const axes = [0, 0.5, 1].flatMap(value => [
      svg("line", { class: "axis", x1: 40, x2: 470, y1: y(value), y2: y(value) }),
      svg("text", { x: 34, y: y(value) + 4, "text-anchor": "end" }, String(100 * value)),
      svg("text", { x: x(value), y: 284, "text-anchor": "middle" }, value === 1 ? "T = 1" : String(value)),
    ]);
    const lines = Object.keys(METRICS).map((key, at) => svg("path", {
      class: `entity-${at}`,
      d: points.map(([t, scores], place) => `${place ? "L" : "M"}${x(t).toFixed(1)} ${y(scores[key].f).toFixed(1)}`).join(""),
    }));
    const now = svg("line", { class: "now", x1: x(temperature), x2: x(temperature), y1: y(1), y2: y(0) });
    byId("curves").replaceChildren(...axes, now, ...lines);
  }

  function drawMatrix() {
    const canvas = byId("matrix"), n = state.shown.length, style = getComputedStyle(document.body);
    const cell = Math.max(1, Math.floor(480 / n));
    canvas.width = canvas.height = cell * n;
    const drawing = canvas.getContext("2d");
    drawing.fillStyle = style.getPropertyValue("--tint");
    state.shown.forEach((row, i) => drawing.fillRect(0, i * cell, (i + 1) * cell, cell));
    drawing.fillStyle = style.getPropertyValue("--accent");
    state.shown.forEach((row, i) => row.forEach((p, j) => {
      drawing.globalAlpha = Math.min(1, p);
      drawing.fillRect(j * cell, i * cell, cell, cell);
    }));
    drawing.globalAlpha = 1;
    if (state.cell) {
      drawing.strokeStyle = style.getPropertyValue("--ink");
      drawing.strokeRect(state.cell[1] * cell + 0.5, state.cell[0] * cell + 0.5, cell - 1, cell - 1);
    }
    canvas.setAttribute("aria-label", `Matrix of ${n} likely mentions; arrow keys move from cell to cell`);
    tell();
  }

  function tell() {
    const kind = byId("which-matrix").value, name = i => `“${corelax.words(...state.spans[i])}”`;
    if (!state.cell) {
      byId("cell").textContent = "Rows are mentions, columns what they link to. Point at a cell, or use the arrow keys.";
      return;
    }
    const [i, j] = state.cell, p = percent(state.shown[i][j]);
    byId("cell").textContent = kind === "gold" ? `${name(i)} and ${name(j)}: ${state.shown[i][j] ? "" : "not "}the same gold entity`
      : kind === "entities" ? `${name(i)} is in the entity that ${name(j)} starts: ${p}`
        : i === j ? `${name(i)} starts a new entity: ${p}` : `${name(i)} links to ${name(j)}: ${p}`;
  }

  function point(i, j) {
    if (!state.shown.length) return;
    const row = Math.max(0, Math.min(state.shown.length - 1, i));
    state.cell = [row, Math.max(0, Math.min(row, j))];
    drawMatrix();
  }

  byId("matrix").addEventListener("pointermove", event => {
    drawWhatWaits(); // a pointer, like a key, can be faster than the first frame of a text
    const box = event.target.getBoundingClientRect(), n = state.shown.length;
    point(Math.floor((event.clientY - box.top) / box.height * n), Math.floor((event.clientX - box.left) / box.width * n));
  });
  byId("matrix").addEventListener("keydown", event => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    drawWhatWaits();
    const [i, j] = state.cell ?? [0, 0];
    point(i + step[0], j + step[1]);
  });
  for (const id of ["temperature", "temperature-on", "beta", "keep-singletons", "which-matrix"]) byId(id).addEventListener("input", update);
  document.addEventListener("corelax:entities", update);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);

  return { show };
})();
