/**
 * One answer as `kgnb/results/card.py` writes it: large, with its picture, and its query and its reasons folded away.
 */

import type { Cell } from './cell';
import { cellText, readCells } from './cell';
import { element, fold } from './dom';
import { oneLine, visible } from './escaping';
import type { GraphState } from './graph';
import { drawGraph } from './graph';
import { readGraph } from './graph-data';
import { drawIri } from './iri';
import { list, listOf, numberOrNull, object, orNull, shape, text, versionOne } from './json';
import { drawTurtle } from './turtle';
import type { Words } from './words';

export const CARD_MIME = 'application/vnd.kgnb.card+json';

const readAll = shape({
  title: text,
  answers: (value, where): readonly Cell[] => readCells(value, list(value, where).length, where),
  large: (value): number => numberOrNull(value) ?? 12, // how many answers are shown large
  total: numberOrNull,
  said: text,
  notes: listOf(text),
  picture: orNull(readGraph),
  query: text,
  facts: listOf(text)
});
export type CardData = ReturnType<typeof readAll>;

/** Reads a bundle; throws a ShapeError that says what is wrong with it. */
export function readCard(value: unknown): CardData {
  versionOne(object(value, 'the card'));
  return readAll(value, 'the card');
}

export function drawCard(data: CardData, state: GraphState, words: Words): HTMLElement {
  const shown = data.answers.map(one => drawAnswer(one, words));
  const lines = (said: readonly string[], className: string): HTMLElement[] =>
    said.map(one => element('div', className, {}, visible(one)));
  return element(
    'section',
    'kgnb-card',
    { 'aria-label': oneLine(data.title) || words.answered },
    element('div', 'kgnb-aside', {}, oneLine(data.title)),
    element('div', 'kgnb-card-answer', {}, ...(shown.length > 0 ? shown.slice(0, data.large) : [words.noAnswerFound])),
    ...fold(words.showMore((data.total ?? shown.length) - data.large), shown.slice(data.large)),
    element('div', 'kgnb-aside', {}, oneLine(data.said)),
    ...lines(data.notes, 'kgnb-card-note'),
    data.picture ? drawGraph(data.picture, state, words) : null,
    ...fold('SPARQL', data.query ? [drawTurtle(data.query, { whole: true }, words, 'SPARQL')] : []),
    ...fold(words.howFound, lines(data.facts, 'kgnb-note'))
  );
}

function drawAnswer(cell: Cell, words: Words): HTMLElement {
  const iri = typeof cell === 'object' && cell !== null && 'iri' in cell;
  return element('span', 'kgnb-card-value', {}, iri ? drawIri(cell, words) : oneLine(cellText(cell, 'text')));
}
