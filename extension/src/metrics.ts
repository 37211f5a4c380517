/**
 * Draws scores: cases, then their summaries, then published figures, one measure also as a bar.
 */

import type { Cell } from './cell';
import { cellNumber, cellText, hasDecimals, isNumeric } from './cell';
import { element, freshId } from './dom';
import { linkTarget, oneLine, visible } from './escaping';
import type { MetricsData, Score } from './metrics-data';
import { bar } from './table';
import type { Words } from './words';

export function drawMetrics(data: MetricsData, words: Words): HTMLElement {
  const captionId = freshId('caption');
  const caption = oneLine(data.caption);
  const titles = data.columns.map(column =>
    element('th', isNumeric(column.kind) ? 'kgnb-number' : '', { scope: 'col' }, oneLine(column.title))
  );
  // A title without text would be read out as an empty one.
  const caseTitle = oneLine(data.case_title);
  const first = caseTitle ? element('th', '', { scope: 'col' }, caseTitle) : element('td');
  const head = element('tr', '', {}, first, ...titles);
  const table = element(
    'table',
    'kgnb-grid',
    caption ? { 'aria-labelledby': captionId } : { 'aria-label': words.scores },
    element('thead', '', {}, head),
    ...(['case', 'summary', 'published'] as const).flatMap(group => {
      const rows = data.rows.filter(row => row.group === group).map(row => drawScore(data, row, words));
      return rows.length > 0 ? [element('tbody', `kgnb-group-${group}`, {}, ...rows)] : [];
    })
  );
  return element(
    'div',
    'kgnb-metrics',
    {},
    caption ? element('div', 'kgnb-header', {}, element('span', 'kgnb-caption', { id: captionId }, caption)) : null,
    element('div', 'kgnb-scroll', { tabindex: 0, role: 'region', 'aria-label': caption || words.scores }, table),
    ...data.notes.map(note => element('div', 'kgnb-note', {}, visible(note)))
  );
}

function drawScore(data: MetricsData, score: Score, words: Words): HTMLElement {
  const target = linkTarget(score.source);
  const name = oneLine(score.name);
  const title = visible(score.source);
  const shown = target
    ? element('a', '', { href: target, title, target: '_blank', rel: 'noopener noreferrer' }, name)
    : element('span', '', { title: title || null }, name);
  const mark = score.group === 'published' ? element('span', 'kgnb-aside', {}, words.published) : null;
  return element(
    'tr',
    'kgnb-row',
    {},
    element('th', '', { scope: 'row' }, shown, mark),
    ...score.cells.map((cell, at) => drawCell(data, cell, at))
  );
}

function drawCell(data: MetricsData, cell: Cell, at: number): HTMLElement {
  const column = data.columns[at];
  const kind = column?.kind ?? 'text';
  const share = column?.key === data.bar ? cellNumber(cell) : null;
  const text = cellText(cell, kind, hasDecimals(data.rows.map(row => row.cells[at] ?? null)));
  const barred = share !== null && Number.isFinite(share);
  return element(
    'td',
    isNumeric(kind) ? 'kgnb-number' : '',
    {},
    ...(barred ? [bar(share), element('span', 'kgnb-figure', {}, text)] : [text])
  );
}
