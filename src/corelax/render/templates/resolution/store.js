// Corrections outlive a reload: they are kept by the browser, under a name made of the texts and what was found in them.

const keys = new WeakMap(); // texts → their name

function storeKey(texts) {
  if (!keys.has(texts)) keys.set(texts, hashOf(texts));
  return keys.get(texts);
}

function hashOf(texts) {
  let hash = 0;
  for (const text of texts) {
    const spans = text.original.entities.map(entity => entity.mentions.map(({ start, end }) => [start, end]));
    const content = `${text.id}\n${text.content}\n${JSON.stringify(spans)}`;
    for (let at = 0; at < content.length; at++) hash = (Math.imul(hash, 31) + content.charCodeAt(at)) | 0;
  }
  return `corelax ${hash >>> 0}`;
}

function store(texts) {
  const records = texts.map(text => (text.history.present === text.original ? null : {
    nextId: text.history.present.nextId,
    entities: text.history.present.entities.map(({ id, name, mentions }) => ({
      id, name, mentions: mentions.map(({ start, end }) => [start, end]),
    })),
  }));
  try {
    if (records.some(Boolean)) localStorage.setItem(storeKey(texts), JSON.stringify(records));
    else localStorage.removeItem(storeKey(texts));
  } catch { /* no room, or a frame that may not keep anything: they last as long as the page */ }
}

// Takes kept corrections up again, as one edit that can be undone; whether there were any.
function restore(texts) {
  let records = null;
  try {
    records = JSON.parse(localStorage.getItem(storeKey(texts)));
  } catch { /* nothing is kept here */ }
  if (!Array.isArray(records)) return false;
  texts.forEach((text, at) => {
    if (!records[at]) return;
    const known = new Map(text.mentions.map(mention => [`${mention.start} ${mention.end}`, mention]));
    const same = new Map(text.original.entities.map(entity => [spansOf(entity), entity]));
    const entities = records[at].entities.map(({ id, name, mentions }) => {
      const entity = { id, name, mentions: mentions.map(([start, end]) => known.get(`${start} ${end}`) ?? { start, end, found: null }) };
      const untouched = same.get(spansOf(entity));
      return untouched?.id === id ? untouched : entity;
    });
    text.history.push(new State(entities, records[at].nextId));
  });
  return true;
}

const spansOf = entity => entity.mentions.map(({ start, end }) => `${start} ${end}`).join();
