/**
 * Building elements: text goes in as text, never as markup. With what results share: buttons, folds, IRIs with their full
 * form one press away, text as long as a book held to its beginning, and the focus kept while something is drawn again.
 */

import { ShapeError } from './json';
import { askForPage } from './entity-event';
import type { IriCell } from './table-data';
import { linkTarget, oneLine, shortIri, trans, visible } from './wording';

type Attributes = Readonly<Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>>;
type Child = Node | string | null;
type Tag<What> = Extract<What extends `${infer Name}.${string}` ? Name : What, keyof HTMLElementTagNameMap>;

/**
 * An element by its tag and classes ("div.kgnb-note"), with attributes, where there are any (null, undefined and false
 * leave one out; a function listens to the event of that name), and children; strings become text.
 */
export function h<What extends string>(
  what: What,
  ...given: readonly (Attributes | Child)[]
): HTMLElementTagNameMap[Tag<What>] {
  const [tag = '', ...classes] = what.split('.');
  const made = document.createElement(tag) as HTMLElementTagNameMap[Tag<What>];
  made.className = classes.filter(Boolean).join(' ');
  for (const one of given) {
    if (typeof one === 'string' || one instanceof Node) {
      made.append(one);
    } else {
      for (const [name, value] of Object.entries(one ?? {})) {
        if (typeof value === 'function') {
          made.addEventListener(name, value);
        } else if (value !== null && value !== undefined && value !== false) {
          made.setAttribute(name, value === true ? '' : String(value));
        }
      }
    }
  }
  return made;
}

/** A button with a name for screen readers, also where it only shows an icon. */
export function button(
  className: string,
  name: string,
  click: (event: Event) => void,
  ...children: readonly (Attributes | Child)[]
): HTMLButtonElement {
  return h(`button.${className}`, { type: 'button', 'aria-label': name, title: name, click }, ...children);
}

export function switchButton(
  className: string,
  on: boolean,
  changed: (on: boolean) => void,
  ...children: readonly Child[]
): HTMLElement {
  const made = h(`button.${className}`, { type: 'button', 'aria-pressed': String(on) }, ...children);
  made.addEventListener('click', () => {
    const now = made.getAttribute('aria-pressed') !== 'true';
    made.setAttribute('aria-pressed', String(now));
    changed(now);
  });
  return made;
}

export function choice(
  className: string,
  name: string,
  options: readonly (readonly [value: string, title: string])[],
  chosen: string,
  changed: (value: string) => void
): HTMLSelectElement {
  const shown = options.map(([value, title]) => h('option', { value, selected: value === chosen }, title));
  const made = h(`select.${className}`, { 'aria-label': name, change: () => changed(made.value) }, ...shown);
  return made;
}

/** A heading and its text, optionally drawn in another way. */
export type Pair = readonly [heading: string, text: string, drawn?: () => HTMLElement];

/** Headings with their texts; empty ones are left out. */
export function definitions(pairs: readonly Pair[]): HTMLElement {
  const said = pairs.filter(([, text]) => text !== '');
  const shown = said.flatMap(([heading, text, drawn]) => [h('dt', heading), h('dd', drawn?.() ?? held(text, text))]);
  return h('dl.kgnb-details', ...shown);
}

const SHAPES = {
  right: 'M6 4l4 4-4 4',
  left: 'M10 4L6 8l4 4',
  up: 'M4 10l4-4 4 4',
  down: 'M4 6l4 4 4-4',
  either: 'M5 6.5L8 3.5l3 3M5 9.5l3 3 3-3',
  copy: 'M6 6h6.5v6.5H6zM3.5 10V3.5H10',
  done: 'M3.5 8.5l3 3 6-7',
  failed: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  stopped: 'M4 4h8v8H4z',
  running: 'M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM8 5v3.3l2.2 1.3',
  cell: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M5 9.5h4',
  search: 'M7 3a4 4 0 100 8 4 4 0 000-8zM10 10l3.5 3.5'
} as const;

export type IconName = keyof typeof SHAPES;

/** A line drawing of 16 by 16 in the colour of the text around it. */
export function icon(name: IconName): SVGSVGElement {
  const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('d', SHAPES[name]);
  drawing.append(line);
  drawing.setAttribute('viewBox', '0 0 16 16');
  drawing.setAttribute('class', `kgnb-icon kgnb-icon-${name}`);
  drawing.setAttribute('aria-hidden', 'true');
  return drawing;
}

/** Content folded behind its title; nothing without content. */
export function fold(title: string, content: readonly HTMLElement[]): HTMLElement[] {
  const summary = h('summary', icon('right'), title);
  return content.length === 0 ? [] : [h('details.kgnb-setting', summary, ...content)];
}

export function searchField(name: string, value: string, changed: (search: string) => void): HTMLElement {
  const named = { type: 'search', 'aria-label': name, placeholder: name, value };
  const input = h('input.kgnb-search-input', { ...named, input: () => changed(input.value) });
  return h('span.kgnb-search', icon('search'), input);
}

/** Keys without Ctrl, Cmd or Alt that are pressed in a result are its own; others, and Shift+Enter, the front end's. */
function ownKeys(event: KeyboardEvent): void {
  const { target } = event;
  if (target instanceof HTMLElement && target.closest('.kgnb-result')) {
    const theirs = event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === 'Enter');
    target.toggleAttribute('data-lm-suppress-shortcuts', !theirs);
  }
}

/** Keeps single keys from the front end, which takes them at the document, before they arrive at a result. */
export function keepKeys(): void {
  window.addEventListener('keydown', ownKeys, true);
}

let made = 0;

/** An id that is unique on the page. */
export function freshId(stem: string): string {
  made += 1;
  return `kgnb-${stem}-${made}`;
}

/** Draws, then returns the focus to the element with the same key or name. */
function keepingFocus(root: HTMLElement, draw: () => void): void {
  const before = document.activeElement;
  const held = before instanceof HTMLElement && root.contains(before) ? before : null;
  const place = held instanceof HTMLInputElement ? held.selectionStart : null;
  const found = held ? ['data-kgnb-key', 'aria-label'].map(name => [name, held.getAttribute(name)] as const) : [];
  draw();
  if (!held) {
    return;
  }
  for (const [name, value] of found) {
    const again = value ? root.querySelector<HTMLElement>(`[${name}="${CSS.escape(value)}"]`) : null;
    if (again) {
      again.focus({ preventScroll: true });
      if (again instanceof HTMLInputElement && place !== null) {
        again.setSelectionRange(place, place);
      }
      return;
    }
  }
  root.focus({ preventScroll: true }); // the focused element is gone: continue from here, not from the top of the page
}

/** Replaces the content of an element, keeping its scroll position and focus. */
export function redraw(node: HTMLElement, drawn: HTMLElement): void {
  keepingFocus(node, () => {
    const scrolled = node.scrollTop;
    node.replaceChildren(drawn);
    node.scrollTop = scrolled;
  });
}

/** The result of ``draw``; or the error in the data, with ``also`` below it. */
export function drawnSafely(draw: () => HTMLElement, also: () => HTMLElement[] = () => []): HTMLElement {
  try {
    return draw();
  } catch (error) {
    if (!(error instanceof ShapeError)) {
      throw error;
    }
    const said = h('div.kgnb-error', trans.__('This result cannot be shown: %1.', error.message));
    return h('div.kgnb-broken', { role: 'alert' }, said, ...also());
  }
}

const LETTERS = 300; // more than a person reads in a cell, fewer than one needs to see what it is
const LINES = 8;

export function isLong(text: string): boolean {
  return text.length > LETTERS || text.split('\n', LINES + 1).length > LINES;
}

/** What was drawn for a text, limited to a few lines if it is long, with a button that shows all of it. */
export function held(text: string, drawn: Node | string): Node | string {
  if (!isLong(text)) {
    return drawn;
  }
  const shown = h('div.kgnb-held', drawn);
  const all = trans.__('Show all of it');
  const unfold = (): void => {
    const open = shown.classList.toggle('kgnb-unfolded');
    more.textContent = more.title = open ? trans.__('Show less') : all;
    more.setAttribute('aria-label', more.title);
    more.setAttribute('aria-expanded', String(open));
  };
  const more = button('kgnb-unfold', all, unfold, { 'aria-expanded': 'false' }, all);
  return h('div', shown, more);
}

/** Copies a text to the clipboard and reports success or failure. */
export function copy(text: string, tell: (done: boolean, said: string) => void): void {
  navigator.clipboard.writeText(text).then(
    () => tell(true, trans.__('Copied')),
    () => tell(false, trans.__('Could not copy'))
  );
}

/** Hands a file to the browser's downloads. */
export function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function drawIri(cell: IriCell): HTMLElement {
  const label = oneLine(cell.label ?? shortIri(cell.iri)) || visible(cell.iri);
  const target = linkTarget(cell.iri);
  const title = visible(cell.iri);
  // A click shows the entity's page where somebody has one; with Ctrl or Cmd, or elsewhere, the link is a link.
  const click = (event: Event): void => {
    const wanted = event instanceof MouseEvent && (event.ctrlKey || event.metaKey);
    if (!wanted && askForPage(shown, cell.iri)) {
      event.preventDefault();
    }
  };
  const shown: HTMLElement =
    target === null
      ? h('span.kgnb-iri-label', { title, click }, label)
      : h('a.kgnb-iri-label', { title, href: target, target: '_blank', rel: 'noopener noreferrer', click }, label);
  return h('span.kgnb-iri', shown, copyButton(cell.iri));
}

function copyButton(text: string): HTMLButtonElement {
  const show = (picture: IconName, said: string): void => {
    made.replaceChildren(icon(picture));
    made.setAttribute('aria-label', said);
    made.classList.toggle('kgnb-answered', picture !== 'copy');
  };
  const tell = (done: boolean, said: string): void => {
    show(done ? 'done' : 'failed', said);
    setTimeout(() => show('copy', trans.__('Copy IRI')), 1500);
  };
  const made = button('kgnb-button.kgnb-copy', trans.__('Copy IRI'), () => copy(text, tell), icon('copy'));
  return made;
}
