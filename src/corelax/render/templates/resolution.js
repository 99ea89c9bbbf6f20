// The card of the mention that is pointed at or has the focus, and light for the others of its entity.
(() => {
  const cards = JSON.parse(document.getElementById("cards").textContent);
  const card = document.getElementById("card");
  let shown = null;

  const all = (name, key) => document.querySelectorAll(`[data-${name}="${key}"]`);
  const percent = p => `${Math.round(100 * p)}%`;
  const add = (parent, tag, text = "", name = "") => {
    const element = parent.appendChild(document.createElement(tag));
    element.textContent = text;
    element.className = name;
    return element;
  };

  function fill(mention) {
    const [text, number] = mention.dataset.m.split(".").map(Number);
    const [, antecedent, exists, link, belongs] = cards[text].mentions[number];
    const [name, count] = cards[text].entities[mention.dataset.e.split(".")[1]];
    card.replaceChildren();
    add(card, "p", name, "name").dir = "auto";
    const before = antecedent === null ? "first of its entity" : `refers back to “${cards[text].mentions[antecedent][0]}”`;
    add(card, "p", `${count} mention${count === 1 ? "" : "s"} · ${before}`, "quiet");
    const list = add(card, "dl");
    const rows = [[antecedent === null ? "is new" : "this link", link], ["a mention", exists], ["this entity", belongs]];
    for (const [label, p] of rows) {
      add(list, "dt", label);
      add(add(list, "dd", "", "bar"), "i").style.width = percent(p);
      add(list, "dd", percent(p));
    }
    card.style.setProperty("--colour", getComputedStyle(mention).getPropertyValue("--colour"));
    return antecedent === null ? null : `${text}.${antecedent}`;
  }

  function place() {
    if (!shown || !shown.dataset.m) return;
    const lines = shown.getClientRects(), last = lines[lines.length - 1];
    const below = last.bottom + card.offsetHeight + 14 < innerHeight;
    const x = Math.min((below ? last : lines[0]).left, document.documentElement.clientWidth - card.offsetWidth - 8);
    card.style.setProperty("--x", `${Math.max(8, x)}px`);
    card.style.setProperty("--y", `${below ? last.bottom + 8 : Math.max(4, lines[0].top - card.offsetHeight - 8)}px`);
  }

  // `target` is a mention, an entry of a list (which has no card) or null.
  function show(target) {
    if (target === shown) return;
    for (const name of ["lit", "here", "before"])
      document.querySelectorAll(`.${name}`).forEach(element => element.classList.remove(name));
    shown = target;
    card.hidden = !target || !target.dataset.m;
    if (!target) return;
    all("e", target.dataset.e).forEach(element => element.classList.add("lit"));
    if (card.hidden) return;
    const before = fill(target);
    all("m", target.dataset.m).forEach(element => element.classList.add("here"));
    if (before) all("m", before).forEach(element => element.classList.add("before"));
    place();
  }

  const near = element => (element && element.closest ? element.closest("[data-e]") : null);
  const focused = () => near(document.activeElement);
  document.addEventListener("pointerover", event => show(near(event.target) || focused()));
  document.addEventListener("click", event => show(near(event.target)));
  document.addEventListener("focusin", event => show(near(event.target)));
  document.addEventListener("focusout", () => show(null));
  document.addEventListener("keydown", event => {
    const mention = focused();
    if (event.key === "Escape") {
      document.activeElement.blur();
      show(null);
    } else if (mention && mention.dataset.m && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      const along = [...document.querySelectorAll(`.mention[data-e="${mention.dataset.e}"][id]`)];
      const here = along.findIndex(element => element.dataset.m === mention.dataset.m);
      const next = along[here + (event.key === "ArrowRight" ? 1 : -1)];
      if (next) next.focus();
      event.preventDefault();
    }
  });
  addEventListener("scroll", place, { passive: true });
  addEventListener("resize", place);

  // In a notebook, the frame is as high as the page, up to a limit.
  try {
    if (frameElement && frameElement.title === "Entities")
      frameElement.style.height = `${Math.min(document.documentElement.scrollHeight + 4, 720)}px`;
  } catch { /* a frame that does not let us look out keeps its height */ }
})();
