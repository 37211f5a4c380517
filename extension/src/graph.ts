/**
 * Draws a graph: the picture Python laid out, to be moved, enlarged and searched, and the same as a list for the
 * keyboard and screen readers. Choosing a node in one marks it in the other.
 */

import { button, element, freshId, icon, searchField } from './dom';
import { oneLine, visible } from './escaping';
import type { GraphData, GraphNode } from './graph-data';
import type { Drawing } from './graph-drawing';
import { drawGraphPicture, KIND_COLOURS } from './graph-drawing';
import { drawIri } from './iri';
import type { Words } from './words';

const STEP = 1.25;
const LIMITS = [0.2, 6] as const;
const TALLEST = 560; // pixels on the page
const FILTER_FROM = 6; // nodes: fewer are seen faster than a search is typed

/** What a person has done to a graph; survives a redraw with new data. */
export interface GraphState {
  search: string;
  chosen: string | null;
  listed: boolean;
  /** What part of the picture is seen, or null for all of it. */
  view: { x: number; y: number; scale: number } | null;
}

export function newGraphState(): GraphState {
  return { search: '', chosen: null, listed: false, view: null };
}

export function drawGraph(data: GraphData, state: GraphState, words: Words): HTMLElement {
  return new GraphDrawing(data, state, words).root;
}

class GraphDrawing {
  readonly root: HTMLElement;
  private readonly drawing: Drawing;
  private readonly frame: HTMLElement;
  private readonly about = element('div', 'kgnb-graph-about', { role: 'status' });
  private readonly entries: HTMLButtonElement[] = [];
  private readonly list = element('ul', 'kgnb-graph-list');

  constructor(
    private readonly data: GraphData,
    private readonly state: GraphState,
    private readonly words: Words
  ) {
    this.drawing = drawGraphPicture(data);
    this.drawing.nodes.forEach((node, at) => {
      node.addEventListener('click', () => {
        this.choose(at);
      });
    });
    const titleId = freshId('title');
    const title = oneLine(data.title);
    this.frame = element('div', 'kgnb-graph-frame', {}, this.drawing.root);
    this.frame.style.height = `${Math.min(TALLEST, data.height)}px`;
    const named = title
      ? { role: 'group', 'aria-labelledby': titleId }
      : { role: 'group', 'aria-label': words.graphTitle };
    const notes = data.notes.map(note => element('div', 'kgnb-note', {}, visible(note)));
    if (data.nodes.length === 0) {
      const said = notes.length > 0 ? notes : [element('div', 'kgnb-note', {}, words.nothingToDraw)];
      const caption = element('span', 'kgnb-caption', { id: titleId }, title);
      this.root = element('div', 'kgnb-graph', named, element('div', 'kgnb-header', {}, caption), ...said);
      return;
    }
    this.root = element(
      'div',
      'kgnb-graph',
      named,
      this.drawHeader(title, titleId),
      this.frame,
      this.drawKinds(),
      this.about,
      ...notes,
      this.drawList()
    );
    this.letMove();
    this.show();
  }

  private drawHeader(title: string, id: string): HTMLElement {
    const { words, data, state } = this;
    const press = (className: string, name: string, sign: string, act: () => void): HTMLButtonElement =>
      button(`kgnb-button ${className}`, name, act, element('span', '', { 'aria-hidden': 'true' }, sign));
    const search = searchField(words.findNode, state.search, text => {
      state.search = text;
      this.show();
    });
    return element(
      'div',
      'kgnb-header',
      {},
      element('span', 'kgnb-caption', { id }, title),
      data.nodes.length >= FILTER_FROM ? search : null,
      element(
        'span',
        'kgnb-graph-buttons',
        {},
        press('kgnb-graph-in', words.enlarge, '+', () => {
          this.zoom(STEP);
        }),
        press('kgnb-graph-out', words.shrink, '−', () => {
          this.zoom(1 / STEP);
        }),
        press('kgnb-graph-all', words.showAll, '⤢', () => {
          state.view = null;
          this.show();
        })
      )
    );
  }

  private drawKinds(): HTMLElement | null {
    const { kinds } = this.data;
    if (kinds.length === 0) {
      return null;
    }
    const keys = kinds.map((kind, at) =>
      element(
        'span',
        'kgnb-graph-kind',
        {},
        element('span', `kgnb-graph-swatch kgnb-kind-${at % KIND_COLOURS}`, { 'aria-hidden': 'true' }),
        oneLine(kind)
      )
    );
    return element('div', 'kgnb-graph-kinds', {}, ...keys);
  }

  private drawList(): HTMLElement {
    const { data, words, state } = this;
    data.nodes.forEach((node, at) => {
      const entry = button(
        'kgnb-graph-entry',
        oneLine(node.label),
        () => {
          this.choose(at);
        },
        oneLine(node.label)
      );
      const lines = this.linesOf(at);
      this.entries.push(entry);
      this.list.append(
        element('li', '', {}, entry, lines.length > 0 ? element('span', 'kgnb-aside', {}, lines.join('; ')) : null)
      );
    });
    const fold = element(
      'details',
      'kgnb-setting',
      { open: state.listed },
      element(
        'summary',
        '',
        {},
        icon('right'),
        words.sameAsList(words.nodes(data.nodes.length), words.lines(data.edges.length))
      ),
      this.list
    );
    fold.addEventListener('toggle', () => {
      state.listed = fold.open;
    });
    return fold;
  }

  /** What leads out of a node, in words. */
  private linesOf(at: number): string[] {
    return this.data.edges
      .filter(edge => edge.source === at)
      .map(edge => `${oneLine(edge.label)} → ${oneLine(this.data.nodes[edge.target]?.label ?? '')}`.trim());
  }

  private choose(at: number): void {
    const id = this.data.nodes[at]?.id ?? null;
    this.state.chosen = this.state.chosen === id ? null : id;
    this.show();
  }

  /** Marks what was chosen and found, and shows the part of the picture that is wanted. */
  private show(): void {
    const { data, drawing, state } = this;
    const chosen = data.nodes.findIndex(node => node.id === state.chosen);
    const search = state.search.trim().toLowerCase();
    const found = (node: GraphNode): boolean =>
      search !== '' && `${node.label} ${node.id} ${node.note}`.toLowerCase().includes(search);
    const near = new Set(
      data.edges.flatMap(edge => (edge.source === chosen || edge.target === chosen ? [edge.source, edge.target] : []))
    );
    drawing.nodes.forEach((node, at) => {
      const own = data.nodes[at];
      node.classList.toggle('kgnb-chosen', at === chosen);
      node.classList.toggle('kgnb-found', own !== undefined && found(own));
      node.classList.toggle('kgnb-dim', chosen >= 0 && at !== chosen && !near.has(at));
    });
    for (const { line, parts } of drawing.lines) {
      const touched = line.source === chosen || line.target === chosen;
      for (const part of parts) {
        part.classList.toggle('kgnb-dim', chosen >= 0 && !touched);
        part.classList.toggle('kgnb-touched', chosen >= 0 && touched);
      }
    }
    this.entries.forEach((entry, at) => {
      const own = data.nodes[at];
      entry.setAttribute('aria-pressed', String(at === chosen));
      entry.parentElement?.toggleAttribute('hidden', search !== '' && own !== undefined && !found(own));
    });
    this.tell(chosen);
    this.look();
  }

  private tell(chosen: number): void {
    const node = this.data.nodes[chosen];
    if (!node) {
      this.about.replaceChildren();
      return;
    }
    const into = this.data.edges
      .filter(edge => edge.target === chosen && edge.source !== chosen)
      .map(edge => `${oneLine(this.data.nodes[edge.source]?.label ?? '')} ${oneLine(edge.label)} →`);
    this.about.replaceChildren(
      drawIri({ iri: node.id, label: node.label }, this.words),
      ...(node.note ? [element('span', 'kgnb-aside', {}, oneLine(node.note))] : []),
      ...[...this.linesOf(chosen), ...into].slice(0, 12).map(line => element('div', 'kgnb-graph-fact', {}, line))
    );
  }

  // ---------------------------------------------------------------------------------------- moving about

  private look(): void {
    const { width, height } = this.data;
    const { x, y, scale } = this.state.view ?? { x: width / 2, y: height / 2, scale: 1 };
    const [wide, high] = [width / scale, height / scale];
    this.drawing.root.setAttribute('viewBox', `${x - wide / 2} ${y - high / 2} ${wide} ${high}`);
  }

  private zoom(factor: number): void {
    const { width, height } = this.data;
    const view = this.state.view ?? { x: width / 2, y: height / 2, scale: 1 };
    const scale = Math.min(LIMITS[1], Math.max(LIMITS[0], view.scale * factor));
    this.state.view = { ...view, scale };
    this.look();
  }

  private letMove(): void {
    const { frame } = this;
    let held: { x: number; y: number } | null = null;
    frame.addEventListener('pointerdown', event => {
      held = event.target instanceof Element && event.target.closest('.kgnb-graph-node') ? null : at(event);
    });
    frame.addEventListener('pointermove', event => {
      if (!held) {
        return;
      }
      const { width, height } = this.data;
      const view = this.state.view ?? { x: width / 2, y: height / 2, scale: 1 };
      const pixel = width / view.scale / Math.max(1, this.drawing.root.clientWidth);
      this.state.view = {
        ...view,
        x: view.x - (event.clientX - held.x) * pixel,
        y: view.y - (event.clientY - held.y) * pixel
      };
      held = at(event);
      this.look();
    });
    for (const over of ['pointerup', 'pointerleave', 'pointercancel'] as const) {
      frame.addEventListener(over, () => {
        held = null;
      });
    }
    frame.addEventListener(
      'wheel',
      event => {
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault(); // without the key the page scrolls on, as it should
          this.zoom(event.deltaY < 0 ? STEP : 1 / STEP);
        }
      },
      { passive: false }
    );
  }
}

function at(event: PointerEvent): { x: number; y: number } {
  return { x: event.clientX, y: event.clientY };
}
