/**
 * One line of the run tree, and what stands below it when it is opened.
 */

import type { IconName } from './dom';
import { element, icon } from './dom';
import { oneLine, visible } from './escaping';
import { drawIri } from './iri';
import { held } from './long-text';
import type { Call, Judgement, Query, Step } from './run';
import type { Group, RunNode } from './run-tree';
import type { Words } from './words';
import { formatMoney, formatNumber, formatSeconds } from './wording';

export function stateIcon(state: string): IconName {
  const icons: Record<string, IconName> = { done: 'done', failed: 'failed', running: 'running' };
  return icons[state] ?? 'stopped';
}

export function stateName(state: string, words: Words): string {
  const names: Record<string, string> = {
    cancelled: words.cancelled,
    done: words.done,
    failed: words.failed,
    limited: words.limited,
    running: words.running
  };
  return names[state] ?? oneLine(state);
}

/** The line of a node; a step also shows its place on the line of time. */
export function drawLine(node: RunNode, words: Words, place?: { start: number; length: number }): HTMLElement {
  const line = element('div', 'kgnb-line', {}, icon('right'));
  switch (node.kind) {
    case 'step':
      line.append(...stepLine(node.value, words, place));
      break;
    case 'group':
      line.append(...groupLine(node.value, words));
      break;
    case 'judgement':
      line.append(...judgementLine(node.value));
      break;
    case 'call':
      line.append(...callLine(node.value, words));
      break;
    case 'query':
      line.append(...queryLine(node.value, words));
  }
  return line;
}

function stepLine(step: Step, words: Words, place: { start: number; length: number } | undefined): HTMLElement[] {
  const left = step.left_out;
  const facts = [
    oneLine(step.note),
    step.judgements.length > 0 ? words.judgements(step.judgements.length + (left?.judgements ?? 0)) : '',
    step.calls.length > 0 ? words.calls(step.calls.length + (left?.calls ?? 0)) : '',
    step.queries.length > 0 ? words.queries(step.queries.length + (left?.queries ?? 0)) : ''
  ].filter(Boolean);
  const name = stateIcon(step.state);
  const state = element('span', `kgnb-state kgnb-is-${name}`, { title: stateName(step.state, words) }, icon(name));
  state.append(element('span', 'kgnb-unseen', {}, stateName(step.state, words)));
  const filled = element('span', 'kgnb-span-filled', { hidden: true });
  if (place && place.length > 0) {
    filled.hidden = false;
    filled.style.left = `${place.start * 100}%`;
    filled.style.width = `${place.length * 100}%`;
  }
  return [
    state,
    element('span', 'kgnb-name', {}, oneLine(step.name)),
    element('span', 'kgnb-facts', { title: facts.join(' · ') }, facts.join(' · ')),
    element('span', 'kgnb-span', { 'aria-hidden': 'true' }, filled),
    element('span', 'kgnb-seconds', {}, step.seconds === null ? '' : formatSeconds(step.seconds))
  ];
}

/** What a step counted, each on a line of its own, or null. */
export function drawCounts(step: Step): HTMLElement | null {
  const counts = Object.entries(step.counts);
  if (counts.length === 0) {
    return null;
  }
  const list = element('dl', 'kgnb-details');
  for (const [name, value] of counts) {
    list.append(element('dt', '', {}, oneLine(name)), element('dd', '', {}, formatNumber(value ?? NaN)));
  }
  return list;
}

function groupLine(group: Group, words: Words): HTMLElement[] {
  const counted = { judgements: words.judgements, calls: words.calls, queries: words.queries }[group.name];
  const [tone, attention] =
    group.name === 'judgements'
      ? ['unsure', words.unsure(group.attention)]
      : ['failed', words.failedNumber(group.attention)];
  return [
    element('span', 'kgnb-group-name', {}, counted(group.number)),
    ...(group.attention > 0 ? [element('span', `kgnb-chip kgnb-is-${tone}`, {}, attention)] : [])
  ];
}

function judgementLine(judgement: Judgement): HTMLElement[] {
  const tone = { different: 'quiet', unsure: 'unsure' }[judgement.decision] ?? 'sure';
  return [
    element('span', `kgnb-chip kgnb-is-${tone}`, {}, oneLine(judgement.decision)),
    element('span', 'kgnb-confidence', {}, judgement.confidence.toFixed(2)),
    element('span', 'kgnb-facts', {}, oneLine(judgement.text))
  ];
}

function callLine(call: Call, words: Words): HTMLElement[] {
  const [tone, outcome] =
    call.error !== null
      ? ['failed', words.failed]
      : call.cached
        ? ['quiet', words.cachedOne]
        : ['sure', words.answered];
  const tokens = words.tokens(formatNumber(call.prompt_tokens), formatNumber(call.completion_tokens));
  const facts = [oneLine(call.model), tokens, call.usd === null ? '' : formatMoney(call.usd)].filter(Boolean);
  return [
    element('span', `kgnb-chip kgnb-is-${tone}`, {}, outcome),
    element('span', 'kgnb-facts', {}, facts.join(' · ')),
    element('span', 'kgnb-seconds', {}, formatSeconds(call.seconds))
  ];
}

function queryLine(query: Query, words: Words): HTMLElement[] {
  return [
    element('span', 'kgnb-facts kgnb-code', {}, oneLine(query.query)),
    element('span', 'kgnb-aside', {}, words.rows(query.rows)),
    element('span', 'kgnb-seconds', {}, formatSeconds(query.seconds))
  ];
}

type Pair = readonly [string, string | HTMLElement];

/** What an opened judgement, call or query shows: everything the run has on record about it. */
export function drawDetail(
  node: Extract<RunNode, { kind: 'judgement' | 'call' | 'query' }>,
  words: Words
): HTMLElement {
  const pairs =
    node.kind === 'judgement'
      ? judgementPairs(node.value, words)
      : node.kind === 'call'
        ? callPairs(node.value, words)
        : queryPairs(node.value, words);
  const list = element('dl', 'kgnb-details');
  for (const [heading, value] of pairs) {
    if (value !== '') {
      const shown = typeof value === 'string' ? held(value, value, words) : value;
      list.append(element('dt', '', {}, heading), element('dd', '', {}, shown));
    }
  }
  return list;
}

function judgementPairs(judgement: Judgement, words: Words): Pair[] {
  return [
    [words.question, visible(judgement.text)],
    [words.choice, judgement.choice ? drawIri({ iri: judgement.choice }, words) : ''],
    [words.reason, visible(judgement.rationale)],
    [words.judgedBy, oneLine(judgement.judged_by)],
    [words.questionId, oneLine(judgement.question)]
  ];
}

function callPairs(call: Call, words: Words): Pair[] {
  const attempts = call.attempts.map(attempt =>
    [attempt.status ?? '', oneLine(attempt.error), formatSeconds(attempt.seconds)].filter(part => part !== '').join(' ')
  );
  return [
    [words.error, visible(call.error ?? '')],
    [words.attempts, attempts.join(', ')],
    [words.finishReason, oneLine(call.finish_reason)],
    [words.request, oneLine(call.request)]
  ];
}

function queryPairs(query: Query, words: Words): Pair[] {
  return [
    [words.graph, oneLine(query.graph)],
    [words.query, element('pre', 'kgnb-code', {}, visible(query.query))]
  ];
}
