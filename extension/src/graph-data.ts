/**
 * A graph as `kgnb/results/graph.py` writes it (`GraphPicture.json`): positions in pixels, lines by position.
 */

import { list, listOf, number, numberOrNull, object, row, shape, ShapeError, text, versionOne } from './json';

export const GRAPH_MIME = 'application/vnd.kgnb.graph+json';

const position = (value: unknown): number => numberOrNull(value) ?? -1;
const flag = (value: unknown): boolean => value === 1;

const readNode = row({
  id: text,
  label: text,
  kind: position, // in `kinds`, or -1
  x: number,
  y: number,
  note: text,
  emphasis: flag,
  more: number // how many others it stands for
});

const readEdge = row({ source: position, target: position, label: text, emphasis: flag });
export type GraphEdge = ReturnType<typeof readEdge>;

/** A node; one `beyond` is not drawn until a neighbour is opened. */
export type GraphNode = ReturnType<typeof readNode> & { readonly beyond: boolean };

const readParts = { nodes: listOf(readNode), edges: listOf(readEdge) };
const readBeyond = shape(readParts);
const readAll = shape({
  ...readParts,
  title: text,
  size: list,
  kinds: listOf(text),
  fills: listOf(numberOrNull),
  beyond: (value, where): ReturnType<typeof readBeyond> => readBeyond(value ?? {}, where),
  notes: listOf(text)
});

export interface GraphData extends Pick<ReturnType<typeof readAll>, 'title' | 'kinds' | 'notes'> {
  readonly width: number;
  readonly height: number;
  /** The colour number of each kind. */
  readonly fills: readonly number[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export function readGraph(value: unknown): GraphData {
  versionOne(object(value, 'the graph'));
  const { title, kinds, notes, ...read } = readAll(value, 'the graph');
  const named = (nodes: typeof read.nodes, beyond: boolean): GraphNode[] =>
    nodes.map(node => ({ ...node, label: node.label || node.id, beyond }));
  const nodes = [...named(read.nodes, false), ...named(read.beyond.nodes, true)];
  const edges = [...read.edges, ...read.beyond.edges];
  const wrong = edges.findIndex(({ source, target }) => !nodes[source] || !nodes[target]);
  if (wrong >= 0) {
    throw new ShapeError(`edges[${wrong}] ends at a node that is not there`);
  }
  const [width, height] = [Math.max(1, number(read.size[0])), Math.max(1, number(read.size[1]))];
  return { title, kinds, notes, width, height, nodes, edges, fills: kinds.map((_, at) => read.fills[at] ?? at) };
}
