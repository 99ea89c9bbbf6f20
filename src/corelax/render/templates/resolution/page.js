// Texts with their entities, to read and to correct. `corelax.render(resolutions)` shows one object of
// `Resolution.as_dict()`, or a list of them, and may be called again with others.
const corelax = (() => {
  "use strict";
{% for part in ("dom", "model", "edits", "colours", "paragraphs", "draw", "view", "list", "detail", "card", "correct",
                "adding", "save", "store", "keys", "pointer") %}

{% include "resolution/" ~ part ~ ".js" %}
{% endfor %}

  let isListening = false;

  function render(resolutions) {
    view.texts = [resolutions].flat().map(textOf);
    const isRestored = restore(view.texts);
    if (!isListening) {
      listenToKeys();
      listenToPointer();
      isListening = true;
    }
    byId("which").replaceChildren(...view.texts.map((text, at) => make("option", { value: at }, shortened(text.id, 200))));
    byId("which").closest("label").hidden = view.texts.length < 2;
    showText(0);
    if (isRestored) say("Your corrections are here again. Undo takes them back.");
    fitFrame();
  }

  function showText(number) {
    Object.assign(view, { text: view.texts[number], chosen: null, current: null, hovered: null, colours: new Map() });
    for (const name of Object.keys(marked)) marked[name] = [];
    view.colours = coloursOf(present());
    byId("filter").value = "";
    drawText();
    drawList();
    drawDetail();
    drawTools();
    showCard(null);
    entitiesChanged();
  }

  // In a notebook, the frame is as high as the page, up to a limit.
  function fitFrame() {
    try {
      if (frameElement && frameElement.title === "Entities")
        frameElement.style.height = `${Math.min(document.documentElement.scrollHeight + 4, 720)}px`;
    } catch { /* a frame that does not let us look out keeps its height */ }
  }

  // Tells the page around the text that its entities are others now.
  const entitiesChanged = () => document.dispatchEvent(new Event("corelax:entities"));
  const entities = () => present().entities.map(entity => entity.mentions.map(({ start, end }) => [start, end]));
  const words = (start, end) => onOneLine(wordsOf(view.text, { start, end }));

  return { render, entities, words, byId, make, percent };
})();
