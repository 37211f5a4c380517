/**
 * What the parts of the panel are made of: sections that fold, lines with a button, figures in columns.
 */

import { button, element, freshId, icon } from './dom';
import type { Words } from './words';

/** What a person can do from the panel. */
export interface PanelActions {
  /** Writes a line into a new cell, and leaves it to be run. */
  insert(line: string): void;
  /** Opens a file or data set, or connects to a service, by a cell that stays in the notebook. */
  openGraph(source: string): void;
  /** Shows a queue: runs its cell, a new one where the notebook has none. */
  review(line: string): void;
  check(connection: string): void;
  /** Begins a notebook. */
  begin(): void;
  /** Loads kgnb in the notebook. */
  load(): void;
  openRun(which: WhichRun, title: string): void;
  stop(): void;
}

/** What is said above all else, and what a person can do about it: begin a notebook, load kgnb in the one in front. */
export interface Hint {
  readonly said: string;
  readonly remedy: 'begin' | 'load' | null;
  /** Whether there is a notebook to write into. */
  readonly notebook: boolean;
}

/** A run of this notebook by its number, or a saved one by its folder. */
export type WhichRun = { readonly number: number } | { readonly folder: string };

export function pressable(name: string, said: string, press: () => void, className = ''): HTMLButtonElement {
  return button(`kgnb-panel-button ${className}`.trim(), name, press, said);
}

export function items(children: readonly HTMLElement[], tag: 'ol' | 'ul' = 'ul'): HTMLElement {
  return element(tag, 'kgnb-panel-list', {}, ...children);
}

/** A sentence, and a button that puts a line into the notebook. */
export function lineToInsert(
  source: string,
  action: string,
  said: string,
  actions: PanelActions,
  words: Words,
  notebook: boolean
): HTMLElement {
  const insert = insertButton(source, action, actions, words, notebook);
  return element('div', 'kgnb-panel-line kgnb-panel-item', {}, element('span', 'kgnb-panel-name', {}, said), insert);
}

/** Puts a line into the notebook; cannot be pressed where there is none. */
export function insertButton(
  source: string,
  said: string,
  actions: PanelActions,
  words: Words,
  notebook: boolean
): HTMLButtonElement {
  const insert = pressable(words.insertCell(source), said, () => actions.insert(source));
  insert.disabled = !notebook;
  return insert;
}

/** Figures side by side, each under its heading. */
export function figures(pairs: readonly (readonly [string, string])[]): HTMLElement {
  const shown = pairs.map(([heading, value]) =>
    element('div', '', {}, element('dt', '', {}, heading), element('dd', '', {}, value))
  );
  return element('dl', 'kgnb-panel-figures', {}, ...shown);
}

/** A part that folds; it opens by itself as soon as there is something in it, and then as a person wants it. */
export function section(
  key: string,
  title: string,
  open: boolean,
  opened: Map<string, boolean>,
  ...content: readonly (HTMLElement | null)[]
): HTMLElement {
  const body = element('div', 'kgnb-panel-content', { id: freshId('part') }, ...content);
  const shown = opened.get(key) ?? open;
  const head = element(
    'button',
    'kgnb-panel-head',
    { type: 'button', 'aria-expanded': String(shown), 'aria-controls': body.id, 'data-kgnb-key': key },
    icon('right'),
    title
  );
  body.hidden = !shown;
  head.addEventListener('click', () => {
    const now = body.hidden;
    body.hidden = !now;
    head.setAttribute('aria-expanded', String(now));
    opened.set(key, now);
  });
  return element('section', 'kgnb-panel-section', {}, element('h3', '', {}, head), body);
}
