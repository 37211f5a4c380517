/**
 * Draws a graph: the picture Python laid out, to be moved, enlarged, searched, filtered by type and opened up, and the
 * same as a list for the keyboard and screen readers. Choosing a node in one marks it in the other.
 */

import type { Core, EventObject, NodeSingular } from 'cytoscape';
import { button, drawIri, freshId, h, icon, searchField, switchButton, save } from './dom';
import { oneLine, trans, visible } from './wording';
import type { GraphData, GraphNode } from './graph-data';
import { elementsOf, fillOf, keepHubs, LIMITS, styleFor, svgOf } from './graph-drawing';

const STEP = 1.25;
const SMALLEST = 160; // pixels on the page
const TALLEST = 560;
const RING = 110; // pixels from a node to its neighbours when they are opened
const FILTER_FROM = 6; // nodes: fewer are seen faster than a search is typed

/** The user's changes to a graph; they survive a redraw with new data. */
export interface GraphState {
  search: string;
  chosen: string | null;
  listed: boolean;
  off: Set<number>;
  /** Positions of nodes that were dragged or opened. */
  places: Map<string, { x: number; y: number }>;
}

export function newGraphState(): GraphState {
  return { search: '', chosen: null, listed: false, off: new Set(), places: new Map() };
}

export function drawGraph(data: GraphData, state: GraphState): HTMLElement {
  return new GraphDrawing(data, state).root;
}

class GraphDrawing {
  readonly root: HTMLElement;
  private core: Core | null = null;
  private readonly frame: HTMLElement;
  private readonly about = h('div.kgnb-graph-about', { role: 'status' });
  private readonly entries: HTMLButtonElement[] = [];
  private readonly list = h('ul.kgnb-graph-list');

  constructor(
    private readonly data: GraphData,
    private readonly state: GraphState
  ) {
    const titleId = freshId('title');
    const title = oneLine(data.title);
    this.frame = h('div.kgnb-graph-frame', { 'aria-hidden': 'true' });
    // A picture higher than wide is read down the page, like two trees side by side: shrunk, its names would be lost.
    const tallest = data.height > data.width ? data.height : TALLEST;
    this.frame.style.height = `${Math.min(tallest, Math.max(SMALLEST, data.height))}px`;
    const named = title
      ? { role: 'group', 'aria-labelledby': titleId }
      : { role: 'group', 'aria-label': trans.__('Graph') };
    const notes = data.notes.map(note => h('div.kgnb-note', visible(note)));
    if (data.nodes.length === 0) {
      const said = notes.length > 0 ? notes : [h('div.kgnb-note', trans.__('Nothing to draw.'))];
      const caption = h('span.kgnb-caption', { id: titleId }, title);
      this.root = h('div.kgnb-graph', named, h('div.kgnb-header', caption), ...said);
      return;
    }
    this.root = h(
      'div.kgnb-graph',
      named,
      this.drawHeader(title, titleId),
      this.frame,
      this.drawKinds(),
      this.about,
      ...notes,
      this.drawList()
    );
    this.drawOnceSeen();
    this.show();
  }

  private drawHeader(title: string, id: string): HTMLElement {
    const { data, state } = this;
    const press = (className: string, name: string, sign: string, act: () => void): HTMLButtonElement =>
      button(`kgnb-button ${className}`, name, act, h('span', { 'aria-hidden': 'true' }, sign));
    const search = searchField(trans.__('Find a node'), state.search, text => {
      state.search = text;
      this.show();
      this.reach();
    });
    return h(
      'div.kgnb-header',
      h('span.kgnb-caption', { id }, title),
      data.nodes.length >= FILTER_FROM ? search : null,
      h(
        'span.kgnb-graph-buttons',
        press('kgnb-graph-in', trans.__('Enlarge'), '+', () => this.zoom(STEP)),
        press('kgnb-graph-out', trans.__('Shrink'), '−', () => this.zoom(1 / STEP)),
        press('kgnb-graph-all', trans.__('Show all of it'), '⤢', () => this.fit()),
        press('kgnb-graph-png', trans.__('Save as %1', 'PNG'), 'PNG', () => {
          if (this.core) {
            save(this.core.png({ output: 'blob', full: true, scale: 2, bg: this.ground() }), 'graph.png');
          }
        }),
        press('kgnb-graph-svg', trans.__('Save as %1', 'SVG'), 'SVG', () => {
          if (this.core) {
            save(new Blob([svgOf(this.core, this.ground())], { type: 'image/svg+xml' }), 'graph.svg');
          }
        })
      )
    );
  }

  private ground(): string {
    return getComputedStyle(this.frame).getPropertyValue('--jp-layout-color0').trim() || '#ffffff';
  }

  /** The legend, whose entries hide and show their kind. */
  private drawKinds(): HTMLElement | null {
    const { kinds } = this.data;
    const keys = kinds.map((kind, at) => {
      const name = oneLine(kind);
      const swatch = h('span.kgnb-graph-swatch', { 'aria-hidden': 'true' });
      swatch.style.background = `var(--kgnb-kind-${fillOf(this.data, at)})`;
      const show = (on: boolean): void => {
        this.state.off[on ? 'delete' : 'add'](at);
        this.show();
      };
      const key = switchButton('kgnb-button.kgnb-graph-kind', !this.state.off.has(at), show, swatch, name);
      key.title = trans.__('Show %1', name);
      key.setAttribute('aria-label', key.title);
      return key;
    });
    return keys.length > 0 ? h('div.kgnb-graph-kinds', ...keys) : null;
  }

  private drawList(): HTMLElement {
    const { data, state } = this;
    data.nodes.forEach((node, at) => {
      const entry = button('kgnb-graph-entry', oneLine(node.label), () => this.choose(at), oneLine(node.label));
      const lines = this.linesOf(at);
      this.entries.push(entry);
      this.list.append(h('li', entry, lines.length > 0 ? h('span.kgnb-aside', lines.join('; ')) : null));
    });
    const fold = h(
      'details.kgnb-setting',
      { open: state.listed },
      h(
        'summary',
        icon('right'),
        trans.__(
          'The same as a list: %1, %2',
          trans._n('{n} node', '{n} nodes', data.nodes.length),
          trans._n('{n} line', '{n} lines', data.edges.length)
        )
      ),
      this.list
    );
    fold.addEventListener('toggle', () => {
      state.listed = fold.open;
    });
    return fold;
  }

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

  /** Marks chosen and found nodes and applies the filters. */
  private show(): void {
    const { core, data, state } = this;
    const chosen = data.nodes.findIndex(node => node.id === state.chosen);
    const search = state.search.trim().toLowerCase();
    const found = (node: GraphNode): boolean =>
      search !== '' && `${node.label} ${node.id} ${node.note}`.toLowerCase().includes(search);
    const near = new Set(
      data.edges.flatMap(edge => (edge.source === chosen || edge.target === chosen ? [edge.source, edge.target] : []))
    );
    core?.batch(() => {
      core.nodes().forEach(node => {
        const at = Number(node.id());
        const own = data.nodes[at];
        node.toggleClass('chosen', at === chosen);
        node.toggleClass('found', own !== undefined && found(own));
        node.toggleClass('dim', chosen >= 0 && at !== chosen && !near.has(at));
        node.toggleClass('off', own !== undefined && state.off.has(own.kind));
      });
      core.edges().forEach(edge => {
        const touched = [edge.source().id(), edge.target().id()].includes(String(chosen));
        edge.toggleClass('dim', chosen >= 0 && !touched);
        edge.toggleClass('touched', chosen >= 0 && touched);
      });
    });
    this.entries.forEach((entry, at) => {
      const own = data.nodes[at];
      entry.setAttribute('aria-pressed', String(at === chosen));
      const hidden = own !== undefined && ((search !== '' && !found(own)) || state.off.has(own.kind));
      entry.parentElement?.toggleAttribute('hidden', hidden);
    });
    this.tell(chosen);
  }

  /** Moves the picture to the nodes that were searched for, and names them. */
  private reach(): void {
    const found = this.core?.nodes('.found');
    if (!found || found.empty()) {
      return;
    }
    this.core?.animate({ center: { eles: found }, duration: 150 });
    const names = found.map(node => oneLine(this.data.nodes[Number(node.id())]?.label ?? ''));
    const more = names.length > 5 ? trans.__(' and %1 more', names.length - 5) : '';
    this.about.replaceChildren(h('span', names.slice(0, 5).join(', ') + more));
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
      drawIri({ iri: node.id, label: node.label }),
      ...(node.note ? [h('span.kgnb-aside', oneLine(node.note))] : []),
      ...this.opener(chosen),
      ...[...this.linesOf(chosen), ...into].slice(0, 12).map(line => h('div.kgnb-graph-fact', line))
    );
  }

  // ------------------------------------------------------------------------------ opening up and moving about

  /** The neighbours of a node that are not drawn yet; for a group, those of the node it belongs to. */
  private unseen(at: number): { hub: number; nodes: number[] } {
    const { data, state } = this;
    const others = (node: number): number[] =>
      data.edges.flatMap(edge => (edge.source === node ? [edge.target] : edge.target === node ? [edge.source] : []));
    const hub = (data.nodes[at]?.more ?? 0) > 0 ? (others(at)[0] ?? at) : at;
    const hidden = others(hub).filter(other => {
      const node = data.nodes[other];
      return node?.beyond === true && !state.places.has(node.id);
    });
    return { hub, nodes: [...new Set(hidden)] };
  }

  private opener(at: number): HTMLElement[] {
    const { nodes } = this.unseen(at);
    if (nodes.length === 0) {
      return [];
    }
    const name = trans.__('Show %1 more around it', trans._n('{n} node', '{n} nodes', nodes.length));
    return [button('kgnb-button kgnb-graph-more', name, () => this.open(at), name)];
  }

  private open(at: number): void {
    const { core, data, state } = this;
    const { hub, nodes } = this.unseen(at);
    const middle = core?.getElementById(String(hub)).position() ?? data.nodes[hub] ?? { x: 0, y: 0 };
    const ring = 12;
    nodes.forEach((other, number) => {
      const node = data.nodes[other];
      const circle = Math.floor(number / ring);
      const angle = (2 * Math.PI * (number % ring)) / Math.min(ring, nodes.length - circle * ring) + circle / 4;
      const far = RING * (circle + 1);
      if (node) {
        state.places.set(node.id, { x: middle.x + 1.6 * far * Math.cos(angle), y: middle.y + far * Math.sin(angle) });
      }
    });
    if (core) {
      const { nodes: drawn, edges } = elementsOf(data, state.places);
      core.add([...drawn, ...edges].filter(one => core.getElementById(String(one.data.id)).empty()));
    }
    this.show();
  }

  /**
   * Cytoscape needs the frame's size, but outputs are rendered before they are attached, and a notebook attaches cells
   * below the screen later, or takes them off again: so the frame is watched for as long as it lives.
   */
  private drawOnceSeen(): void {
    if (typeof ResizeObserver === 'undefined') {
      return;
    }
    let loading = false;
    const watcher = new ResizeObserver(() => {
      const visible = this.frame.isConnected && this.frame.clientWidth > 0;
      if (!this.frame.isConnected) {
        this.core?.destroy();
        this.core = null;
      } else if (this.core && visible) {
        this.core.resize();
        this.fit(); // a narrower window would cut the picture off
      } else if (!loading && visible) {
        loading = true;
        void import('cytoscape').then(({ default: cytoscape }) => {
          loading = false;
          if (this.frame.isConnected && !this.core) {
            this.draw(cytoscape);
          }
        });
      }
    });
    watcher.observe(this.frame);
    this.frame.addEventListener(
      'wheel',
      event => {
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          this.zoom(event.deltaY < 0 ? STEP : 1 / STEP);
        }
      },
      { passive: false }
    );
    new MutationObserver(() => this.core?.style(styleFor(this.frame))).observe(document.body, {
      attributeFilter: ['data-jp-theme-name', 'data-jp-theme-light']
    });
  }

  private draw(cytoscape: typeof import('cytoscape')): void {
    const { data, frame, state } = this;
    const many = data.nodes.length > 600;
    const core = cytoscape({
      container: frame,
      elements: elementsOf(data, state.places),
      style: styleFor(frame),
      layout: { name: 'preset' },
      minZoom: LIMITS[0],
      maxZoom: LIMITS[1],
      userZoomingEnabled: false, // without Ctrl the wheel scrolls the page, as it should
      hideEdgesOnViewport: many,
      textureOnViewport: many
    });
    this.core = core;
    this.fit();
    keepHubs(core);
    const on = (what: string, act: (at: number, node: NodeSingular) => void): void => {
      core.on(what, 'node', (event: EventObject) => {
        const node = event.target as NodeSingular;
        act(Number(node.id()), node);
      });
    };
    on('tap', at => this.choose(at));
    on('dbltap', at => this.open(at));
    on('dragfree', (at, node) => state.places.set(data.nodes[at]?.id ?? '', { ...node.position() }));
    Object.assign(frame, { kgnbGraph: core }); // a canvas has no elements: for tests
    this.show();
  }

  /** Shows the whole picture, at most at its original size. */
  private fit(): void {
    this.core?.fit(undefined, 14);
    if (this.core && this.core.zoom() > 1) {
      this.core.zoom(1);
      this.core.center();
    }
  }

  private zoom(factor: number): void {
    const { core, frame } = this;
    core?.zoom({
      level: core.zoom() * factor,
      renderedPosition: { x: frame.clientWidth / 2, y: frame.clientHeight / 2 }
    });
  }
}
