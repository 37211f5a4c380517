/**
 * One answer as `kgnb/results/card.py` writes it: large, with its picture, and its query and its reasons folded away.
 */

import type { Cell } from './cell';
import { cellText, readCells } from './cell';
import { element, fold } from './dom';
import { oneLine, visible } from './escaping';
import type { GraphState } from './graph';
import { drawGraph } from './graph';
import type { GraphData } from './graph-data';
import { readGraph } from './graph-data';
import { drawIri } from './iri';
import { list, number, object, text, versionOne } from './json';
import { drawTurtle } from './turtle';
import type { Words } from './words';

export const CARD_MIME = 'application/vnd.kgnb.card+json';

export interface CardData {
  readonly title: string;
  readonly answers: readonly Cell[];
  /** How many of them are shown large. */
  readonly large: number;
  readonly total: number;
  readonly said: string;
  readonly notes: readonly string[];
  readonly picture: GraphData | null;
  readonly query: string;
  readonly facts: readonly string[];
}

/** Reads a bundle; throws a ShapeError that says what is wrong with it. */
export function readCard(value: unknown): CardData {
  const data = object(value, 'the card');
  versionOne(data);
  const answers = readCells(data.answers, list(data.answers, 'answers').length, 'answers');
  return {
    title: text(data.title),
    answers,
    large: number(data.large, 12),
    total: number(data.total, answers.length),
    said: text(data.said),
    notes: list(data.notes, 'notes').map(text),
    picture: data.picture === null ? null : readGraph(data.picture),
    query: text(data.query),
    facts: list(data.facts, 'facts').map(text)
  };
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
    ...fold(words.showMore(data.total - data.large), shown.slice(data.large)),
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
