/**
 * The picture of a graph, drawn by Cytoscape.js: nodes where Python laid them out, to be moved, enlarged and dragged.
 */

import type { Core, EdgeDefinition, NodeDefinition, StylesheetJson } from 'cytoscape';
import { oneLine } from './wording';
import type { GraphData, GraphEdge } from './graph-data';

const HEIGHT = 24;
const LETTER = 6.7;
const LETTERS = 26;
const READABLE = 8; // pixels of a name on the screen below which it is left out
const HUBS = 10; // nodes with most lines, whose names stay
const KIND_COLOURS = 9;
const OTHER = 7; // the colour of what is of no kind
export const LIMITS = [0.05, 6] as const;

/** A line's name cut to fit; wide letters (Chinese, Japanese, Korean) count twice. */
function cut(label: string): string {
  const letters = Array.from(oneLine(label));
  return lettersOf(letters) <= LETTERS ? letters.join('') : `${fitting(letters, LETTERS - 1).join('')}…`;
}

/** A node's name cut in the middle to fit, as names that begin alike end differently. */
function cutNode(label: string): string {
  const letters = Array.from(oneLine(label));
  if (lettersOf(letters) <= LETTERS) {
    return letters.join('');
  }
  const end = fitting([...letters].reverse(), Math.floor(LETTERS / 3) + 1).reverse();
  return `${fitting(letters, LETTERS - lettersOf(end) - 1).join('')}…${end.join('')}`;
}

/** The first letters that fit so much room. */
function fitting(letters: readonly string[], room: number): string[] {
  let left = room;
  const over = letters.findIndex(letter => (left -= isWide(letter) ? 2 : 1) < 0);
  return over < 0 ? [...letters] : letters.slice(0, over);
}

function lettersOf(letters: readonly string[]): number {
  return letters.reduce((sum, letter) => sum + (isWide(letter) ? 2 : 1), 0);
}

function widthOf(name: string): number {
  return lettersOf(Array.from(name)) * LETTER + 20;
}

function isWide(letter: string): boolean {
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u.test(
    letter
  );
}

/** Lines between the same two nodes merged, by direction. */
function linesOf(edges: readonly GraphEdge[]): GraphEdge[] {
  const together = new Map<string, GraphEdge[]>();
  for (const edge of edges) {
    const key = `${edge.source} ${edge.target}`;
    together.set(key, [...(together.get(key) ?? []), edge]);
  }
  return [...together.values()].flatMap(([first, ...others]) => {
    if (!first) {
      return [];
    }
    const group = [first, ...others];
    const names = [...new Set(group.map(edge => edge.label).filter(Boolean))];
    const more = names.length > 2 ? ` +${names.length - 2}` : '';
    return [{ ...first, label: names.slice(0, 2).join(', ') + more, emphasis: group.some(edge => edge.emphasis) }];
  });
}

export function fillOf(data: GraphData, kind: number): number {
  return (data.fills[kind] ?? OTHER) % KIND_COLOURS;
}

/** Nodes and lines for Cytoscape; nodes `beyond` are included once they have a place. */
export function elementsOf(
  data: GraphData,
  places: ReadonlyMap<string, { x: number; y: number }>
): { nodes: NodeDefinition[]; edges: EdgeDefinition[] } {
  const there = data.nodes.map(node => !node.beyond || places.has(node.id));
  const nodes = data.nodes.flatMap((node, at) => {
    const name = cutNode(node.label);
    const classes = [
      `kind-${fillOf(data, node.kind)}`,
      node.emphasis ? 'emphasis' : '',
      node.more > 0 ? 'group' : ''
    ].join(' ');
    const position = places.get(node.id) ?? { x: node.x, y: node.y };
    return there[at]
      ? [{ data: { id: String(at), name, width: widthOf(name) }, position: { ...position }, classes }]
      : [];
  });
  const edges = linesOf(data.edges).flatMap((line, at) =>
    there[line.source] && there[line.target]
      ? [
          {
            data: { id: `e${at}`, source: String(line.source), target: String(line.target), name: cut(line.label) },
            classes: line.emphasis ? 'emphasis' : ''
          }
        ]
      : []
  );
  return { nodes, edges };
}

/** The style, with colours from the current theme. */
export function styleFor(frame: Element): StylesheetJson {
  const theme = getComputedStyle(frame);
  const colour = (name: string, otherwise: string): string => theme.getPropertyValue(name).trim() || otherwise;
  const [ink, quiet, ground] = [
    colour('--jp-ui-font-color1', '#1c1c1c'),
    colour('--jp-ui-font-color2', '#5c5c5c'),
    colour('--jp-layout-color0', '#ffffff')
  ];
  const edge = colour('--jp-border-color0', '#8f8f89');
  const accent = colour('--jp-brand-color1', '#225588');
  const found = colour('--jp-warn-color1', '#e58500');
  const fills = Array.from({ length: KIND_COLOURS }, (_, kind) => ({
    selector: `.kind-${kind}`,
    style: { 'background-color': colour(`--kgnb-kind-${kind}`, '#dcdcd6') }
  }));
  return [
    {
      selector: 'node',
      style: {
        shape: 'round-rectangle',
        'corner-radius': '12',
        width: 'data(width)',
        height: HEIGHT,
        label: 'data(name)',
        color: ink,
        'font-size': 12,
        'font-family': 'system-ui, sans-serif',
        'min-zoomed-font-size': READABLE,
        'text-valign': 'center',
        'text-halign': 'center',
        'border-width': 1,
        'border-color': edge
      }
    },
    ...fills,
    {
      selector: 'edge',
      style: {
        label: 'data(name)',
        color: quiet,
        'font-size': 10.5,
        'min-zoomed-font-size': READABLE,
        'text-background-color': ground,
        'text-background-opacity': 0.85,
        'curve-style': 'bezier',
        'target-arrow-shape': 'triangle',
        'arrow-scale': 0.8,
        width: 1,
        'line-color': quiet,
        'target-arrow-color': quiet,
        opacity: 0.75
      }
    },
    {
      selector: 'edge:loop',
      style: {
        'source-endpoint': `-12px -${HEIGHT / 2}px`,
        'target-endpoint': `12px -${HEIGHT / 2}px`,
        'loop-direction': '0deg',
        'loop-sweep': '60deg',
        'text-margin-y': -6
      }
    },
    { selector: 'node.hub', style: { 'min-zoomed-font-size': 0, 'z-index': 10 } },
    { selector: 'node.group', style: { 'border-style': 'dashed' } },
    { selector: 'node.emphasis', style: { 'border-color': accent, 'border-width': 2.5 } },
    {
      selector: 'edge.emphasis, edge.touched',
      style: { 'line-color': accent, 'target-arrow-color': accent, color: ink, width: 2, opacity: 1 }
    },
    { selector: 'node.found', style: { 'border-color': found, 'border-width': 3 } },
    { selector: 'node.chosen', style: { 'border-color': ink, 'border-width': 3 } },
    { selector: '.dim', style: { opacity: 0.2 } },
    { selector: '.off', style: { display: 'none' } }
  ];
}

/** Keeps the names of the nodes with most lines readable at any zoom. */
export function keepHubs(core: Core): void {
  const hubs = core
    .nodes('[[degree > 2]]')
    .sort((one, other) => other.connectedEdges().length - one.connectedEdges().length)
    .slice(0, HUBS)
    .addClass('hub');
  const size = (): unknown =>
    hubs.style('font-size', core.zoom() * 12 < READABLE ? Math.min(48, 10 / core.zoom()) : 12);
  core.on('zoom', size);
  size();
}

export function svgOf(core: Core, ground: string): string {
  const box = core.elements(':visible').boundingBox({});
  const text = (said: string): string => said.replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);
  const lines = core.edges(':visible').map(edge => {
    const [from, to, middle] = [edge.sourceEndpoint(), edge.targetEndpoint(), edge.midpoint()];
    const colour = text(String(edge.style('line-color')));
    const way = `M${from.x} ${from.y}Q${2 * middle.x - (from.x + to.x) / 2} ${2 * middle.y - (from.y + to.y) / 2} ${to.x} ${to.y}`;
    return (
      `<path d="${way}" fill="none" stroke="${colour}" marker-end="url(#a)"/>` +
      `<text x="${middle.x}" y="${middle.y + 4}" font-size="10.5" fill="${text(String(edge.style('color')))}">${text(String(edge.data('name')))}</text>`
    );
  });
  const nodes = core.nodes(':visible').map(node => {
    const [{ x, y }, wide] = [node.position(), Number(node.data('width'))];
    const [fill, edge] = [text(String(node.style('background-color'))), text(String(node.style('border-color')))];
    return (
      `<rect x="${x - wide / 2}" y="${y - HEIGHT / 2}" width="${wide}" height="${HEIGHT}" rx="12" fill="${fill}" stroke="${edge}"/>` +
      `<text x="${x}" y="${y + 4}" fill="${text(String(node.style('color')))}">${text(String(node.data('name')))}</text>`
    );
  });
  const arrow = '<path d="M0 0L8 4L0 8z" fill="#777"/>';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box.x1 - 14} ${box.y1 - 14} ${box.w + 28} ${box.h + 28}" `,
    'font-family="system-ui,sans-serif" font-size="12" text-anchor="middle">',
    `<defs><marker id="a" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" orient="auto">${arrow}</marker></defs>`,
    `<rect x="${box.x1 - 14}" y="${box.y1 - 14}" width="100%" height="100%" fill="${text(ground)}"/>`,
    ...lines,
    ...nodes,
    '</svg>'
  ].join('');
}
