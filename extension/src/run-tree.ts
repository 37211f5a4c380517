/**
 * A run as a tree of nodes, each of which draws its line and what stands below it; and which of them a search leaves.
 */

import type { IconName, Pair } from './dom';
import { definitions, drawIri, h, icon } from './dom';
import type { Call, Judgement, Query, RunData, Step } from './run';
import { timeline } from './run';
import { folded } from './table-data';
import { formatMoney, formatNumber, formatPercent, formatSeconds, oneLine, trans, visible } from './wording';

export const LEAF_KINDS = ['judgement', 'call', 'query'] as const;
export type LeafKind = (typeof LEAF_KINDS)[number];

export interface RunNode {
  readonly kind: 'step' | 'group' | LeafKind;
  /** A stable name: opened nodes stay open when the run goes on. */
  readonly key: string;
  /** The folded text that is searched; '' for a node that is only found through its children. */
  readonly search: string;
  /** Unsure or failed. */
  readonly attention: boolean;
  readonly children: readonly RunNode[];
  /** The number of children that the bundle leaves out. */
  readonly leftOut: number;
  readonly line: () => HTMLElement[];
  /** Draws the content of an opened node above its children, if any. */
  readonly details: (() => HTMLElement) | null;
  /** The step of a step's node. */
  readonly step?: Step;
}

export function runTree(run: RunData): readonly RunNode[] {
  const places = timeline(run.steps);
  return run.steps.map((step, at) => {
    const groups = groupsOf(step);
    const only = groups.length === 1 ? groups[0] : undefined;
    const counts = Object.entries(step.counts).map(([name, n]): Pair => [oneLine(name), formatNumber(n ?? NaN)]);
    return {
      kind: 'step',
      key: `step ${step.number}`,
      search: folded([step.name, step.note, step.error ?? ''].join('\n')),
      attention: step.error !== null || step.state === 'failed',
      children: only ? only.children : groups,
      leftOut: only ? only.leftOut : 0,
      line: () => stepLine(step, [oneLine(step.note), ...groups.map(group => group.title)].filter(Boolean), places[at]),
      details: counts.length > 0 ? () => definitions(counts) : null,
      step
    };
  });
}

function stepLine(step: Step, facts: readonly string[], place?: { start: number; length: number }): HTMLElement[] {
  const [mark, state] = [stateIcon(step.state), stateName(step.state)];
  const filled = h('span.kgnb-span-filled', { hidden: !place?.length });
  filled.style.left = `${(place?.start ?? 0) * 100}%`;
  filled.style.width = `${(place?.length ?? 0) * 100}%`;
  return [
    h(`span.kgnb-state.kgnb-is-${mark}`, { title: state }, icon(mark), h('span.kgnb-unseen', state)),
    h('span.kgnb-name', oneLine(step.name)),
    h('span.kgnb-facts', { title: facts.join(' · ') }, facts.join(' · ')),
    h('span.kgnb-span', { 'aria-hidden': 'true' }, filled),
    h('span.kgnb-seconds', step.seconds === null ? '' : formatSeconds(step.seconds))
  ];
}

type Group = RunNode & { readonly title: string };

function groupsOf(step: Step): Group[] {
  const key = `step ${step.number}`;
  const left = step.left_out;
  const judgements = step.judgements.map((one, at) => judgementNode(one, `${key} judgement ${at}`));
  const calls = step.calls.map((one, at) => callNode(one, `${key} call ${at}`));
  const queries = step.queries.map((one, at) => queryNode(one, `${key} query ${at}`));
  const unsure = attentionIn(judgements) + (left?.unsure ?? 0);
  const failed = attentionIn(calls);
  const counted = {
    judgements: (n: number) => trans._n('{n} judgement', '{n} judgements', n),
    calls: (n: number) => trans._n('{n} call', '{n} calls', n),
    queries: (n: number) => trans._n('{n} query', '{n} queries', n)
  };
  const group = (
    name: keyof typeof counted,
    children: readonly RunNode[],
    mark: readonly [string, string] | null
  ): Group => {
    const leftOut = left?.[name] ?? 0;
    const title = counted[name](children.length + leftOut);
    const line = (): HTMLElement[] => [h('span.kgnb-group-name', title), ...(mark ? [chip(...mark)] : [])];
    const node = { kind: 'group', key: `${key} ${name}`, search: '', attention: false } as const;
    return { ...node, children, leftOut, title, line, details: null };
  };
  return [
    group('judgements', judgements, unsure > 0 ? ['unsure', trans.__('%1 unsure', unsure)] : null),
    group('calls', calls, failed > 0 ? ['failed', trans.__('%1 failed', failed)] : null),
    group('queries', queries, null)
  ].filter(one => one.children.length + one.leftOut > 0);
}

/** A node without children: its line, and its full record. */
function leaf(
  kind: LeafKind,
  key: string,
  attention: boolean,
  line: () => HTMLElement[],
  pairs: readonly Pair[],
  ...also: readonly string[]
): RunNode {
  const search = folded([...pairs.map(([, text]) => text), ...also].join('\n'));
  return { kind, key, search, attention, children: [], leftOut: 0, line, details: () => definitions(pairs) };
}

function judgementNode(judgement: Judgement, key: string): RunNode {
  const { decision, choice } = judgement;
  const unsure = decision === 'unsure';
  const tone = { different: 'quiet', unsure: 'unsure' }[decision] ?? 'sure';
  const line = (): HTMLElement[] => [
    chip(tone, oneLine(decision)),
    h('span.kgnb-confidence', unsure ? '' : trans.__('%1 sure', formatPercent(judgement.confidence))),
    h('span.kgnb-facts', oneLine(judgement.text))
  ];
  const pairs: Pair[] = [
    [trans.__('question'), visible(judgement.text)],
    [trans.__('choice'), choice ?? '', () => drawIri({ iri: choice ?? '' })],
    [trans.__('reason'), visible(judgement.rationale)],
    [trans.__('judged by'), oneLine(judgement.judged_by)],
    [trans.__('question id'), oneLine(judgement.question)]
  ];
  return leaf('judgement', key, unsure, line, pairs, decision);
}

function callNode(call: Call, key: string): RunNode {
  const [tone, outcome] =
    call.error !== null
      ? ['failed', trans.__('failed')]
      : call.cached
        ? ['quiet', trans.__('cached')]
        : ['sure', trans.__('answered')];
  const tokens = [formatNumber(call.prompt_tokens), formatNumber(call.completion_tokens)];
  const cost = call.usd === null ? '' : formatMoney(call.usd);
  const facts = [oneLine(call.model), trans.__('%1 tokens in, %2 out', ...tokens), cost];
  const line = (): HTMLElement[] => [
    chip(tone, outcome),
    h('span.kgnb-facts', facts.filter(Boolean).join(' · ')),
    h('span.kgnb-seconds', formatSeconds(call.seconds))
  ];
  const tries = call.attempts.map(({ status, error, seconds }) =>
    [status ?? '', oneLine(error), formatSeconds(seconds)].filter(part => part !== '').join(' ')
  );
  const pairs: Pair[] = [
    [trans.__('error'), visible(call.error ?? '')],
    [trans.__('tries'), tries.join(', ')],
    [trans.__('ended by'), oneLine(call.finish_reason)],
    [trans.__('request'), oneLine(call.request)]
  ];
  return leaf('call', key, call.error !== null, line, pairs, call.model, call.cached ? 'cached' : '');
}

function queryNode({ graph, query, rows, seconds }: Query, key: string): RunNode {
  const line = (): HTMLElement[] => [
    h('span.kgnb-facts.kgnb-code', oneLine(query)),
    h('span.kgnb-aside', trans._n('{n} row', '{n} rows', rows)),
    h('span.kgnb-seconds', formatSeconds(seconds))
  ];
  const pairs: Pair[] = [
    [trans.__('graph'), oneLine(graph)],
    [trans.__('query'), query, () => h('pre.kgnb-code', visible(query))]
  ];
  return leaf('query', key, false, line, pairs);
}

function chip(tone: string, said: string): HTMLElement {
  return h(`span.kgnb-chip.kgnb-is-${tone}`, said);
}

export function attentionIn(nodes: readonly RunNode[]): number {
  return nodes.reduce((sum, node) => sum + Number(node.attention) + attentionIn(node.children), 0);
}

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
export function filterTree(all: readonly RunNode[], wanted: Wanted): RunNode[] {
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

/** The nodes with only the leaves of one kind. */
function ofKind(nodes: readonly RunNode[], kind: LeafKind): RunNode[] {
  return nodes.flatMap(node => {
    const children = ofKind(node.children, kind);
    return node.kind === kind || children.length > 0 ? [{ ...node, children }] : [];
  });
}

function kept(nodes: readonly RunNode[], hit: (node: RunNode) => boolean): RunNode[] {
  return nodes.flatMap(node => {
    const children = kept(node.children, hit);
    if (children.length > 0) {
      return [{ ...node, children, leftOut: 0 }];
    }
    return hit(node) ? [node] : [];
  });
}

export function stateIcon(state: string): IconName {
  const icons: Record<string, IconName> = { done: 'done', failed: 'failed', running: 'running' };
  return icons[state] ?? 'stopped';
}

export function stateName(state: string): string {
  const names: Record<string, string> = {
    cancelled: trans.__('cancelled'),
    done: trans.__('done'),
    failed: trans.__('failed'),
    limited: trans.__('stopped at a limit'),
    running: trans.__('running')
  };
  return names[state] ?? oneLine(state);
}
