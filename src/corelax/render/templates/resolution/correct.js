// Corrections: each is an edit of the text with a line that says what was done, and can be undone.

// `mention` is one whose entity stands out afterwards.
function apply(state, message, mention = null) {
  view.text.history.push(state);
  if (mention) view.chosen = state.of.get(mention).id;
  afterChange(message);
}

function undo() {
  if (!view.text.history.canUndo) return say("Nothing to undo.");
  view.text.history.undo();
  afterChange("Undone.");
}

function redo() {
  if (!view.text.history.canRedo) return say("Nothing to redo.");
  view.text.history.redo();
  afterChange("Done again.");
}

function afterChange(message) {
  const hadFocus = byId("text").contains(document.activeElement) || byId("card").contains(document.activeElement);
  view.colours = new Map([...view.colours, ...coloursOf(present(), view.colours)]);
  redraw();
  drawList();
  drawDetail();
  drawTools();
  store(view.texts);
  entitiesChanged();
  say(message);
  if (view.current && hadFocus) goTo(view.current);
  else showCard(null);
}

function removeMention(mention) {
  const { order } = present(), next = order[order.indexOf(mention) + 1] ?? order.at(-2) ?? null;
  const state = edits.remove(view.text, present(), mention);
  view.current = next;
  apply(state, `Removed ${quoted(wordsOf(view.text, mention))}.`);
}

function takeOut(mention) {
  if (present().of.get(mention).mentions.length === 1) return say("It is alone in its entity.");
  const state = edits.takeOut(view.text, present(), mention);
  apply(state, `${quoted(wordsOf(view.text, mention))} is entity ${state.of.get(mention).id + 1} now.`, mention);
}

function splitFrom(mention) {
  if (present().of.get(mention).mentions[0] === mention) return say("Its entity begins here; split at a later mention.");
  const state = edits.splitFrom(view.text, present(), mention), entity = state.of.get(mention);
  apply(state, `Entity ${entity.id + 1} begins here now: ${counted(entity.mentions.length, "mention")}.`, mention);
}

function merge(a, b) {
  if (a.id === b.id) return say("That is the same entity.");
  const state = edits.merge(view.text, present(), a, b), entity = state.of.get(a.mentions[0]);
  apply(state, `Merged ${quoted(a.name)} and ${quoted(b.name)}: ${counted(entity.mentions.length, "mention")}.`,
    a.mentions[0]);
}

function moveTo(mention, entity) {
  if (present().of.get(mention).id === entity.id) return say("It is in this entity already.");
  const message = `Moved ${quoted(wordsOf(view.text, mention))} to ${quoted(entity.name)}.`;
  apply(edits.move(view.text, present(), mention, entity), message, mention);
}

function addMention(start, end, entity) {
  const mention = { start, end, found: null };
  const state = edits.add(view.text, present(), mention, entity);
  stopAdding();
  view.current = mention;
  apply(state, `Added ${quoted(wordsOf(view.text, mention))} to ${entity ? quoted(entity.name) : "a new entity"}.`, mention);
  goTo(mention);
}

// Picking an entity: the next one that is activated, in the list or in the text, is taken.
let picking = null;

function startPicking(question, act) {
  picking = act;
  byId("question").textContent = question;
  byId("picking").hidden = false;
  byId("filter").value = "";
  drawList();
  byId("filter").focus();
}

function stopPicking() {
  picking = null;
  byId("picking").hidden = true;
  byId("filter").value = "";
  drawList();
}

function pick(entity) {
  const act = picking;
  stopPicking();
  act(entity);
  if (view.current) goTo(view.current);
}

const startMerging = entity => startPicking(
  `Merge ${quoted(entity.name)} with which entity?`, other => merge(entity, other));
const startMoving = mention => startPicking(
  `Move ${quoted(wordsOf(view.text, mention))} to which entity?`, entity => moveTo(mention, entity));
