/**
 * One answer as `kgnb/results/card.py` writes it: large, with its picture, and its query and its reasons folded away.
 */

import type { Cell } from './table-data';
import { cellText, readCell } from './table-data';
import { h, fold, drawIri } from './dom';
import { oneLine, trans, visible } from './wording';
import type { GraphState } from './graph';
import { drawGraph } from './graph';
import { readGraph } from './graph-data';
import { listOf, numberOrNull, object, orNull, shape, text, versionOne } from './json';
import { drawTurtle } from './turtle';

export const CARD_MIME = 'application/vnd.kgnb.card+json';

const readAll = shape({
  title: text,
  answers: listOf(readCell),
  large: (value): number => numberOrNull(value) ?? 12, // how many answers are shown large
  total: numberOrNull,
  said: text,
  notes: listOf(text),
  picture: orNull(readGraph),
  query: text,
  facts: listOf(text)
});
export type CardData = ReturnType<typeof readAll>;

export function readCard(value: unknown): CardData {
  versionOne(object(value, 'the card'));
  return readAll(value, 'the card');
}

export function drawCard(data: CardData, state: GraphState): HTMLElement {
  const shown = data.answers.map(one => drawAnswer(one));
  const lines = (said: readonly string[], className: string): HTMLElement[] =>
    said.map(one => h(`div.${className}`, visible(one)));
  return h(
    'section.kgnb-card',
    { 'aria-label': oneLine(data.title) || trans.__('answered') },
    h('div.kgnb-aside', oneLine(data.title)),
    h('div.kgnb-card-answer', ...(shown.length > 0 ? shown.slice(0, data.large) : [trans.__('No answer')])),
    ...fold(trans.__('Show %1 more', (data.total ?? shown.length) - data.large), shown.slice(data.large)),
    h('div.kgnb-aside', oneLine(data.said)),
    ...lines(data.notes, 'kgnb-card-note'),
    data.picture ? drawGraph(data.picture, state) : null,
    ...fold('SPARQL', data.query ? [drawTurtle(data.query, { whole: true }, 'SPARQL')] : []),
    ...fold(trans.__('How it was found'), lines(data.facts, 'kgnb-note'))
  );
}

function drawAnswer(cell: Cell): HTMLElement {
  const iri = typeof cell === 'object' && cell !== null && 'iri' in cell;
  return h('span.kgnb-card-value', iri ? drawIri(cell) : oneLine(cellText(cell, 'text')));
}
