// A text as the page works on it, made of what `Resolution.as_dict()` gives.
// Mentions are half-open ranges of words. Characters outside are code points, inside those of JavaScript.

const ZERO = "∅"; // a mention of no word
const DOUBTFUL = 0.6; // a less likely link is marked

function textOf(data) {
  const unit = codeUnits(data.text);
  const words = data.tokens.map(token => (Array.isArray(token) ? token : [token.start, token.end, token.text]));
  const records = [];
  for (const entity of data.entities)
    for (const item of entity.mentions) {
      const record = typeof item === "number" ? { id: item, ...data.mentions[item] } : item;
      records[record.id] = record;
    }
  const mentions = records.map(record => ({ start: record.start_token, end: record.end_token, found: record }));
  const entities = data.entities.map((entity, id) => ({
    id,
    name: onOneLine(entity.representative) || ZERO,
    mentions: entity.mentions.map(item => mentions[typeof item === "number" ? item : item.id]),
  }));
  const text = {
    id: data.id,
    part: data.part ?? null,
    content: data.text,
    words,
    starts: Int32Array.from(words, ([start]) => unit(start)),
    ends: Int32Array.from(words, ([, end]) => unit(end)),
    sentences: data.sentence_starts ?? (words.length ? [0] : []),
    layers: data.layers ?? (data.tokens[0]?.speaker === undefined ? {} : { speaker: data.tokens.map(token => token.speaker) }),
    mentions, // as they were found, by their ids
  };
  text.history = new History(new State(entities, entities.length));
  text.original = text.history.present;
  text.paragraphs = paragraphsOf(text);
  return text;
}

// From positions in code points to positions in code units; the same where no character needs two.
function codeUnits(content) {
  if (!/[\ud800-\udbff][\udc00-\udfff]/.test(content)) return position => position;
  const units = [];
  let at = 0;
  for (const character of content) {
    units.push(at);
    at += character.length;
  }
  units.push(at);
  return position => units[position];
}

const characters = (text, start, end) => text.content.slice(
  start < text.words.length ? text.starts[start] : text.content.length,
  start < end ? text.ends[end - 1] : text.starts[start]);
const wordsOf = (text, mention) => (mention.start < mention.end ? characters(text, mention.start, mention.end) : ZERO);
const wordText = (text, number) => text.words[number][2] ?? text.content.slice(text.starts[number], text.ends[number]);

// The characters of a mention as Python counts them.
function bounds(text, { start, end }) {
  if (start < end) return [text.words[start][0], text.words[end - 1][1]];
  const place = start < text.words.length ? text.words[start][0] : [...text.content].length;
  return [place, place];
}

// The mention that a mention was linked to; null if it starts its entity, or was added.
const antecedentOf = (text, mention) => text.mentions[mention.found?.antecedent ?? -1] ?? null;

// Whether the link is the reader's: the mention was added, moved away from its antecedent or joined to an entity.
function isCorrected(text, state, mention) {
  if (!mention.found) return true;
  const entity = state.of.get(mention), before = antecedentOf(text, mention);
  if (before) return state.of.get(before) !== entity;
  const start = entity.mentions.find(other => other.found && other.found.antecedent === null);
  return start !== mention;
}

// A link is doubtful if it is not likely, and neither are the best antecedents in the same entity taken together:
// whether *she* refers back to *her* or to *Ann* does not matter where both are Ann.
function isDoubtful(text, state, mention) {
  if (!(mention.found?.link_probability < DOUBTFUL) || isCorrected(text, state, mention)) return false;
  if (mention.found.antecedent === null) return true;
  const entity = state.of.get(mention);
  const together = (mention.found.antecedents ?? [])
    .filter(({ id }) => id !== null && state.of.get(text.mentions[id]) === entity)
    .reduce((sum, { probability }) => sum + probability, 0);
  return together < DOUBTFUL;
}
