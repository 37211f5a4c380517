/**
 * Draws a run: what it cost, then a tree of its steps with their judgements, calls and queries.
 */

import { button, element, freshId, icon, searchField } from './dom';
import { oneLine, visible } from './escaping';
import type { RunData, Totals } from './run';
import { reachedBy } from './run';
import { drawCounts, drawDetail, drawLine, stateIcon, stateName } from './run-lines';
import type { ShowCell } from './notebooks';
import type { LeafKind, RunNode, StepNode } from './run-tree';
import { attentionIn, filterTree, kindsIn, runTree, timeline } from './run-tree';
import { moveInTree } from './tree-keys';
import type { Words } from './words';
import { formatMoney, formatNumber, formatSeconds } from './wording';

const CHUNK = 50; // children drawn at once; the rest on request

/** What a person has done to a run view; survives a redraw while the run goes on. */
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

/** ``showCell`` leads to the cells that made the steps, where there are notebooks to look in. */
export function drawRun(run: RunData, state: RunState, words: Words, showCell: ShowCell | null = null): HTMLElement {
  return new RunDrawing(run, state, words, showCell).root;
}

class RunDrawing {
  readonly root: HTMLElement;
  private readonly nodes: readonly StepNode[];
  private readonly tree: HTMLUListElement;
  private readonly status = element('div', 'kgnb-note', { role: 'status' });

  constructor(
    private readonly run: RunData,
    private readonly state: RunState,
    private readonly words: Words,
    private readonly showCell: ShowCell | null
  ) {
    this.nodes = runTree(run);
    const title = oneLine(run.agent).replaceAll('_', ' ') || words.run;
    this.tree = element('ul', 'kgnb-tree', { role: 'tree', 'aria-label': words.stepsOf(title) });
    this.tree.addEventListener('keydown', event => {
      if (moveInTree(this.tree, event)) {
        event.preventDefault();
      }
    });
    this.root = element(
      'div',
      'kgnb-run',
      {},
      this.drawHeader(title),
      this.drawTotals(run.totals),
      this.tree,
      this.status,
      this.drawSetting()
    );
    this.refresh();
  }

  private drawHeader(title: string): HTMLElement {
    const { run, state, words } = this;
    const reached = reachedBy(run);
    const badge =
      reached === null
        ? element('span', `kgnb-badge kgnb-is-${stateIcon(run.state)}`, {}, icon(stateIcon(run.state)))
        : element('span', 'kgnb-badge');
    badge.append(reached === null ? stateName(run.state, words) : words.paused(oneLine(reached)));
    const number = attentionIn(this.nodes);
    const attention = element(
      'button',
      'kgnb-toggle',
      { type: 'button', 'aria-pressed': String(state.attention) },
      words.needsALook(number)
    );
    attention.addEventListener('click', () => {
      state.attention = !state.attention;
      attention.setAttribute('aria-pressed', String(state.attention));
      this.refresh();
    });
    const search = searchField(words.searchRun, state.search, text => {
      state.search = text;
      this.refresh();
    });
    return element(
      'div',
      'kgnb-header',
      {},
      element('span', 'kgnb-caption', {}, title),
      badge,
      element('span', 'kgnb-space'),
      number > 0 ? attention : null,
      this.drawKinds(),
      search
    );
  }

  /** Which kind of thing is shown, where the run has several. */
  private drawKinds(): HTMLElement | null {
    const { state, words } = this;
    const titles = { judgement: words.judgementsTitle, call: words.callsTitle, query: words.queriesTitle };
    const kinds = kindsIn(this.nodes);
    if (kinds.length < 2) {
      return null;
    }
    const select = element('select', 'kgnb-sizes kgnb-kinds', { 'aria-label': words.showOnly });
    select.append(
      element('option', '', { value: '' }, words.everything),
      ...kinds.map(kind => element('option', '', { value: kind, selected: kind === state.kind }, titles[kind]))
    );
    select.addEventListener('change', () => {
      state.kind = kinds.find(kind => kind === select.value) ?? null;
      this.refresh();
    });
    return select;
  }

  private drawTotals(totals: Totals): HTMLElement {
    const { words } = this;
    const facts: (readonly [string, string, string])[] = [];
    if (totals.judgements > 0) {
      const unsure = totals.unsure > 0 ? words.unsure(totals.unsure) : '';
      facts.push([words.judgementsTitle, formatNumber(totals.judgements), unsure]);
    }
    if (totals.calls > 0) {
      const cached = totals.cached > 0 ? words.cached(totals.cached) : '';
      facts.push([words.callsTitle, formatNumber(totals.calls), cached]);
      const tokens = totals.prompt_tokens + totals.completion_tokens;
      facts.push([words.tokensTitle, formatNumber(tokens), words.written(totals.completion_tokens)]);
      facts.push([words.costTitle, totals.usd === null ? words.unknown : formatMoney(totals.usd), '']);
    }
    if (totals.retries > 0) {
      facts.push([words.retriesTitle, formatNumber(totals.retries), '']);
    }
    if (totals.queries > 0) {
      facts.push([words.queriesTitle, formatNumber(totals.queries), '']);
    }
    facts.push([words.timeTitle, formatSeconds(totals.seconds), '']);
    const list = element('dl', 'kgnb-totals');
    for (const [heading, value, aside] of facts) {
      const shown = element('dd', '', {}, value, aside ? element('span', 'kgnb-aside', {}, aside) : null);
      list.append(element('div', '', {}, element('dt', '', {}, heading), shown));
    }
    return list;
  }

  private drawSetting(): HTMLElement {
    const { run, words } = this;
    const list = element('dl', 'kgnb-details');
    const groups = { '': { run: run.id, seed: run.seed, started: run.started }, ...settings(run) };
    for (const [group, values] of Object.entries(groups)) {
      for (const [name, value] of Object.entries(values)) {
        const written = typeof value === 'string' ? value : JSON.stringify(value);
        list.append(
          element('dt', '', {}, oneLine(group ? `${group}: ${name}` : name)),
          element('dd', '', {}, visible(written))
        );
      }
    }
    return element('details', 'kgnb-setting', {}, element('summary', '', {}, icon('right'), words.setting), list);
  }

  private refresh(): void {
    const { state, run, words } = this;
    const shown = filterTree(this.nodes, state);
    const filtered = state.search.trim() !== '' || state.attention || state.kind !== null;
    const places = timeline(run.steps);
    const items = shown.map(node => {
      const place = places[this.nodes.findIndex(other => other.key === node.key)];
      return this.drawNode(node, 1, filtered, place);
    });
    this.tree.replaceChildren(...items);
    items[0]?.setAttribute('tabindex', '0');
    const leftOut = run.left_out?.steps ?? 0;
    const nothing = filtered && shown.length === 0 ? words.noMatch(visible(state.search.trim() || '…')) : '';
    this.status.textContent = nothing || (leftOut > 0 ? words.moreSteps(leftOut) : '');
    this.status.hidden = this.status.textContent === '';
  }

  private drawNode(
    node: RunNode,
    level: number,
    filtered: boolean,
    place?: { start: number; length: number }
  ): HTMLLIElement {
    const { state, words } = this;
    const lineId = freshId('line');
    const line = drawLine(node, words, place);
    line.id = lineId;
    const item = element(
      'li',
      `kgnb-node kgnb-${node.kind}`,
      { role: 'treeitem', 'aria-level': level, 'aria-labelledby': lineId, tabindex: -1, 'data-kgnb-key': node.key },
      line
    );
    const jump = node.kind === 'step' && node.value.cell ? this.drawJump(node.value.cell, node.value.name) : null;
    if (jump) {
      line.append(jump);
    }
    const error = node.kind === 'step' ? node.value.error : null;
    if (error) {
      item.append(element('div', 'kgnb-error', {}, visible(error)));
    }
    const counts = node.kind === 'step' ? drawCounts(node.value) : null;
    const openable = node.kind !== 'step' || counts !== null || node.children.length > 0;
    if (!openable) {
      return item;
    }
    const children = (): HTMLElement | null =>
      node.children.length > 0 ? this.drawChildren(node, level + 1, filtered) : null;
    let inner: HTMLElement | null = null;
    const show = (open: boolean): void => {
      item.setAttribute('aria-expanded', String(open));
      if (open && inner === null) {
        inner = isLeaf(node)
          ? drawDetail(node, words)
          : element('div', 'kgnb-inner', { role: 'none' }, counts, children());
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
    show(state.opened.has(node.key) || (filtered && !isLeaf(node) && node.children.length > 0));
    return item;
  }

  /** Leads from a step to the cell that made it; says so where the cell is not there any more. */
  private drawJump(cell: string, step: string): HTMLElement | null {
    const { showCell, words } = this;
    return (
      showCell &&
      button(
        'kgnb-button kgnb-jump',
        words.showCell(oneLine(step)),
        event => {
          event.stopPropagation();
          if (!showCell(cell)) {
            this.status.hidden = false;
            this.status.textContent = words.cellGone;
          }
        },
        icon('cell')
      )
    );
  }

  private drawChildren(node: RunNode, level: number, filtered: boolean): HTMLElement {
    const { state, words } = this;
    const list = element('ul', 'kgnb-children', { role: 'group' });
    const draw = (): void => {
      const shown = Math.max(CHUNK, state.shown.get(node.key) ?? 0);
      list.replaceChildren(...node.children.slice(0, shown).map(child => this.drawNode(child, level, filtered)));
      const waiting = node.children.length - shown;
      if (waiting > 0) {
        const more = button(
          'kgnb-more',
          words.showMore(Math.min(CHUNK, waiting)),
          () => {
            state.shown.set(node.key, shown + CHUNK);
            draw();
            const next = list.children[shown];
            if (next instanceof HTMLElement) {
              next.focus();
            }
          },
          words.showMore(Math.min(CHUNK, waiting))
        );
        list.append(element('li', '', { role: 'none' }, more));
      } else if (node.leftOut > 0) {
        list.append(element('li', 'kgnb-note', { role: 'none' }, words.leftOut(node.leftOut)));
      }
    };
    draw();
    return list;
  }
}

function isLeaf(node: RunNode): node is Exclude<RunNode, { kind: 'step' | 'group' }> {
  return node.kind !== 'step' && node.kind !== 'group';
}

function settings(run: RunData): Record<string, Readonly<Record<string, unknown>>> {
  return { parameter: run.parameters, data: run.data, version: run.versions };
}
