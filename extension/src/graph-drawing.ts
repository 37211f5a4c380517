/**
 * A graph as SVG elements, with the same places and shapes as the picture Python draws (`graph_svg.py`).
 */

import { oneLine } from './escaping';
import type { GraphData, GraphEdge, GraphNode } from './graph-data';
import { MIDDLE } from './graph-data';
import { freshId } from './dom';

const SVG = 'http://www.w3.org/2000/svg';
const HEIGHT = 24;
const LETTER = 6.7;
const LETTERS = 26;
const MARGIN = 14;
export const KIND_COLOURS = 8;

/** All that leads from one node to another, drawn as one line. */
export interface Line {
  readonly source: number;
  readonly target: number;
  readonly label: string;
  readonly emphasis: boolean;
  readonly bend: number;
}

/** What was drawn, to be marked and unmarked later. */
export interface Drawing {
  readonly root: SVGSVGElement;
  readonly nodes: readonly SVGGElement[];
  readonly lines: readonly { readonly line: Line; readonly parts: readonly SVGElement[] }[];
}

/** The name as it is drawn: cut to what fits. */
export function cut(label: string): string {
  const name = oneLine(label);
  let used = 0;
  let kept = '';
  for (const letter of name) {
    used += isWide(letter) ? 2 : 1;
    if (used > LETTERS) {
      return `${kept.slice(0, -1)}…`;
    }
    kept += letter;
  }
  return kept;
}

/** How wide a node with this name is. */
export function widthOf(name: string): number {
  return Array.from(name).reduce((sum, letter) => sum + (isWide(letter) ? 2 : 1), 0) * LETTER + 20;
}

function isWide(letter: string): boolean {
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u.test(
    letter
  );
}

/** Lines between the same two nodes put together; those that have a line the other way too are bent. */
export function linesOf(edges: readonly GraphEdge[]): Line[] {
  const together = new Map<string, GraphEdge[]>();
  for (const edge of edges) {
    const key = `${edge.source} ${edge.target}`;
    together.set(key, [...(together.get(key) ?? []), edge]);
  }
  return [...together.values()].flatMap(group => {
    const [first] = group;
    if (!first) {
      return [];
    }
    const names = [...new Set(group.map(edge => edge.label).filter(Boolean))];
    const more = names.length > 2 ? ` +${names.length - 2}` : '';
    const { source, target } = first;
    return [
      {
        source,
        target,
        label: names.slice(0, 2).join(', ') + more,
        emphasis: group.some(edge => edge.emphasis),
        bend: source !== target && together.has(`${target} ${source}`) ? 26 : 0
      }
    ];
  });
}

export function drawGraphPicture(data: GraphData): Drawing {
  const arrow = freshId('arrow');
  const marker = made('marker', 'kgnb-graph-head', {
    id: arrow,
    viewBox: '0 0 8 8',
    refX: '7.5',
    refY: '4',
    markerWidth: '7',
    markerHeight: '7',
    markerUnits: 'userSpaceOnUse',
    orient: 'auto'
  });
  marker.append(made('path', '', { d: 'M0 0L8 4L0 8z' }));
  const defs = made('defs', '', {});
  defs.append(marker);
  const lines = linesOf(data.edges).map((line, at) => ({
    line,
    parts: drawLine(line, data.nodes, arrow, data.names[at] ?? MIDDLE)
  }));
  const nodes = data.nodes.map(drawNode);
  const root = made('svg', 'kgnb-graph-picture', { 'aria-hidden': 'true' });
  root.append(
    defs,
    ...lines.map(each => each.parts[0]).filter(part => part !== undefined),
    ...lines.map(each => each.parts[1]).filter(part => part !== undefined),
    ...nodes
  );
  return { root, nodes, lines };
}

function drawNode(node: GraphNode): SVGGElement {
  const name = cut(node.label);
  const wide = widthOf(name);
  const colour = node.kind >= 0 ? node.kind % KIND_COLOURS : KIND_COLOURS - 1;
  const group = made(
    'g',
    `kgnb-graph-node kgnb-kind-${colour}${node.emphasis ? ' kgnb-emphasis' : ''}${node.more ? ' kgnb-group' : ''}`,
    { transform: `translate(${node.x + MARGIN} ${node.y + MARGIN})` }
  );
  const label = made('text', '', { y: 4 });
  label.textContent = name;
  const title = made('title', '', {});
  title.textContent = [oneLine(node.label), oneLine(node.id), oneLine(node.note)].filter(Boolean).join('\n');
  group.append(made('rect', '', { x: -wide / 2, y: -HEIGHT / 2, width: wide, height: HEIGHT, rx: 12 }), label, title);
  return group;
}

function drawLine(line: Line, nodes: readonly GraphNode[], arrow: string, along: number): SVGElement[] {
  const [from, to] = [nodes[line.source], nodes[line.target]];
  if (!from || !to) {
    return [];
  }
  const [x1, y1, x2, y2] = [from.x + MARGIN, from.y + MARGIN, to.x + MARGIN, to.y + MARGIN];
  const className = `kgnb-graph-line${line.emphasis ? ' kgnb-emphasis' : ''}`;
  const named = (x: number, y: number): SVGElement[] => {
    if (!line.label) {
      return [];
    }
    const look = `${line.emphasis ? ' kgnb-emphasis' : ''}${along === 0 ? ' kgnb-crowded' : ''}`;
    const label = made('text', `kgnb-graph-label${look}`, { x, y });
    label.textContent = cut(line.label);
    return [label];
  };
  const path = (d: string): SVGElement => made('path', className, { d, 'marker-end': `url(#${arrow})` });
  if (line.source === line.target) {
    const top = y1 - HEIGHT / 2;
    const loop = `M${x1 - 12} ${top}C${x1 - 26} ${top - 32} ${x1 + 26} ${top - 32} ${x1 + 12} ${top}`;
    return [path(loop), ...named(x1, top - 26)];
  }
  const length = Math.max(1, Math.hypot(x2 - x1, y2 - y1));
  const mx = (x1 + x2) / 2 - ((y2 - y1) / length) * line.bend;
  const my = (y1 + y2) / 2 + ((x2 - x1) / length) * line.bend;
  const [bx, by] = border(x1, y1, mx, my, widthOf(cut(from.label)));
  const [ex, ey] = border(x2, y2, mx, my, widthOf(cut(to.label)));
  const way = line.bend ? `Q${mx} ${my} ${ex} ${ey}` : `L${ex} ${ey}`;
  const [to1, to2] = [1 - (along || MIDDLE), along || MIDDLE];
  const between = (a: number, m: number, b: number): number => to1 * to1 * a + 2 * to1 * to2 * m + to2 * to2 * b;
  return [path(`M${bx} ${by}${way}`), ...named(between(x1, mx, x2), between(y1, my, y2) + 4)];
}

/** Where a line from the middle of a node towards another point leaves the node. */
function border(x: number, y: number, tx: number, ty: number, wide: number): [number, number] {
  const [dx, dy] = [tx - x, ty - y];
  const reach = Math.min(wide / 2 / Math.abs(dx), HEIGHT / 2 / Math.abs(dy), 1);
  return [x + dx * reach, y + dy * reach];
}

function made<K extends keyof SVGElementTagNameMap>(
  tag: K,
  className: string,
  attributes: Readonly<Record<string, string | number>>
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  if (className) {
    element.setAttribute('class', className);
  }
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, typeof value === 'number' ? String(Math.round(value * 10) / 10) : value);
  }
  return element;
}
