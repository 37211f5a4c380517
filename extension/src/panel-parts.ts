/**
 * What the parts of the panel are made of: sections that fold, lines with a button, figures in columns.
 */

import { button, h, freshId, icon } from './dom';
import { trans } from './words';

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
  return h(`${tag}.kgnb-panel-list`, ...children);
}

/** A sentence, and a button that puts a line into the notebook. */
export function lineToInsert(
  source: string,
  action: string,
  said: string,
  actions: PanelActions,
  notebook: boolean
): HTMLElement {
  const insert = insertButton(source, action, actions, notebook);
  return h('div.kgnb-panel-line.kgnb-panel-item', h('span.kgnb-panel-name', said), insert);
}

/** Puts a line into the notebook; cannot be pressed where there is none. */
export function insertButton(
  source: string,
  said: string,
  actions: PanelActions,
  notebook: boolean
): HTMLButtonElement {
  const insert = pressable(trans.__('Insert a cell: %1', source), said, () => actions.insert(source));
  insert.disabled = !notebook;
  return insert;
}

/** Figures side by side, each under its heading. */
export function figures(pairs: readonly (readonly [string, string])[]): HTMLElement {
  const shown = pairs.map(([heading, value]) => h('div', h('dt', heading), h('dd', value)));
  return h('dl.kgnb-panel-figures', ...shown);
}

/** A part that folds; it opens by itself as soon as there is something in it, and then as a person wants it. */
export function section(
  key: string,
  title: string,
  open: boolean,
  opened: Map<string, boolean>,
  ...content: readonly (HTMLElement | null)[]
): HTMLElement {
  const body = h('div.kgnb-panel-content', { id: freshId('part') }, ...content);
  const shown = opened.get(key) ?? open;
  const head = h(
    'button.kgnb-panel-head',
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
  return h('section.kgnb-panel-section', h('h3', head), body);
}
