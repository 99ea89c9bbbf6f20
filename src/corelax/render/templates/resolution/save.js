// What the reader takes away: an entity as JSON or CSV, all texts as jsonlines or CoNLL-2012, corrections as constraints.

function mentionRecord(text, mention) {
  const [start, end] = bounds(text, mention);
  return { text: wordsOf(text, mention), start, end, start_token: mention.start, end_token: mention.end };
}

function entityRecord(text, entity) {
  return {
    representative: entity.name,
    mentions: entity.mentions.map(mention => ({
      ...mentionRecord(text, mention),
      probability: mention.found?.probability ?? null,
      link_probability: isCorrected(text, text.history.present, mention) ? null : mention.found.link_probability,
      entity_probability: mention.found?.entity_probability ?? null,
    })),
  };
}

function entityCsv(text, entity) {
  const cell = value => (/[",\n\r]/.test(String(value ?? "")) ? `"${String(value).replaceAll('"', '""')}"` : value ?? "");
  const names = ["text", "start", "end", "start_token", "end_token", "probability", "link_probability", "entity_probability"];
  const lines = entityRecord(text, entity).mentions.map(record => names.map(name => cell(record[name])).join());
  return [["entity", ...names].join(), ...lines.map(line => `${cell(entity.name)},${line}`)].join("\n") + "\n";
}

const sentencesOf = (text, values) => text.sentences.map((start, at) => values.slice(start, text.sentences[at + 1]));
const allWords = text => text.words.map((_, number) => wordText(text, number));
const withWords = entity => entity.mentions.filter(mention => mention.start < mention.end);
// Entities by their first mention, as all files have them.
const clustersOf = text => text.history.present.entities.map(withWords).filter(mentions => mentions.length)
  .sort(([a], [b]) => inOrder(a, b));

function jsonlines(text) {
  const { speaker = text.words.map(() => null), ...layers } = text.layers;
  const fields = {
    doc_key: text.id,
    sentences: sentencesOf(text, allWords(text)),
    speakers: sentencesOf(text, speaker.map(name => name ?? "-")),
    clusters: clustersOf(text).map(mentions => mentions.map(({ start, end }) => [start, end - 1])),
  };
  if (text.part !== null) fields.part_id = text.part;
  fields.layers = { ...layers, offsets: text.words.map(([start, end]) => [start, end]) };
  return JSON.stringify(fields) + "\n";
}

const COLUMNS = { pos: "-", parse: "*", lemma: "-", frame: "-", sense: "-", speaker: "-", ner: "*" };

function conll(text) {
  const words = allWords(text);
  if (text.id.startsWith("#") || words.some(word => !word || /[\t\n\r]/.test(word)))
    throw new Error(`${text.id}: CoNLL-2012 cannot hold an empty word, a tab or line end in a word, or a name that begins with #.`);
  const named = text.part !== null ? [text.id.slice(0, -String(text.part).length - 1), text.part]
    : /^(.+)_(0|[1-9]\d{0,5})$/.exec(text.id)?.slice(1) ?? [text.id, 0];
  const cells = brackets(text), lines = [`#begin document (${named[0]}); part ${String(named[1]).padStart(3, "0")}`];
  text.sentences.forEach((start, at) => {
    const end = text.sentences[at + 1] ?? words.length;
    for (let word = start; word < end; word++) {
      const where = text.layers.numbering?.[word] ?? [...named, word - start];
      const values = Object.entries(COLUMNS).map(([name, empty]) => (text.layers[name] ? text.layers[name][word] ?? "-" : empty));
      lines.push([...where, words[word], ...values, ...(text.layers.arguments?.[word] ?? []), cells[word]].join("\t"));
    }
    if (start < end) lines.push("");
  });
  return [...lines, "#end document", ""].join("\n");
}

// [word] its cell of brackets. Of mentions of one entity that cross, the later is left out: brackets would pair up wrongly.
function brackets(text) {
  const opening = text.words.map(() => []), single = text.words.map(() => []), closing = text.words.map(() => []);
  const mentions = clustersOf(text).flatMap((cluster, number) => {
    const ends = [];
    return cluster.filter(({ start, end }) => {
      while (ends.length && ends.at(-1) <= start) ends.pop();
      if (ends.length && ends.at(-1) < end) return false;
      ends.push(end);
      return true;
    }).map(({ start, end }) => ({ start, end, number }));
  });
  for (const { start, end, number } of mentions.sort(inOrder)) {
    if (end - start === 1) single[start].push(`(${number})`);
    else {
      opening[start].push(`(${number}`);
      closing[end - 1].unshift(`${number})`);
    }
  }
  return text.words.map((_, word) => [...opening[word], ...single[word], ...closing[word]].join("|") || "-");
}

// What was corrected, for `corelax resolve --constraints`: entities that were touched stay as they are now, parts of
// what was one entity stay apart, removed mentions stay away.
function constraintsOf(text) {
  const before = text.original, now = text.history.present;
  const mentions = [], place = new Map(), must_link = [], cannot_link = [];
  const record = mention => {
    const [start, end] = bounds(text, mention);
    return { start, end, text: wordsOf(text, mention) };
  };
  const numberOf = mention => {
    if (!place.has(mention)) place.set(mention, mentions.push(record(mention)) - 1);
    return place.get(mention);
  };
  const old = new Set(before.entities), parts = new Map(); // entity that was → entities that its mentions are in now
  for (const entity of now.entities) {
    if (old.has(entity)) continue;
    const members = withWords(entity);
    members.forEach(numberOf);
    members.slice(1).forEach((mention, at) => must_link.push([numberOf(members[at]), numberOf(mention)]));
    for (const mention of members) {
      const from = before.of.get(mention);
      if (from) parts.set(from, (parts.get(from) ?? new Set()).add(entity));
    }
  }
  const pairs = new Set();
  for (const entities of parts.values())
    [...entities].forEach((a, at, all) => all.slice(at + 1).forEach(b => {
      const pair = [numberOf(withWords(a)[0]), numberOf(withWords(b)[0])].sort((x, y) => x - y);
      if (!pairs.has(pair.join())) cannot_link.push(pair);
      pairs.add(pair.join());
    }));
  const removed = before.order.filter(mention => mention.start < mention.end && !now.of.has(mention)).map(record);
  return { id: text.id, mentions, must_link, cannot_link, removed };
}

const CONSTRAINTS = "corelax constraints 1";
const constraints = texts => JSON.stringify({
  format: CONSTRAINTS,
  documents: texts.filter(text => text.history.present !== text.original).map(constraintsOf),
}, null, 1) + "\n";

const SAVED = {
  jsonlines: { suffix: ".jsonl", write: texts => texts.map(jsonlines).join("") },
  conll: { suffix: ".conll", write: texts => texts.map(conll).join("") },
  constraints: { suffix: ".constraints.json", write: constraints },
};

// The last part of a path, without what file systems may not like.
const fileName = id => id.split(/[\\/]/).at(-1).replace(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^\.+/, "").slice(0, 80) || "text";

function save(format) {
  const { suffix, write } = SAVED[format];
  const name = view.texts.length === 1 ? fileName(view.texts[0].id) : "texts";
  try {
    const url = URL.createObjectURL(new Blob([write(view.texts)], { type: "text/plain" }));
    make("a", { href: url, download: `${name}${suffix}` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    say(`Saved ${name}${suffix}.`);
  } catch (error) {
    say(error.message);
  }
}

async function copy(content, what) {
  try {
    await navigator.clipboard.writeText(content);
  } catch { // not allowed here: the old way
    const area = document.body.appendChild(make("textarea", { "aria-hidden": "true" }));
    area.value = content;
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(`Copied as ${what}.`);
}
