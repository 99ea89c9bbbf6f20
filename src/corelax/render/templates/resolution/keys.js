// The keyboard. Letters work where the text or nothing has the focus, and can be switched off.

const isTyping = () => /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName);
const isReading = () => {
  const active = document.activeElement;
  return !active || active === document.body || byId("text").contains(active) || byId("card").contains(active);
};
const focusedMention = () => view.mentionOf.get(document.activeElement) ?? null;

function nextDoubt(step) {
  const { order } = present();
  const doubts = [...order.keys()].filter(place => isDoubtful(view.text, present(), order[place]));
  if (!doubts.length) return say("No doubtful links.");
  const here = view.current ? order.indexOf(view.current) : -1;
  const at = step > 0 ? doubts.findIndex(place => place > here) : doubts.findLastIndex(place => place < here);
  const number = at >= 0 ? at : step > 0 ? 0 : doubts.length - 1;
  goTo(order[doubts[number]]);
  say(`Doubtful link ${inDigits(number + 1)} of ${inDigits(doubts.length)}.`);
}

// Goes along the mentions of an entity, or of the text.
function along(mentions, mention, step) {
  const next = mentions[mentions.indexOf(mention) + step];
  if (next) goTo(next);
}

const onMention = {
  ArrowRight: mention => along(present().of.get(mention).mentions, mention, 1),
  ArrowLeft: mention => along(present().of.get(mention).mentions, mention, -1),
  ArrowDown: mention => along(present().order, mention, 1),
  ArrowUp: mention => along(present().order, mention, -1),
  Home: mention => goTo(present().of.get(mention).mentions[0]),
  End: mention => goTo(present().of.get(mention).mentions.at(-1)),
  Enter: mention => activate(mention),
  " ": mention => activate(mention),
  Delete: mention => removeMention(mention),
  Backspace: mention => removeMention(mention),
};
const onMentionLetters = { t: takeOut, s: splitFrom, l: startMoving, m: mention => startMerging(present().of.get(mention)) };
const letters = { d: () => nextDoubt(1), D: () => nextDoubt(-1), a: startAdding, "/": () => byId("filter").focus() };

const onWords = { // while words are selected
  ArrowRight: event => extend(1, event.shiftKey),
  ArrowLeft: event => extend(-1, event.shiftKey),
};

function keyAction(event) {
  const { key } = event, mention = focusedMention(), words = onCard && !onCard.mention ? onCard : null;
  if ((event.ctrlKey || event.metaKey) && !event.altKey) {
    if (isTyping()) return null;
    if (key.toLowerCase() === "z") return event.shiftKey ? redo : undo;
    return key.toLowerCase() === "y" ? redo : null;
  }
  if (event.altKey) return null;
  if (key === "Escape") return escape;
  if (event.target === byId("filter") && key === "Enter") return pickFirst;
  if (isTyping() || !isReading()) return null;
  if (byId("card").contains(document.activeElement) && [" ", "Enter", "Tab"].includes(key)) return null; // its buttons
  if (adding && onWords[key]) return () => onWords[key](event);
  const isLetter = byId("letters").checked;
  if (words && (key === "Enter" || (isLetter && (key === "n" || key === "l")))) {
    const chosen = present().entity(view.chosen);
    if (key === "l") return () => byId("actions").lastElementChild.click();
    return () => addMention(words.start, words.end, key === "Enter" ? chosen : null);
  }
  const about = mention ?? (byId("card").contains(document.activeElement) ? cardMention() : null);
  if (about && !event.shiftKey && onMention[key]) return () => onMention[key](about);
  if (about && isLetter && onMentionLetters[key]) return () => onMentionLetters[key](about);
  return isLetter && Object.hasOwn(letters, key) ? letters[key] : null;
}

// Leaves, one after the other: picking, selecting, the card, the chosen entity.
function escape() {
  for (const menu of document.querySelectorAll(".menu[open]")) menu.open = false;
  if (picking) {
    stopPicking();
    if (view.current) goTo(view.current);
  } else if (adding || (onCard && !onCard.mention)) {
    stopAdding();
    showCard(null);
  } else if (onCard) {
    document.activeElement.blur();
    showCard(null);
  } else choose(null);
}

function pickFirst() {
  const first = byId("entities").querySelector("[data-e]");
  if (first) first.click();
}

function listenToKeys() {
  document.addEventListener("keydown", event => {
    const action = view.text && keyAction(event);
    if (!action) return;
    event.preventDefault();
    action();
  });
}
