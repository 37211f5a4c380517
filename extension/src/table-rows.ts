/**
 * Which rows of a table are shown, in which order: pure functions on row numbers.
 */

import { cellSearchText, compareCells } from './cell';
import type { TableData } from './table-data';

export interface Sorting {
  readonly column: number;
  readonly descending: boolean;
}

/** Text as a search compares it: small letters, no accents. */
export function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Tells whether every word of a search stands somewhere in the text; both are folded here. */
export function matches(text: string, search: string): boolean {
  const within = folded(text);
  return folded(search)
    .split(/\s+/)
    .every(word => within.includes(word));
}

/** For each row everything a search looks at, folded once. */
export function searchTexts(table: TableData): readonly string[] {
  return table.rows.map(row => {
    const cells = row.cells.map((cell, at) => cellSearchText(cell, table.columns[at]?.kind ?? 'text'));
    const details = row.details.flatMap(detail => [detail.heading, detail.text]);
    return folded([...cells, ...details].join('\n'));
  });
}

/** The numbers of the rows that hold every word of the search, in order. */
export function filterRows(texts: readonly string[], search: string): number[] {
  const words = folded(search).split(/\s+/).filter(Boolean);
  return texts.flatMap((text, at) => (words.every(word => text.includes(word)) ? [at] : []));
}

/** The rows in the order asked for; rows that compare equal keep theirs. */
export function sortRows(table: TableData, rows: readonly number[], sorting: Sorting | null): number[] {
  const column = sorting ? table.columns[sorting.column] : undefined;
  if (!sorting || !column) {
    return [...rows];
  }
  const cell = (row: number): TableData['rows'][number]['cells'][number] =>
    table.rows[row]?.cells[sorting.column] ?? null;
  return [...rows].sort((left, right) => compareCells(cell(left), cell(right), column.kind, sorting.descending));
}

/** What the next press on a column's title does: up, down, back to the order of the table. */
export function nextSorting(sorting: Sorting | null, column: number): Sorting | null {
  if (sorting?.column !== column) {
    return { column, descending: false };
  }
  return sorting.descending ? null : { column, descending: true };
}

/** The rows of one page; a page beyond the last gives the last. */
export function pageOf(
  rows: readonly number[],
  page: number,
  size: number
): { rows: number[]; page: number; pages: number } {
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const at = Math.min(Math.max(0, page), pages - 1);
  return { rows: rows.slice(at * size, (at + 1) * size), page: at, pages };
}
