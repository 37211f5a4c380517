/**
 * A run as `kgnb/run/record.py` writes it (`Record.to_json`), with what `kgnb/results/run_view.py` left out;
 * as a tree of nodes, and which of them a search leaves.
 */

import { listOf, number, numberOrNull, numbers, object, shape, text, textOrNull, truth, versionOne } from './json';
import { folded } from './table-data';

export const RUN_MIME = 'application/vnd.kgnb.run+json';

const state = (value: unknown): string => text(value) || 'running';
const settings = (value: unknown, where: string): Readonly<Record<string, unknown>> => object(value ?? {}, where);

const readCall = shape({
  number,
  model: text,
  prompt_tokens: number,
  completion_tokens: number,
  cached_tokens: number,
  reasoning_tokens: number,
  usd: numberOrNull,
  seconds: number,
  cached: truth,
  attempts: listOf(shape({ status: numberOrNull, error: text, seconds: number })),
  finish_reason: text,
  request: text,
  error: textOrNull
});
export type Call = ReturnType<typeof readCall>;

const readJudgement = shape({
  question: text,
  text,
  decision: text,
  choice: textOrNull,
  confidence: number,
  judged_by: text,
  rationale: text,
  failed: text // "model" or "limit" where nobody could answer, else ''
});
export type Judgement = ReturnType<typeof readJudgement>;

const readQuery = shape({ graph: text, query: text, rows: number, seconds: number });
export type Query = ReturnType<typeof readQuery>;

const readLeftOut = shape({ calls: number, judgements: number, unsure: number, queries: number });
export type LeftOut = ReturnType<typeof readLeftOut>;

const readStep = shape({
  number,
  name: text,
  state,
  note: text,
  counts: numbers,
  seconds: numberOrNull,
  calls: listOf(readCall),
  judgements: listOf(readJudgement),
  queries: listOf(readQuery),
  error: textOrNull,
  /** The id of the notebook cell that made it. */
  cell: (value): string | undefined => textOrNull(value) ?? undefined,
  left_out: (value, where): LeftOut | undefined => readLeftOut(value ?? {}, where)
});
export type Step = ReturnType<typeof readStep>;

const readTotals = shape({
  calls: number,
  cached: number,
  prompt_tokens: number,
  completion_tokens: number,
  usd: numberOrNull,
  seconds: number,
  judgements: number,
  unsure: number,
  queries: number,
  retries: number
});
export type Totals = ReturnType<typeof readTotals>;

const readAll = shape({
  version: number,
  id: text,
  agent: text,
  state,
  parameters: settings,
  data: settings,
  versions: settings,
  seed: number,
  started: textOrNull,
  seconds: numberOrNull,
  steps: listOf(readStep),
  totals: (value, where): Totals => readTotals(value ?? {}, where),
  left_out: (value): { readonly steps: number } | undefined => ({
    steps: number(object(value ?? {}, 'left_out').steps)
  })
});
export type RunData = ReturnType<typeof readAll>;

/** Reads a run; throws a ShapeError that says what is wrong with it. */
export function readRun(value: unknown): RunData {
  versionOne(object(value, 'the run'));
  return readAll(value, 'the run');
}

/** How far a run has come that waits for its next step: between two cells it is neither under way nor over. */
export function reachedBy(run: RunData): string | null {
  const waits = run.state === 'running' && run.steps.every(step => step.state !== 'running');
  return waits ? (run.steps.at(-1)?.name ?? null) : null;
}

interface NodeOf<Kind extends string, Value> {
  readonly kind: Kind;
  readonly value: Value;
  /** Names the node for good: what a person has opened stays open when the run goes on. */
  readonly key: string;
  /** What a search looks at, folded; '' for a node that is found only through its children. */
  readonly search: string;
  /** Unsure or failed: someone should look at it. */
  readonly attention: boolean;
  readonly children: readonly RunNode[];
  /** How many more children the run has than the bundle. */
  readonly leftOut: number;
}

export interface Group {
  readonly name: 'judgements' | 'calls' | 'queries';
  readonly number: number;
  readonly attention: number;
}

export type StepNode = NodeOf<'step', Step>;
export type RunNode =
  StepNode | NodeOf<'group', Group> | NodeOf<'judgement', Judgement> | NodeOf<'call', Call> | NodeOf<'query', Query>;

export function runTree(run: RunData): readonly StepNode[] {
  return run.steps.map(step => {
    const key = `step ${step.number}`;
    const groups = stepGroups(step, key);
    const only = groups.length === 1 ? groups[0] : undefined;
    return {
      kind: 'step',
      value: step,
      key,
      search: folded([step.name, step.note, step.error ?? ''].join('\n')),
      attention: step.error !== null || step.state === 'failed',
      children: only ? only.children : groups,
      leftOut: only ? only.leftOut : 0
    };
  });
}

function stepGroups(step: Step, key: string): RunNode[] {
  const judgements = step.judgements.map((value, at) =>
    leaf('judgement', value, `${key} judgement ${at}`, value.decision === 'unsure', [
      ...[value.text, value.decision, value.choice ?? '', value.rationale, value.judged_by, value.question]
    ])
  );
  const calls = step.calls.map((value, at) =>
    leaf('call', value, `${key} call ${at}`, value.error !== null, [
      ...[value.model, value.error ?? '', value.finish_reason, value.request, value.cached ? 'cached' : ''],
      ...value.attempts.map(attempt => `${attempt.status ?? ''} ${attempt.error}`)
    ])
  );
  const queries = step.queries.map((value, at) =>
    leaf('query', value, `${key} query ${at}`, false, [value.graph, value.query])
  );
  return [
    group('judgements', key, judgements, step.left_out?.judgements ?? 0, step.left_out?.unsure ?? 0),
    group('calls', key, calls, step.left_out?.calls ?? 0, 0),
    group('queries', key, queries, step.left_out?.queries ?? 0, 0)
  ].filter(node => node.value.number > 0);
}

function leaf<Kind extends 'judgement' | 'call' | 'query', Value>(
  kind: Kind,
  value: Value,
  key: string,
  attention: boolean,
  texts: readonly string[]
): NodeOf<Kind, Value> {
  return { kind, value, key, attention, search: folded(texts.join('\n')), children: [], leftOut: 0 };
}

function group(
  name: Group['name'],
  step: string,
  children: readonly RunNode[],
  leftOut: number,
  attentionLeftOut: number
): NodeOf<'group', Group> {
  const attention = children.filter(child => child.attention).length + attentionLeftOut;
  return {
    kind: 'group',
    value: { name, number: children.length + leftOut, attention },
    key: `${step} ${name}`,
    search: '',
    attention: false,
    children,
    leftOut
  };
}

/** How many nodes someone should look at. */
export function attentionIn(nodes: readonly RunNode[]): number {
  return nodes.reduce((sum, node) => sum + Number(node.attention) + attentionIn(node.children), 0);
}

export const LEAF_KINDS = ['judgement', 'call', 'query'] as const;
export type LeafKind = (typeof LEAF_KINDS)[number];

/** The kinds of things the steps hold. */
export function kindsIn(nodes: readonly RunNode[]): LeafKind[] {
  const found = new Set<string>(nodes.flatMap(node => [node.kind, ...kindsIn(node.children)]));
  return LEAF_KINDS.filter(kind => found.has(kind));
}

export interface Wanted {
  readonly search: string;
  readonly attention: boolean;
  readonly kind: LeafKind | null;
}

/**
 * The nodes that are wanted or have one below them. A step found by its own name keeps all its children, so that
 * searching for "validate" shows what validate did.
 */
export function filterTree<Node extends RunNode>(all: readonly Node[], wanted: Wanted): Node[] {
  const words = folded(wanted.search).split(/\s+/).filter(Boolean);
  const nodes = wanted.kind === null ? [...all] : ofKind(all, wanted.kind);
  if (words.length === 0 && !wanted.attention) {
    return nodes;
  }
  return kept(nodes, node => {
    const found = node.search !== '' && words.every(word => node.search.includes(word));
    return found && (!wanted.attention || node.attention);
  });
}

/** The nodes with leaves of one kind, and of their leaves those only. */
function ofKind<Node extends RunNode>(nodes: readonly Node[], kind: LeafKind): Node[] {
  return nodes.flatMap(node => {
    const children = ofKind(node.children, kind);
    return node.kind === kind || children.length > 0 ? [{ ...node, children }] : [];
  });
}

function kept<Node extends RunNode>(nodes: readonly Node[], hit: (node: RunNode) => boolean): Node[] {
  return nodes.flatMap(node => {
    const children = kept(node.children, hit);
    if (children.length > 0) {
      return [{ ...node, children, leftOut: 0 }];
    }
    return hit(node) ? [node] : [];
  });
}

/** Where each step lies on the run's line of time: start and length as shares of the whole. */
export function timeline(steps: readonly Step[]): { start: number; length: number }[] {
  const whole = steps.reduce((sum, step) => sum + (step.seconds ?? 0), 0);
  let start = 0;
  return steps.map(step => {
    const length = whole > 0 ? (step.seconds ?? 0) / whole : 0;
    const placed = { start, length };
    start += length;
    return placed;
  });
}
