// Entities, and what a reader may change about them. States are never changed: each edit makes a new one, which
// shares the entities that it leaves alone.

class State {
  #of = null;
  #order = null;

  constructor(entities, nextId) {
    this.entities = entities;
    this.nextId = nextId;
  }

  get of() { // the entity of each mention
    this.#of ??= new Map(this.entities.flatMap(entity => entity.mentions.map(mention => [mention, entity])));
    return this.#of;
  }

  get order() { // all mentions in the order of the text, outer ones first
    this.#order ??= this.entities.flatMap(entity => entity.mentions).sort(inOrder);
    return this.#order;
  }

  entity(id) {
    return this.entities.find(entity => entity.id === id) ?? null;
  }
}

const inOrder = (a, b) => a.start - b.start || b.end - a.end;

class History {
  #past = [];
  #future = [];

  constructor(present) {
    this.present = present;
  }

  get canUndo() { return this.#past.length > 0; }
  get canRedo() { return this.#future.length > 0; }

  push(state) {
    this.#past.push(this.present);
    this.#future = [];
    this.present = state;
  }

  undo() {
    this.#future.push(this.present);
    this.present = this.#past.pop();
  }

  redo() {
    this.#past.push(this.present);
    this.present = this.#future.pop();
  }
}

// The state after mentions went to entities (by id; `state.nextId` is a new one) or away (null).
function regrouped(text, state, moves) {
  const added = new Map(), touched = new Set(), names = new Map();
  let nextId = state.nextId;
  for (const [mention, id] of moves) {
    const from = state.of.get(mention);
    if (from) touched.add(from.id);
    if (id === null) continue;
    touched.add(id);
    if (!added.has(id)) added.set(id, []);
    added.get(id).push(mention);
    if (from) names.set(id, [...(names.get(id) ?? []), from.name]);
    nextId = Math.max(nextId, id + 1);
  }
  const entities = [];
  const old = new Map(state.entities.map(entity => [entity.id, entity]));
  for (const id of [...new Set([...old.keys(), ...added.keys()])].sort((a, b) => a - b)) {
    const entity = old.get(id);
    if (!touched.has(id)) {
      entities.push(entity);
      continue;
    }
    const stay = (entity?.mentions ?? []).filter(mention => !moves.has(mention));
    const mentions = [...stay, ...(added.get(id) ?? [])].sort(inOrder);
    const known = [...(entity ? [entity.name] : []), ...(names.get(id) ?? [])];
    if (mentions.length) entities.push({ id, name: nameOf(text, mentions, known), mentions });
  }
  return new State(entities, nextId);
}

const PRONOUN = /^(i|me|my|mine|myself|you|your|yours|yourself|he|him|his|himself|she|her|hers|herself|it|its|itself|we|us|our|ours|ourselves|they|them|their|theirs|themselves|who|whom|whose|which|that|this|these|those|here|there)$/i;

// A name that it had, if one of the mentions still has it; else the longest mention that is no pronoun.
function nameOf(text, mentions, known) {
  const shown = mentions.map(mention => onOneLine(wordsOf(text, mention)));
  const kept = known.filter(name => shown.some(words => words.includes(name)));
  const name = kept.find(words => !PRONOUN.test(words));
  if (name) return name;
  const longest = shown.filter(words => !PRONOUN.test(words)).sort((a, b) => b.length - a.length)[0];
  return longest ?? kept[0] ?? shown[0];
}

const allTo = (mentions, id) => new Map(mentions.map(mention => [mention, id]));

const edits = {
  // The smaller entity joins the larger one.
  merge(text, state, a, b) {
    const [large, small] = a.mentions.length >= b.mentions.length ? [a, b] : [b, a];
    return regrouped(text, state, allTo(small.mentions, large.id));
  },
  takeOut: (text, state, mention) => regrouped(text, state, allTo([mention], state.nextId)),
  splitFrom(text, state, mention) {
    const { mentions } = state.of.get(mention);
    return regrouped(text, state, allTo(mentions.slice(mentions.indexOf(mention)), state.nextId));
  },
  move: (text, state, mention, entity) => regrouped(text, state, allTo([mention], entity.id)),
  remove: (text, state, mention) => regrouped(text, state, allTo([mention], null)),
  add: (text, state, mention, entity) => regrouped(text, state, allTo([mention], entity ? entity.id : state.nextId)),
};
