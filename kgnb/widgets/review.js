// The review queue: one question at a time, answered by key or button. All state is in Python (kgnb/widgets/review.py):
// the trait `view` is what to show, and every answer is sent back as a message { action, choice }.
// Texts come from ontologies and models, so they are only ever set as textContent.

const ACTIONS = [
  { key: "a", action: "equivalent", label: "Same", title: "The chosen candidate means the same", needsChoice: true },
  { key: "b", action: "broader", label: "Broader", title: "The chosen candidate is broader", needsChoice: true },
  { key: "n", action: "narrower", label: "Narrower", title: "The chosen candidate is narrower", needsChoice: true },
  { key: "r", action: "different", label: "None", title: "No candidate fits", needsChoice: false },
  { key: "s", action: "skip", label: "Skip", title: "Decide later", needsChoice: false },
  { key: "u", action: "undo", label: "Undo", title: "Undo the last answer", needsChoice: false },
];

const UNHEARD = "The kernel has not answered yet. If it was restarted, this answer is not saved: run the cell again.";

let views = 0;

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function entity(parts) {
  const box = element("div", "kgnb-review-entity");
  box.append(element("strong", "", parts.name), element("span", "kgnb-review-iri", parts.iri));
  if (parts.text) box.append(element("div", "kgnb-review-text", parts.text));
  if (parts.why) box.append(element("div", "kgnb-review-why", parts.why));
  return box;
}

function render({ model, el }) {
  const group = `kgnb-review-${++views}`;
  const root = element("section", "kgnb-review");
  root.tabIndex = 0;
  root.setAttribute("aria-label", "Review queue");
  // JupyterLab's single-key commands (a: insert cell above, ...) must not fire here.
  root.dataset.lmSuppressShortcuts = "true";

  const head = element("div", "kgnb-review-head");
  const count = element("span", "kgnb-review-count");
  const bar = element("progress");
  bar.setAttribute("aria-label", "Questions answered");
  head.append(count, bar);
  const question = element("div", "kgnb-review-question");
  const candidates = element("div", "kgnb-review-candidates");
  candidates.setAttribute("role", "radiogroup");
  candidates.setAttribute("aria-label", "Candidates");
  const hint = element("div", "kgnb-review-hint");
  const buttons = element("div", "kgnb-review-buttons");
  buttons.setAttribute("role", "toolbar");
  buttons.setAttribute("aria-label", "Answers");
  const status = element("div", "kgnb-review-status");
  status.setAttribute("role", "status");
  root.append(head, question, buttons, status, candidates, hint); // buttons above what may not fit on the screen

  let unheard; // set while the kernel has not confirmed an answer
  const view = () => model.get("view");
  const chosen = () => Number(candidates.querySelector("input:checked")?.value ?? -1);

  function send(action, choice) {
    const shown = view();
    if (shown.done && action !== "undo") return;
    if (choice >= shown.candidates.length) return;
    model.send({ action, choice, question: shown.question ? shown.question.id : "" });
    clearTimeout(unheard);
    unheard = setTimeout(() => (status.textContent = UNHEARD), 4000);
  }

  for (const { key, action, label, title, needsChoice } of ACTIONS) {
    const button = element("button", "", label);
    button.type = "button";
    button.dataset.action = action;
    button.title = `${title} (${key})`;
    button.setAttribute("aria-keyshortcuts", key);
    button.append(" ", element("kbd", "", key));
    button.addEventListener("click", () => send(action, needsChoice ? chosen() : -1));
    buttons.append(button);
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const known = ACTIONS.find(({ key }) => key === event.key.toLowerCase());
    if (known) {
      send(known.action, known.needsChoice ? chosen() : -1);
    } else if (/^[1-9]$/.test(event.key)) {
      send("equivalent", Number(event.key) - 1);
    } else if (move && !(event.target instanceof HTMLInputElement)) {
      const radios = [...candidates.querySelectorAll("input")];
      const next = radios[chosen() + move];
      if (next) next.checked = true;
    } else {
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  function draw() {
    clearTimeout(unheard);
    const shown = view();
    const hadFocus = candidates.contains(document.activeElement);
    count.textContent = `${shown.decided} of ${shown.total} answered` + (shown.skipped ? `, ${shown.skipped} skipped` : "");
    bar.max = Math.max(1, shown.total);
    bar.value = shown.decided;
    status.textContent = shown.said;
    question.replaceChildren();
    candidates.replaceChildren();
    if (shown.question) {
      question.append(element("span", "kgnb-review-kind", `${shown.question.kind} of the ${shown.question.side}`), entity(shown.question));
    } else {
      question.append(element("p", "", shown.total ? "Every question is answered." : shown.hint));
    }
    shown.candidates.forEach((candidate, at) => {
      const label = element("label", "kgnb-review-candidate");
      const radio = element("input");
      radio.type = "radio";
      radio.name = group;
      radio.value = String(at);
      radio.checked = at === shown.chosen;
      label.append(radio, element("kbd", "", at < 9 ? String(at + 1) : ""), entity(candidate));
      candidates.append(label);
    });
    hint.textContent = shown.total ? shown.hint : "";
    head.hidden = buttons.hidden = !shown.total;
    for (const button of buttons.children) {
      button.disabled = button.dataset.action === "undo" ? !shown.undoable : shown.done;
    }
    if (hadFocus) root.focus();
  }

  root.addEventListener("keydown", onKey);
  model.on("change:view", draw);
  draw();
  el.append(root);
  return () => {
    clearTimeout(unheard);
    model.off("change:view", draw);
  };
}

export default { render };
