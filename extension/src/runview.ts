/**
 * Draws a run: what it cost, then a tree of its steps with their judgements, calls and queries.
 */

import type { Pair } from './dom';
import { button, choice, definitions, fold, freshId, h, icon, searchField, switchButton } from './dom';
import { formatMoney, formatNumber, formatSeconds, oneLine, trans, visible } from './wording';
import type { ShowCell } from './notebooks';
import type { RunData, Totals } from './run';
import { reachedBy } from './run';
import type { LeafKind, RunNode } from './run-tree';
import { attentionIn, filterTree, kindsIn, runTree, stateIcon, stateName } from './run-tree';

const CHUNK = 50; // children drawn at once; the rest on request

/** The user's changes to a run view; they survive a redraw. */
export interface RunState {
  search: string;
  attention: boolean;
  kind: LeafKind | null;
  opened: Set<string>;
  shown: Map<string, number>;
}

export function newRunState(): RunState {
  return { search: '', attention: false, kind: null, opened: new Set(), shown: new Map() };
}

/** ``showCell`` scrolls to the cells of the steps, where notebooks are available. */
export function drawRun(run: RunData, state: RunState, showCell: ShowCell | null = null): HTMLElement {
  return new RunDrawing(run, state, showCell).root;
}

class RunDrawing {
  readonly root: HTMLElement;
  private readonly nodes: readonly RunNode[];
  private readonly tree: HTMLUListElement;
  private readonly status = h('div.kgnb-note', { role: 'status' });

  constructor(
    private readonly run: RunData,
    private readonly state: RunState,
    private readonly showCell: ShowCell | null
  ) {
    this.nodes = runTree(run);
    const title = oneLine(run.agent).replaceAll('_', ' ') || trans.__('run');
    this.tree = h('ul.kgnb-tree', { role: 'tree', 'aria-label': trans.__('Steps of %1', title) });
    this.tree.addEventListener('keydown', event => {
      if (moveInTree(this.tree, event)) {
        event.preventDefault();
      }
    });
    this.root = h(
      'div.kgnb-run',
      this.drawHeader(title),
      this.drawTotals(run.totals),
      this.tree,
      this.status,
      ...this.drawSetting()
    );
    this.refresh();
  }

  private drawHeader(title: string): HTMLElement {
    const { run, state } = this;
    const reached = reachedBy(run);
    const badge =
      reached === null
        ? h(`span.kgnb-badge.kgnb-is-${stateIcon(run.state)}`, icon(stateIcon(run.state)))
        : h('span.kgnb-badge');
    badge.append(reached === null ? stateName(run.state) : trans.__('up to %1', oneLine(reached)));
    const number = attentionIn(this.nodes);
    const wanted = (on: boolean): void => {
      state.attention = on;
      this.refresh();
    };
    const attention = switchButton('kgnb-toggle', state.attention, wanted, trans.__('%1 to look at', number));
    const search = searchField(trans.__('Search this run'), state.search, text => {
      state.search = text;
      this.refresh();
    });
    return h(
      'div.kgnb-header',
      h('span.kgnb-caption', title),
      badge,
      h('span.kgnb-space'),
      number > 0 ? attention : null,
      this.drawKinds(),
      search
    );
  }

  /** The choice of the kinds shown, if the run has several. */
  private drawKinds(): HTMLElement | null {
    const { state } = this;
    const titles = {
      judgement: trans.__('Judgements'),
      call: trans.__('Model calls'),
      query: trans.__('Graph queries')
    };
    const kinds = kindsIn(this.nodes);
    const options = [['', trans.__('Everything')], ...kinds.map(kind => [kind, titles[kind]] as const)] as const;
    const show = (value: string): void => {
      state.kind = kinds.find(kind => kind === value) ?? null;
      this.refresh();
    };
    return kinds.length > 1
      ? choice('kgnb-sizes.kgnb-kinds', trans.__('Show only'), options, state.kind ?? '', show)
      : null;
  }

  private drawTotals(totals: Totals): HTMLElement {
    const { judgements, unsure, calls, cached, cached_on, prompt_tokens, completion_tokens, usd, retries, queries } =
      totals;
    const cachedOnes = trans.__('%1 cached', cached) + (cached_on ? trans.__(', of %1', cached_on) : '');
    const tokens = formatNumber(prompt_tokens + completion_tokens);
    const facts: readonly (readonly [there: number, heading: string, value: string, aside: string])[] = [
      [judgements, trans.__('Judgements'), formatNumber(judgements), unsure > 0 ? trans.__('%1 unsure', unsure) : ''],
      [calls, trans.__('Model calls'), formatNumber(calls), cached > 0 ? cachedOnes : ''],
      [calls, trans.__('Tokens'), tokens, trans.__('%1 written', completion_tokens)],
      [calls, trans.__('Cost'), usd === null ? trans.__('not known') : formatMoney(usd), ''],
      [retries, trans.__('Retries'), formatNumber(retries), ''],
      [queries, trans.__('Graph queries'), formatNumber(queries), ''],
      [1, trans.__('Time'), formatSeconds(totals.seconds), '']
    ];
    const shown = facts.filter(([there]) => there > 0);
    return h(
      'dl.kgnb-totals',
      ...shown.map(([, heading, value, aside]) =>
        h('div', h('dt', heading), h('dd', value, aside ? h('span.kgnb-aside', aside) : null))
      )
    );
  }

  private drawSetting(): HTMLElement[] {
    const { id, seed, started, parameters, data, versions } = this.run;
    const groups = { '': { run: id, seed, started }, parameter: parameters, data, version: versions };
    const pairs = Object.entries(groups).flatMap(([group, values]) =>
      Object.entries(values).map(([name, value]): Pair => {
        const written = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
        return [oneLine(group ? `${group}: ${name}` : name), visible(written)];
      })
    );
    return fold(trans.__('Parameters, data and versions'), [definitions(pairs)]);
  }

  private refresh(): void {
    const { state, run } = this;
    const shown = filterTree(this.nodes, state);
    const filtered = state.search.trim() !== '' || state.attention || state.kind !== null;
    const items = shown.map(node => this.drawNode(node, 1, filtered));
    this.tree.replaceChildren(...items);
    items[0]?.setAttribute('tabindex', '0');
    const leftOut = run.left_out?.steps ?? 0;
    const nothing =
      filtered && shown.length === 0 ? trans.__('Nothing matches “%1”.', visible(state.search.trim() || '…')) : '';
    this.status.textContent =
      nothing || (leftOut > 0 ? trans.__('%1 more steps are in the saved run, not in the notebook.', leftOut) : '');
    this.status.hidden = this.status.textContent === '';
  }

  private drawNode(node: RunNode, level: number, filtered: boolean): HTMLLIElement {
    const { state } = this;
    const { step } = node;
    const line = h('div.kgnb-line', { id: freshId('line') }, icon('right'), ...node.line());
    const item = h(
      `li.kgnb-node.kgnb-${node.kind}`,
      { role: 'treeitem', 'aria-level': level, 'aria-labelledby': line.id, tabindex: -1, 'data-kgnb-key': node.key },
      line
    );
    if (step?.cell) {
      line.append(...this.drawJump(step.cell, step.name));
    }
    if (step?.error) {
      item.append(h('div.kgnb-error', visible(step.error)));
    }
    if (!node.details && node.children.length === 0) {
      return item;
    }
    let inner: HTMLElement | null = null;
    const show = (open: boolean): void => {
      item.setAttribute('aria-expanded', String(open));
      if (open && inner === null) {
        const children = node.children.length > 0 ? this.drawChildren(node, level + 1, filtered) : null;
        inner = h('div.kgnb-inner', { role: 'none' }, node.details?.() ?? null, children);
        item.append(inner);
      }
      if (inner) {
        inner.hidden = !open;
      }
    };
    const toggle = (): void => {
      const open = item.getAttribute('aria-expanded') !== 'true';
      state.opened[open ? 'add' : 'delete'](node.key);
      show(open);
    };
    line.addEventListener('click', toggle);
    item.addEventListener('kgnb-toggle', event => {
      event.stopPropagation();
      toggle();
    });
    show(state.opened.has(node.key) || (filtered && node.children.length > 0));
    return item;
  }

  /** Scrolls to the cell of a step, or says that it is gone. */
  private drawJump(cell: string, step: string): HTMLElement[] {
    const { showCell } = this;
    if (!showCell) {
      return [];
    }
    const jump = (event: Event): void => {
      event.stopPropagation();
      if (!showCell(cell)) {
        this.status.hidden = false;
        this.status.textContent = trans.__('The cell that made this is in no open notebook.');
      }
    };
    return [button('kgnb-button.kgnb-jump', trans.__('Show the cell that made %1', oneLine(step)), jump, icon('cell'))];
  }

  private drawChildren(node: RunNode, level: number, filtered: boolean): HTMLElement {
    const { state } = this;
    const list = h('ul.kgnb-children', { role: 'group' });
    const draw = (): void => {
      const shown = Math.max(CHUNK, state.shown.get(node.key) ?? 0);
      list.replaceChildren(...node.children.slice(0, shown).map(child => this.drawNode(child, level, filtered)));
      const waiting = node.children.length - shown;
      if (waiting > 0) {
        const more = button(
          'kgnb-more',
          trans.__('Show %1 more', Math.min(CHUNK, waiting)),
          () => {
            state.shown.set(node.key, shown + CHUNK);
            draw();
            const next = list.children[shown];
            if (next instanceof HTMLElement) {
              next.focus();
            }
          },
          trans.__('Show %1 more', Math.min(CHUNK, waiting))
        );
        list.append(h('li', { role: 'none' }, more));
      } else if (node.leftOut > 0) {
        list.append(
          h(
            'li.kgnb-note',
            { role: 'none' },
            trans.__('%1 more are in the saved run, not in the notebook.', node.leftOut)
          )
        );
      }
    };
    draw();
    return list;
  }
}

const ITEM = '[role="treeitem"]';

/** Handles a key; returns whether it was one of the tree's. */
export function moveInTree(tree: HTMLElement, event: KeyboardEvent): boolean {
  const item = event.target;
  const plain = !event.altKey && !event.ctrlKey && !event.metaKey;
  // A link or a button inside an item keeps its own keys.
  if (!(item instanceof HTMLElement) || !item.matches(ITEM) || !plain) {
    return false;
  }
  const expanded = item.getAttribute('aria-expanded');
  const seen = seenItems(tree);
  const at = seen.indexOf(item);
  const places: Readonly<Record<string, HTMLElement | undefined>> = {
    ArrowDown: seen[at + 1],
    ArrowUp: seen[at - 1],
    Home: seen[0],
    End: seen.at(-1)
  };
  const [right, left] = [event.key === 'ArrowRight', event.key === 'ArrowLeft'];
  if (event.key in places) {
    focusItem(tree, places[event.key]);
  } else if ([' ', 'Enter'].includes(event.key) || (right && expanded === 'false') || (left && expanded === 'true')) {
    toggle(item);
  } else if (left) {
    focusItem(tree, item.parentElement?.closest<HTMLElement>(ITEM));
  } else if (right && expanded === 'true') {
    focusItem(tree, item.querySelector<HTMLElement>(ITEM));
  }
  return event.key in places || [' ', 'Enter', 'ArrowRight', 'ArrowLeft'].includes(event.key);
}

function seenItems(tree: HTMLElement): HTMLElement[] {
  return [...tree.querySelectorAll<HTMLElement>(ITEM)].filter(item => item.parentElement?.closest('[hidden]') === null);
}

function focusItem(tree: HTMLElement, item: HTMLElement | null | undefined): void {
  if (item) {
    tree.querySelectorAll<HTMLElement>(`${ITEM}[tabindex="0"]`).forEach(other => {
      other.tabIndex = -1;
    });
    item.tabIndex = 0;
    item.focus();
  }
}

function toggle(item: HTMLElement): void {
  item.dispatchEvent(new CustomEvent('kgnb-toggle'));
}
