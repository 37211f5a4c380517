/**
 * One line of the run tree, and what stands below it when it is opened.
 */

import type { IconName } from './dom';
import { h, icon, drawIri, held } from './dom';
import { oneLine, visible, formatMoney, formatNumber, formatSeconds } from './wording';
import type { Call, Judgement, Query, Step, Group, RunNode } from './run';
import { trans } from './words';

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

/** The line of a node; a step also shows its place on the line of time. */
export function drawLine(node: RunNode, place?: { start: number; length: number }): HTMLElement {
  const line = h('div.kgnb-line', icon('right'));
  switch (node.kind) {
    case 'step':
      line.append(...stepLine(node.value, place));
      break;
    case 'group':
      line.append(...groupLine(node.value));
      break;
    case 'judgement':
      line.append(...judgementLine(node.value));
      break;
    case 'call':
      line.append(...callLine(node.value));
      break;
    case 'query':
      line.append(...queryLine(node.value));
  }
  return line;
}

function stepLine(step: Step, place: { start: number; length: number } | undefined): HTMLElement[] {
  const left = step.left_out;
  const facts = [
    oneLine(step.note),
    step.judgements.length > 0
      ? trans._n('{n} judgement', '{n} judgements', step.judgements.length + (left?.judgements ?? 0))
      : '',
    step.calls.length > 0 ? trans._n('{n} call', '{n} calls', step.calls.length + (left?.calls ?? 0)) : '',
    step.queries.length > 0 ? trans._n('{n} query', '{n} queries', step.queries.length + (left?.queries ?? 0)) : ''
  ].filter(Boolean);
  const name = stateIcon(step.state);
  const state = h(`span.kgnb-state.kgnb-is-${name}`, { title: stateName(step.state) }, icon(name));
  state.append(h('span.kgnb-unseen', stateName(step.state)));
  const filled = h('span.kgnb-span-filled', { hidden: true });
  if (place && place.length > 0) {
    filled.hidden = false;
    filled.style.left = `${place.start * 100}%`;
    filled.style.width = `${place.length * 100}%`;
  }
  return [
    state,
    h('span.kgnb-name', oneLine(step.name)),
    h('span.kgnb-facts', { title: facts.join(' · ') }, facts.join(' · ')),
    h('span.kgnb-span', { 'aria-hidden': 'true' }, filled),
    h('span.kgnb-seconds', step.seconds === null ? '' : formatSeconds(step.seconds))
  ];
}

/** What a step counted, each on a line of its own, or null. */
export function drawCounts(step: Step): HTMLElement | null {
  const counts = Object.entries(step.counts);
  if (counts.length === 0) {
    return null;
  }
  const list = h('dl.kgnb-details');
  for (const [name, value] of counts) {
    list.append(h('dt', oneLine(name)), h('dd', formatNumber(value ?? NaN)));
  }
  return list;
}

function groupLine(group: Group): HTMLElement[] {
  const counted = {
    judgements: (n: number) => trans._n('{n} judgement', '{n} judgements', n),
    calls: (n: number) => trans._n('{n} call', '{n} calls', n),
    queries: (n: number) => trans._n('{n} query', '{n} queries', n)
  }[group.name];
  const [tone, attention] =
    group.name === 'judgements'
      ? ['unsure', trans.__('%1 unsure', group.attention)]
      : ['failed', trans.__('%1 failed', group.attention)];
  return [
    h('span.kgnb-group-name', counted(group.number)),
    ...(group.attention > 0 ? [h(`span.kgnb-chip.kgnb-is-${tone}`, attention)] : [])
  ];
}

function judgementLine(judgement: Judgement): HTMLElement[] {
  const tone = { different: 'quiet', unsure: 'unsure' }[judgement.decision] ?? 'sure';
  return [
    h(`span.kgnb-chip.kgnb-is-${tone}`, oneLine(judgement.decision)),
    h('span.kgnb-confidence', judgement.confidence.toFixed(2)),
    h('span.kgnb-facts', oneLine(judgement.text))
  ];
}

function callLine(call: Call): HTMLElement[] {
  const [tone, outcome] =
    call.error !== null
      ? ['failed', trans.__('failed')]
      : call.cached
        ? ['quiet', trans.__('cached')]
        : ['sure', trans.__('answered')];
  const tokens = trans.__(
    '%1 tokens in, %2 out',
    formatNumber(call.prompt_tokens),
    formatNumber(call.completion_tokens)
  );
  const facts = [oneLine(call.model), tokens, call.usd === null ? '' : formatMoney(call.usd)].filter(Boolean);
  return [
    h(`span.kgnb-chip.kgnb-is-${tone}`, outcome),
    h('span.kgnb-facts', facts.join(' · ')),
    h('span.kgnb-seconds', formatSeconds(call.seconds))
  ];
}

function queryLine(query: Query): HTMLElement[] {
  return [
    h('span.kgnb-facts.kgnb-code', oneLine(query.query)),
    h('span.kgnb-aside', trans._n('{n} row', '{n} rows', query.rows)),
    h('span.kgnb-seconds', formatSeconds(query.seconds))
  ];
}

type Pair = readonly [string, string | HTMLElement];

/** What an opened judgement, call or query shows: everything the run has on record about it. */
export function drawDetail(node: Extract<RunNode, { kind: 'judgement' | 'call' | 'query' }>): HTMLElement {
  const pairs =
    node.kind === 'judgement'
      ? judgementPairs(node.value)
      : node.kind === 'call'
        ? callPairs(node.value)
        : queryPairs(node.value);
  const list = h('dl.kgnb-details');
  for (const [heading, value] of pairs) {
    if (value !== '') {
      const shown = typeof value === 'string' ? held(value, value) : value;
      list.append(h('dt', heading), h('dd', shown));
    }
  }
  return list;
}

function judgementPairs(judgement: Judgement): Pair[] {
  return [
    [trans.__('question'), visible(judgement.text)],
    [trans.__('choice'), judgement.choice ? drawIri({ iri: judgement.choice }) : ''],
    [trans.__('reason'), visible(judgement.rationale)],
    [trans.__('judged by'), oneLine(judgement.judged_by)],
    [trans.__('question id'), oneLine(judgement.question)]
  ];
}

function callPairs(call: Call): Pair[] {
  const attempts = call.attempts.map(attempt =>
    [attempt.status ?? '', oneLine(attempt.error), formatSeconds(attempt.seconds)].filter(part => part !== '').join(' ')
  );
  return [
    [trans.__('error'), visible(call.error ?? '')],
    [trans.__('tries'), attempts.join(', ')],
    [trans.__('ended by'), oneLine(call.finish_reason)],
    [trans.__('request'), oneLine(call.request)]
  ];
}

function queryPairs(query: Query): Pair[] {
  return [
    [trans.__('graph'), oneLine(query.graph)],
    [trans.__('query'), h('pre.kgnb-code', visible(query.query))]
  ];
}
