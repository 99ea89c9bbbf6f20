// The mouse, touch and the focus; the row of tools.

const nearest = element => (element?.closest ? element.closest("[data-e]") : null);

// What a click or Enter on a mention does: its entity stands out, or is the one that was asked for.
function activate(mention) {
  const entity = present().of.get(mention);
  if (picking) return pick(entity);
  choose(view.chosen === entity.id && view.current === mention && byId("card").hidden ? null : entity.id);
  goTo(mention);
}

function listenToPointer() {
  const text = byId("text"), entities = byId("entities"), card = byId("card");
  text.addEventListener("pointerover", event => {
    const mention = view.mentionOf.get(nearest(event.target));
    if (!card.classList.contains("pinned") || card.hidden) showCard(mention ? { mention } : null);
  });
  text.addEventListener("pointerleave", () => {
    if (!card.classList.contains("pinned")) showCard(null);
  });
  text.addEventListener("click", event => {
    if (!getSelection().isCollapsed) return;
    const mention = view.mentionOf.get(nearest(event.target));
    if (mention) activate(mention);
    else if (!picking) {
      choose(null);
      showCard(null);
    }
  });
  text.addEventListener("focusin", event => {
    const mention = view.mentionOf.get(event.target);
    if (!mention) return;
    view.current = mention;
    reachable();
    showCard({ mention }, true);
  });
  document.addEventListener("focusin", event => {
    const isPart = text.contains(event.target) || card.contains(event.target);
    if (!isPart && onCard?.mention) showCard(null);
  });
  text.addEventListener("focusout", event => {
    if (!event.relatedTarget && onCard?.mention && !card.matches(":hover")) showCard(null);
  });
  document.addEventListener("selectionchange", showSelection);

  for (const [kind, isOver] of [["pointerover", true], ["pointerout", false]])
    entities.addEventListener(kind, event => {
      const found = nearest(event.target);
      view.hovered = isOver && found ? Number(found.dataset.e) : null;
      light(cardMention());
    });
  entities.addEventListener("click", event => {
    const found = nearest(event.target), entity = found && present().entity(Number(found.dataset.e));
    if (!entity) return;
    if (picking) return pick(entity);
    if (view.chosen === entity.id) return choose(null);
    choose(entity.id);
    goTo(entity.mentions[0], { focus: false });
  });
  byId("filter").addEventListener("input", drawList);
  byId("undo").addEventListener("click", undo);
  byId("redo").addEventListener("click", redo);
  byId("doubts").addEventListener("click", () => nextDoubt(1));
  byId("cancel").addEventListener("click", stopPicking);
  byId("which").addEventListener("change", event => showText(Number(event.target.value)));
  for (const item of document.querySelectorAll("[data-save]"))
    item.addEventListener("click", () => {
      item.closest("details").open = false;
      save(item.dataset.save);
    });
  document.addEventListener("click", event => {
    for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  addEventListener("scroll", placeCard, { passive: true });
  addEventListener("resize", placeCard);
}

function drawTools() {
  const { history, words, original } = view.text, state = present();
  const doubts = state.order.filter(mention => isDoubtful(view.text, state, mention)).length;
  byId("undo").disabled = !history.canUndo;
  byId("redo").disabled = !history.canRedo;
  byId("doubts").disabled = !doubts;
  byId("doubts").firstChild.data = doubts ? `Next of ${counted(doubts, "doubtful link")}` : "No doubtful links";
  const number = state.entities.length;
  byId("size").textContent = `${counted(words.length, "word")}, ${counted(state.order.length, "mention")} of `
    + `${inDigits(number)} ${number === 1 ? "entity" : "entities"}${state === original ? "" : ", corrected"}`;
}
