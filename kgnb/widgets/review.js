// The review: every question with its verdict as a row, decided by key or button, one or many at once. All state that
// counts is in Python (kgnb/widgets/review.py): `rows` are the judge's, `decided` is what people decided, and every action
// is sent back as a message { action, questions, choices }. What is shown of the rows (filters, marks) stays here.
// Texts come from ontologies and models, so they are only ever set as textContent.

const ACTIONS = [
  { key: "a", action: "equivalent", label: "Accept", title: "The candidate is right" },
  { key: "b", action: "broader", label: "Broader", title: "The candidate is broader" },
  { key: "n", action: "narrower", label: "Narrower", title: "The candidate is narrower" },
  { key: "l", action: "related", label: "Related", title: "The candidate is related" },
  { key: "x", action: "reject", label: "Not this one", title: "This candidate is wrong; another may fit" },
  { key: "r", action: "different", label: "None fits", title: "No candidate is right" },
  { key: "w", action: "withdraw", label: "Open again", title: "Take back what people decided here" },
];
const STATES = { waiting: "waiting", judge: "decided by the judge", person: "decided by people", all: "all" };
const MARKS = { equal: "=", differs: "≠" };
const PAGE = 50;
const UNHEARD = "The kernel has not answered yet. If it was restarted, this answer is not saved: run the cell again.";

let views = 0;

function element(tag, attributes = {}, ...content) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, name.startsWith("aria-") ? "true" : "");
    else if (value !== false && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...content.filter(one => one !== null && one !== undefined && one !== ""));
  return made;
}

const nameOf = control => control.dataset.action || control.getAttribute("aria-label") || control.textContent;
const percent = share => `${(share * 100).toFixed(1)} %`;

function render({ model, el }) {
  const prefix = `kgnb-review-${++views}`;
  const shown = { state: "", kind: "", text: "", least: 0, most: 100, page: 0, active: "", choices: {}, marked: new Set() };
  let unheard; // set while the kernel has not confirmed an action

  const root = element("section", { class: "kgnb-review", "aria-label": "Review" });
  // Single keys (a: insert cell above, x: cut cell) must not be the notebook's, which takes them at the document.
  const ownKeys = event => {
    if (!root.contains(event.target)) return;
    const theirs = event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === "Enter");
    event.target.toggleAttribute("data-lm-suppress-shortcuts", !theirs);
  };
  window.addEventListener("keydown", ownKeys, true);
  const head = element("div", { class: "kgnb-review-head" });
  const tools = element("div", { class: "kgnb-review-buttons", role: "toolbar", "aria-label": "Decide" });
  const status = element("div", { class: "kgnb-review-status", role: "status" });
  const body = element("tbody");
  const table = element("table", { class: "kgnb-review-rows", "aria-label": "Questions" },
    element("thead", {}, element("tr", {},
      element("th", { scope: "col" }, element("span", { class: "kgnb-review-unseen" }, "Mark")),
      ...["Question", "Candidate", "Verdict", "How sure", "By"].map(title => element("th", { scope: "col" }, title)))),
    body);
  const scroll = element("div", { class: "kgnb-review-scroll", tabindex: 0, role: "region", "aria-label": "Questions" }, table);
  const foot = element("div", { class: "kgnb-review-foot" });
  root.append(head, tools, status, scroll, foot);

  const view = () => model.get("view");
  const rows = () => model.get("rows");
  const decision = row => model.get("decided")[row.id];
  const stateOf = row => (decision(row) ? "person" : row.waits ? "waiting" : "judge");
  const choiceOf = row => shown.choices[row.id] ?? (decision(row)?.choice >= 0 ? decision(row).choice : row.choice);

  // ---- which rows

  function filtered() {
    const words = shown.text.toLowerCase().split(/\s+/).filter(Boolean);
    return rows().filter(row => {
      const text = [row.name, row.iri, ...row.candidates].join(" ").toLowerCase();
      return (
        (shown.state === "all" || stateOf(row) === shown.state) &&
        (!shown.kind || row.kind === shown.kind) &&
        row.confidence * 100 >= shown.least &&
        row.confidence * 100 <= shown.most &&
        words.every(word => text.includes(word))
      );
    });
  }

  function targets() {
    const marked = filtered().filter(row => shown.marked.has(row.id));
    if (marked.length > 0) return marked;
    const active = rows().find(row => row.id === shown.active);
    return active ? [active] : [];
  }

  // ---- what is sent

  function send(action, questions, choices = []) {
    model.send({ action, questions, choices });
    if (action === "open") return;
    clearTimeout(unheard);
    unheard = setTimeout(() => (status.textContent = UNHEARD), action === "apply" ? 600000 : 4000);
  }

  function act(action) {
    if (action === "undo") return send("undo", []);
    const chosen = targets();
    if (chosen.length === 0) return;
    const one = chosen.length === 1 ? chosen[0] : null;
    const next = filtered().filter(row => !chosen.includes(row));
    const at = filtered().findIndex(row => row.id === shown.active);
    const follower = one ? filtered()[at + 1] ?? next[next.length - 1] : next[0];
    send(action, chosen.map(row => row.id), chosen.map(choiceOf));
    shown.marked.clear();
    if (follower) activate(follower.id); // drawn at once: the next key may come before the kernel's answer
  }

  function activate(id, redraw = true) {
    shown.active = id;
    if (redraw) draw();
    const at = filtered().findIndex(row => row.id === id);
    if (at >= 0 && Math.floor(at / PAGE) !== shown.page) {
      shown.page = Math.floor(at / PAGE);
      if (redraw) draw();
    }
  }

  function open(row) {
    if (model.get("detail").id === row.id && shown.opened === row.id) {
      shown.opened = "";
      draw();
      return;
    }
    shown.opened = row.id;
    send("open", [row.id], [choiceOf(row)]);
  }

  function choose(row, choice) {
    if (choice < 0 || choice >= row.candidates.length) return;
    shown.choices[row.id] = choice;
    if (shown.opened === row.id) send("open", [row.id], [choice]);
    draw();
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === "Enter")) return;
    const field = event.target instanceof HTMLInputElement && event.target.type !== "checkbox";
    const list = filtered();
    const at = list.findIndex(row => row.id === shown.active);
    const row = list[at];
    const known = ACTIONS.find(one => one.key === event.key.toLowerCase());
    event.stopPropagation();
    if (field || event.target instanceof HTMLSelectElement) return;
    if (known && buttons.has(known.action)) act(known.action);
    else if (event.key === "u") act("undo");
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const next = list[at < 0 ? 0 : at + (event.key === "ArrowDown" ? 1 : -1)];
      if (next) activate(next.id);
    } else if (event.key === "*") mark(list, list.some(one => !shown.marked.has(one.id)));
    else if (!row) return;
    else if (event.key === "ArrowRight") choose(row, choiceOf(row) + 1);
    else if (event.key === "ArrowLeft") choose(row, choiceOf(row) - 1);
    else if (/^[1-9]$/.test(event.key)) choose(row, Number(event.key) - 1);
    else if (event.key === " " && !(event.target instanceof HTMLButtonElement)) mark([row], !shown.marked.has(row.id));
    else if (event.key === "o" || (event.key === "Enter" && event.target === scroll)) open(row);
    else return;
    event.preventDefault();
  }

  function mark(some, on) {
    for (const row of some) shown.marked[on ? "add" : "delete"](row.id);
    draw();
  }

  // ---- drawing

  const buttons = new Map();
  function button(label, key, title, press) {
    return element("button", { type: "button", title: `${title} (${key})`, "aria-keyshortcuts": key, click: press }, label, " ", element("kbd", {}, key));
  }

  function field(label, attributes, onInput) {
    const input = element("input", { ...attributes, "aria-label": label });
    input.addEventListener("input", () => {
      onInput(input.value);
      shown.page = 0;
      drawRows();
    });
    return element("label", {}, label, " ", input);
  }

  function select(label, options, value, onChange) {
    const made = element("select", { "aria-label": label }, ...options.map(([key, said]) => element("option", { value: key }, said)));
    made.value = value;
    made.addEventListener("change", () => {
      onChange(made.value);
      shown.page = 0;
      draw();
    });
    return made;
  }

  function drawHead() {
    const all = rows();
    const count = state => all.filter(row => stateOf(row) === state).length;
    const states = Object.entries(STATES).map(([state, said]) => [state, `${said} (${state === "all" ? all.length : count(state)})`]);
    const kinds = [...new Set(all.map(row => row.kind).filter(Boolean))].sort();
    const who = element("input", { type: "text", "aria-label": "Your name", placeholder: "saved with each decision", value: model.get("who") });
    who.addEventListener("change", () => {
      model.set("who", who.value);
      model.save_changes();
    });
    head.replaceChildren(
      element("label", {}, "Show ", select("Show", states, shown.state, value => (shown.state = value))),
      kinds.length > 1 ? element("label", {}, "Kind ", select("Kind", [["", "all"], ...kinds.map(kind => [kind, kind])], shown.kind, value => (shown.kind = value))) : "",
      field("Sure from", { type: "number", min: 0, max: 100, step: 5, value: shown.least }, value => (shown.least = Number(value) || 0)),
      field("to, %", { type: "number", min: 0, max: 100, step: 5, value: shown.most }, value => (shown.most = value === "" ? 100 : Number(value))),
      field("Find", { type: "search", value: shown.text }, value => (shown.text = value)),
      element("label", {}, "Your name ", who)
    );
  }

  function drawTools() {
    const { words, rejects, undoable, applies, changed } = view();
    const there = ({ action }) => (action === "reject" ? rejects : action === "withdraw" || action in words);
    buttons.clear();
    const drawn = ACTIONS.filter(there).map(({ key, action, label, title }) => {
      const made = button(label, key, title, () => act(action));
      made.dataset.action = action;
      made.disabled = targets().length === 0;
      buttons.set(action, made);
      return made;
    });
    const undo = button("Undo", "u", "Take back the last action", () => act("undo"));
    undo.disabled = !undoable;
    undo.dataset.action = "undo";
    const apply = element("button", { type: "button", class: "kgnb-review-apply", "data-action": "apply", click: () => {
      status.textContent = "Applying …";
      send("apply", []);
    } }, changed ? `Apply ${changed}` : "Apply");
    apply.title = "Run what follows from the decisions again";
    apply.disabled = !changed;
    tools.replaceChildren(...drawn, undo, ...(applies ? [apply] : []));
  }

  function drawRow(row) {
    const own = decision(row);
    const box = element("input", { type: "checkbox", "aria-label": `Mark ${row.name}` });
    box.checked = shown.marked.has(row.id);
    box.addEventListener("change", () => mark([row], box.checked));
    const candidates = row.candidates.length
      ? select(`Candidate for ${row.name}`, row.candidates.map((name, at) => [String(at), `${at + 1}. ${name}`]), String(choiceOf(row)), value => choose(row, Number(value)))
      : "";
    const opened = shown.opened === row.id && model.get("detail").id === row.id;
    const opener = element("button", { type: "button", class: "kgnb-review-open", "aria-expanded": String(opened), title: "Compare side by side (o)", click: () => {
      activate(row.id, false);
      open(row);
    } }, opened ? "▾" : "▸", " ", row.name);
    const verdict = own ? own.decision : row.decision;
    const by = own ? [own.who || "a person", (own.when || "").slice(0, 10)].filter(Boolean).join(", ") : row.by;
    const line = element("tr", { class: `kgnb-review-row kgnb-review-${stateOf(row)}`, "aria-current": row.id === shown.active, click: event => {
      if (event.target.closest("input, select, button")) shown.active = row.id;
      else activate(row.id);
    } },
      element("td", {}, box),
      element("th", { scope: "row" }, opener, " ", element("span", { class: "kgnb-review-quiet" }, [row.kind, row.side].filter(Boolean).join(", "))),
      element("td", {}, candidates),
      element("td", { title: row.why }, verdict),
      element("td", { class: "kgnb-review-number" }, own || (row.decision === "unsure" && !row.confidence) ? "" : percent(row.confidence)),
      element("td", {}, by));
    return opened ? [line, drawDetail()] : [line];
  }

  function drawDetail() {
    const { names, iris, lines } = model.get("detail");
    const titles = ["", names[0], names[1], "agreement"];
    return element("tr", { class: "kgnb-review-detail" }, element("td", { colspan: 6 },
      element("table", { "aria-label": `${names.join(" and ")} side by side` },
        element("thead", {}, element("tr", {}, ...titles.map((title, at) => (title ? element("th", { scope: "col", title: iris[at - 1] }, title) : element("td", {}))))),
        element("tbody", {}, ...lines.map(([name, mine, yours, agreement]) => element("tr", { class: agreement === "equal" ? "kgnb-review-equal" : "" },
          element("th", { scope: "row" }, name), element("td", {}, mine), element("td", {}, yours),
          element("td", {}, [MARKS[agreement], agreement].filter(Boolean).join(" "))))))));
  }

  function drawRows() {
    const list = filtered();
    const pages = Math.max(1, Math.ceil(list.length / PAGE));
    shown.page = Math.min(shown.page, pages - 1);
    const page = list.slice(shown.page * PAGE, (shown.page + 1) * PAGE);
    if (!list.some(row => row.id === shown.active)) shown.active = page[0]?.id ?? "";
    const { nothing, left_out, file } = view();
    const none = shown.state === "waiting" && !rows().some(row => row.waits && !decision(row))
      ? rows().some(row => row.waits) ? "Everything that waited is decided: Apply runs what follows." : nothing
      : "No row fits the filters.";
    body.replaceChildren(...(page.length ? page.flatMap(drawRow) : [element("tr", {}, element("td", { colspan: 6 }, none))]));
    const turn = (step, label) => {
      const made = element("button", { type: "button", click: () => {
        shown.page += step;
        drawRows();
      } }, label);
      made.disabled = shown.page + step < 0 || shown.page + step >= pages;
      return made;
    };
    const marked = list.filter(row => shown.marked.has(row.id)).length;
    const every = button(marked === list.length && marked ? "Unmark all" : `Mark all ${list.length}`, "*", "Mark every row shown", () => mark(list, marked < list.length));
    foot.replaceChildren(
      ...(list.length ? [every] : []),
      ...(pages > 1 ? [turn(-1, "Previous"), `${shown.page + 1} of ${pages}`, turn(1, "Next")] : []),
      element("span", {}, [`${marked ? `${marked} marked. ` : ""}${list.length} shown.`, left_out ? `${left_out} more come after these are applied.` : "", `Saved in ${file}.`].filter(Boolean).join(" "))
    );
    drawTools();
  }

  function draw() {
    const inside = root.contains(document.activeElement);
    const called = inside && nameOf(document.activeElement);
    drawHead();
    drawRows();
    if (inside && !root.contains(document.activeElement)) {
      const again = [...root.querySelectorAll("input, select, button:enabled")].find(one => nameOf(one) === called);
      (again || scroll).focus();
    }
    body.querySelector('[aria-current]')?.scrollIntoView?.({ block: "nearest" });
  }

  function heard() {
    clearTimeout(unheard);
    status.textContent = view().said;
    draw();
  }

  shown.state = rows().some(row => row.waits) ? "waiting" : "all";
  root.addEventListener("keydown", onKey);
  for (const trait of ["view", "rows", "decided"]) model.on(`change:${trait}`, heard);
  model.on("change:detail", draw);
  root.id = prefix;
  heard();
  el.append(root);
  return () => {
    clearTimeout(unheard);
    window.removeEventListener("keydown", ownKeys, true);
    for (const trait of ["view", "rows", "decided"]) model.off(`change:${trait}`, heard);
    model.off("change:detail", draw);
  };
}

export default { render };
