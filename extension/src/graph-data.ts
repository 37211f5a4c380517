/**
 * A graph as `kgnb/results/graph.py` writes it (`GraphPicture.json`): positions in pixels, lines by position.
 */

import { list, number, numberOrNull, object, ShapeError, text, versionOne } from './json';

export const GRAPH_MIME = 'application/vnd.kgnb.graph+json';

export interface GraphNode {
  readonly id: string;
  readonly label: string;
  /** Position in `kinds`, or -1. */
  readonly kind: number;
  readonly x: number;
  readonly y: number;
  readonly note: string;
  readonly emphasis: boolean;
  /** How many others it stands for. */
  readonly more: number;
  /** Not drawn until a neighbour is opened. */
  readonly beyond: boolean;
}

export interface GraphEdge {
  readonly source: number;
  readonly target: number;
  readonly label: string;
  readonly emphasis: boolean;
}

export interface GraphData {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly kinds: readonly string[];
  /** For each kind the number of its colour. */
  readonly fills: readonly number[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly notes: readonly string[];
}

/** Reads a bundle; throws a ShapeError that says what is wrong with it. */
export function readGraph(value: unknown): GraphData {
  const data = object(value, 'the graph');
  versionOne(data);
  const size = list(data.size, 'size');
  const beyond = data.beyond === undefined ? {} : object(data.beyond, 'beyond');
  const nodes = [
    ...list(data.nodes, 'nodes').map((item, at) => readNode(list(item, `nodes[${at}]`), false)),
    ...list(beyond.nodes, 'beyond.nodes').map((item, at) => readNode(list(item, `beyond.nodes[${at}]`), true))
  ];
  const [kinds, fills] = [list(data.kinds, 'kinds').map(text), list(data.fills, 'fills')];
  const edges = [...list(data.edges, 'edges'), ...list(beyond.edges, 'beyond.edges')];
  return {
    title: text(data.title),
    width: Math.max(1, number(size[0])),
    height: Math.max(1, number(size[1])),
    kinds,
    fills: kinds.map((_, at) => numberOrNull(fills[at]) ?? at),
    nodes,
    edges: edges.map((item, at) => readEdge(list(item, `edges[${at}]`), nodes.length, at)),
    notes: list(data.notes, 'notes').map(text)
  };
}

function readNode(item: readonly unknown[], beyond: boolean): GraphNode {
  return {
    id: text(item[0]),
    label: text(item[1]) || text(item[0]),
    kind: numberOrNull(item[2]) ?? -1,
    x: number(item[3]),
    y: number(item[4]),
    note: text(item[5]),
    emphasis: number(item[6]) === 1,
    more: number(item[7]),
    beyond
  };
}

function readEdge(item: readonly unknown[], nodes: number, at: number): GraphEdge {
  const [source, target] = [numberOrNull(item[0]) ?? -1, numberOrNull(item[1]) ?? -1];
  if (![source, target].every(end => Number.isInteger(end) && end >= 0 && end < nodes)) {
    throw new ShapeError(`edges[${at}] ends at a node that is not there`);
  }
  return { source, target, label: text(item[2]), emphasis: number(item[3]) === 1 };
}
