// The magic line of a form, to copy or to insert. Python (kgnb/widgets/form.py) keeps the trait `line` up to date.
// Only the notebook application can insert a cell: the event "kgnb:insert-cell" asks for it, with the source in its
// detail, and a handler calls preventDefault(). If there is no handler, the line is copied instead.

function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "kgnb-line";
  root.dataset.lmSuppressShortcuts = "true";
  const text = document.createElement("code");
  text.tabIndex = 0;
  text.setAttribute("aria-label", "The magic line that does the same");
  const status = document.createElement("span");
  status.setAttribute("role", "status");

  function select() {
    const range = document.createRange();
    range.selectNodeContents(text);
    const selection = document.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  }

  async function copy() {
    try {
      await navigator.clipboard.writeText(model.get("line"));
      status.textContent = "Copied.";
    } catch {
      // There is no clipboard outside https and localhost: the text is selected, to be copied by key.
      select();
      status.textContent = "Selected: copy it with Ctrl+C.";
    }
  }

  async function insert() {
    const asked = new CustomEvent("kgnb:insert-cell", { detail: { source: model.get("line") }, cancelable: true });
    if (!document.dispatchEvent(asked)) {
      status.textContent = "Inserted below.";
      return;
    }
    await copy();
    status.textContent += " Paste it into a new cell.";
  }

  function button(label, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = label;
    made.addEventListener("click", action);
    return made;
  }

  function draw() {
    text.textContent = model.get("line");
    status.textContent = "";
  }

  root.append(text, button("Copy", copy), button("Insert as next cell", insert), status);
  model.on("change:line", draw);
  draw();
  el.append(root);
  return () => model.off("change:line", draw);
}

export default { render };
