// A text goes to the server, and its entities come back. The last answer outlives a reload, in this tab.
(() => {
  "use strict";
  const { byId, make } = corelax;
  const KEPT = "corelax last answer";
  const EXAMPLES = {
    "A story": "Mara lost her key on the way to the harbour. An old fisherman found it and put it into his pocket. When she came back, he asked her whether it was hers. “It is,” she said, and thanked him. The fisherman laughed: his daughter loses hers every week.",
    "News": "The city of Brenn will close its oldest bridge in May. The mayor, Lena Ott, said that she had no choice: engineers found cracks in it last year. They told the council that the bridge might not survive another winter. Its members agreed with them, but want Ott to present her plans for a new one before it is torn down.",
    "A dialogue": "“I saw you at the station,” Tom said to Ann. “Were you waiting for your sister?” “No,” she answered, “I was waiting for you. You promised that you would bring my books.” He blushed. “I forgot them. They are still on my desk.”",
  };

  const say = problem => { byId("problem").textContent = problem; };

  function show(answer) {
    document.body.classList.remove("empty");
    byId("start").removeAttribute("role"); // the text is what matters now
    corelax.render(answer);
    explorer.show(answer.links);
  }

  async function ask(event) {
    event.preventDefault();
    const button = byId("resolve");
    button.disabled = true;
    button.textContent = "Resolving …";
    say("");
    try {
      const answer = await resolved();
      if (answer) {
        show(answer);
        byId("text").scrollIntoView({ block: "nearest" });
        try { sessionStorage.setItem(KEPT, JSON.stringify(answer)); } catch { /* too long to be kept */ }
      }
    } catch {
      say("The server cannot be reached.");
    }
    button.disabled = false;
    button.textContent = "Resolve";
  }

  async function resolved() {
    const headers = { "Content-Type": "application/json" };
    if (byId("token").value) headers.Authorization = `Bearer ${byId("token").value}`;
    const wanted = { text: byId("source").value, singletons: byId("singles").checked ? "keep" : "drop", links: true };
    if (byId("scheme").value) wanted.scheme = byId("scheme").value;
    const response = await fetch("resolve", { method: "POST", headers, body: JSON.stringify(wanted) });
    const answer = await response.json();
    if (response.ok) return { ...answer, id: byId("source").dataset.name || answer.id };
    if (response.status === 401) {
      byId("secret").hidden = false;
      byId("token").focus();
    }
    say(`${answer.error[0].toUpperCase()}${answer.error.slice(1)}.`);
    return null;
  }

  async function take(file) {
    try {
      byId("source").value = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      byId("source").dataset.name = file.name;
      say("");
    } catch {
      say(`${file.name} is not a text in UTF-8.`);
    }
  }

  async function offerSchemes() {
    const description = await (await fetch("openapi.json")).json();
    const schemes = description.components.schemas.Request.properties.scheme.enum.filter(name => name !== null);
    byId("scheme").replaceChildren(...schemes.map(name => make("option", { value: name }, name)));
    byId("scheme").closest("label").hidden = schemes.length < 2;
  }

  byId("ask").addEventListener("submit", ask);
  byId("source").addEventListener("input", () => delete byId("source").dataset.name);
  byId("source").addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("ask").requestSubmit();
  });
  byId("file").addEventListener("click", () => byId("chosen").click());
  byId("chosen").addEventListener("change", event => { if (event.target.files[0]) take(event.target.files[0]); });
  for (const name of Object.keys(EXAMPLES)) byId("example").append(make("option", { value: name }, name));
  byId("example").addEventListener("change", event => {
    if (!EXAMPLES[event.target.value]) return;
    byId("source").value = EXAMPLES[event.target.value];
    byId("source").dataset.name = event.target.value;
    byId("ask").requestSubmit();
  });
  const isDropping = isOver => document.body.classList.toggle("dropping", isOver);
  document.addEventListener("dragover", event => { event.preventDefault(); isDropping(true); });
  document.addEventListener("dragleave", () => isDropping(false));
  document.addEventListener("drop", async event => {
    event.preventDefault();
    isDropping(false);
    const [file] = event.dataTransfer.files;
    if (file) await take(file);
    else if (event.dataTransfer.getData("text")) byId("source").value = event.dataTransfer.getData("text");
    if (byId("source").value && !byId("problem").textContent) byId("ask").requestSubmit();
  });
  offerSchemes().catch(() => say("The server cannot be reached."));
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT));
    if (kept) {
      byId("source").value = kept.text;
      byId("source").dataset.name = kept.id;
      show(kept);
    }
  } catch { sessionStorage.removeItem(KEPT); }
})();
