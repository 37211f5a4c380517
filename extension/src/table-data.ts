/**
 * A table as `kgnb/results/table.py` writes it (`Table.json`), its cells as `kgnb/results/cells.py` does: how they are
 * worded, compared and searched, and which rows are shown in which order.
 */

import { oneLine, formatNumber, formatPercent, grouped, shortIri } from './wording';
import { listOf, numberOrNull, object, shape, ShapeError, text, versionOne } from './json';

export const TABLE_MIME = 'application/vnd.kgnb.table+json';

/** `digits` are numbers that may be years, and are not grouped. */
export type Kind = 'text' | 'iri' | 'number' | 'digits' | 'percent' | 'boolean';

export interface IriCell {
  readonly iri: string;
  readonly label?: string;
}

export interface LiteralCell {
  readonly literal: string;
  readonly language?: string;
  readonly datatype?: string;
}

export interface BlankCell {
  readonly blank: string;
}

export interface TripleCell {
  readonly triple: readonly Cell[];
}

export type Cell = null | boolean | number | string | IriCell | LiteralCell | BlankCell | TripleCell;

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly kind: Kind;
}

const KINDS: readonly string[] = ['text', 'iri', 'number', 'percent', 'boolean'];

function readColumn(value: unknown, where: string): Column {
  const { key, title, kind, digits } = object(value, where);
  if (typeof key !== 'string' || typeof title !== 'string' || !KINDS.includes(String(kind))) {
    throw new ShapeError(`${where} has no key, title or known kind`);
  }
  return { key, title, kind: digits === true ? 'digits' : (kind as Kind) };
}

export function readCell(value: unknown, where: string): Cell {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string') {
    return value;
  }
  const cell = object(value, where);
  if (typeof cell.iri === 'string') {
    return typeof cell.label === 'string' && cell.label ? { iri: cell.iri, label: cell.label } : { iri: cell.iri };
  }
  if (typeof cell.literal === 'string') {
    return {
      literal: cell.literal,
      ...(typeof cell.language === 'string' ? { language: cell.language } : {}),
      ...(typeof cell.datatype === 'string' ? { datatype: cell.datatype } : {})
    };
  }
  if (typeof cell.blank === 'string') {
    return { blank: cell.blank };
  }
  if (Array.isArray(cell.triple) && cell.triple.length === 3) {
    return { triple: cell.triple.map((part, at) => readCell(part, `${where}.triple[${at}]`)) };
  }
  throw new ShapeError(`${where} is no value, IRI, literal, blank node or triple`);
}

/** A heading and its text, shown below an opened row. */
const readDetail = (value: unknown, where: string): readonly [heading: string, said: string] => {
  if (!Array.isArray(value) || value.length !== 2) {
    throw new ShapeError(`${where} is no pair of heading and text`);
  }
  return [text(value[0]), text(value[1])];
};

const readRow = shape({
  cells: listOf(readCell),
  details: listOf(readDetail),
  group: text // a rule parts the rows of one group from those of the next; "summary" stands out
});
export type Row = ReturnType<typeof readRow>;

const readAll = shape({
  caption: text,
  columns: listOf(readColumn),
  rows: listOf(readRow),
  total: (value): number => numberOrNull(value) ?? 0, // in truth; `rows` may hold the first of them only
  notes: listOf(text),
  facts: listOf(text), // what only some want to read; folded away
  bar: text // the column whose shares are drawn as bars too
});
export type TableData = ReturnType<typeof readAll>;

export function readTable(value: unknown): TableData {
  versionOne(object(value, 'the table'));
  const table = readAll(value, 'the table');
  table.rows.forEach(({ cells }, at) => {
    if (cells.length !== table.columns.length) {
      throw new ShapeError(`rows[${at}].cells has ${cells.length} values for ${table.columns.length} columns`);
    }
  });
  return table;
}

/** The text of a cell, on one line. */
export function cellText(cell: Cell, kind: Kind, decimals = false): string {
  return oneLine(rawText(cell, kind, decimals));
}

function rawText(cell: Cell, kind: Kind, decimals: boolean): string {
  if (cell === null) {
    return '';
  }
  if (typeof cell === 'boolean') {
    return cell ? 'yes' : 'no';
  }
  if (typeof cell === 'number') {
    return kind === 'percent' ? formatPercent(cell) : formatNumber(cell, decimals, kind !== 'digits');
  }
  if (typeof cell === 'string') {
    return isNumeric(kind) ? numericWord(cell) : cell;
  }
  if ('iri' in cell) {
    return cell.label ?? shortIri(cell.iri);
  }
  if ('literal' in cell) {
    return cell.language ? `${cell.literal} (${cell.language})` : cell.literal;
  }
  if ('blank' in cell) {
    return `_:${cell.blank}`;
  }
  return `<<( ${cell.triple.map(part => rawText(part, 'text', false)).join(' ')} )>>`;
}

/** Whether a column's numbers are written with decimals: as soon as one has any. */
export function hasDecimals(cells: readonly Cell[]): boolean {
  return cells.some(cell => typeof cell === 'number' && Number.isFinite(cell) && !Number.isInteger(cell));
}

/** The text that is searched: the text shown and, for an IRI or a typed literal, its full form. */
export function cellSearchText(cell: Cell, kind: Kind): string {
  const shown = cellText(cell, kind);
  const full = fullText(cell);
  return full ? `${shown} ${full}` : shown;
}

/** The full form where the text is shortened, or ''. */
export function fullText(cell: Cell): string {
  if (cell === null || typeof cell !== 'object') {
    return '';
  }
  if ('iri' in cell) {
    return cell.iri;
  }
  return 'literal' in cell && cell.datatype ? `${cell.literal}^^${shortIri(cell.datatype)}` : '';
}

/** The number of a cell, or null; numbers that JavaScript cannot hold exactly are sent as text. */
export function cellNumber(cell: Cell): number | null {
  if (typeof cell === 'number') {
    return cell;
  }
  const written = typeof cell === 'string' ? cell : isLiteral(cell) ? cell.literal : '';
  const value = written.trim() === '' ? NaN : Number(written);
  return Number.isNaN(value) ? null : value;
}

function isLiteral(cell: Cell): cell is LiteralCell {
  return cell !== null && typeof cell === 'object' && 'literal' in cell;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Compares two cells of a column; empty ones come last in both directions. */
function compareCells(left: Cell, right: Cell, kind: Kind, descending: boolean): number {
  const [a, b] = [sortKey(left, kind), sortKey(right, kind)];
  if (a === null || b === null) {
    return Number(a === null) - Number(b === null);
  }
  const order = typeof a === 'number' && typeof b === 'number' ? a - b || 0 : collator.compare(String(a), String(b));
  return descending ? -order : order;
}

function sortKey(cell: Cell, kind: Kind): number | string | null {
  if (isNumeric(kind)) {
    return cellNumber(cell);
  }
  const shown = typeof cell === 'number' ? cell : cellText(cell, kind);
  return shown === '' ? null : shown;
}

export function isNumeric(kind: Kind): boolean {
  return kind === 'number' || kind === 'digits' || kind === 'percent';
}

function numericWord(word: string): string {
  const known: Record<string, string> = { NaN: 'not a number', Infinity: '∞', '-Infinity': '−∞' };
  return known[word] ?? (/^-?\d+$/.test(word) ? grouped(word) : word);
}

export interface Sorting {
  readonly column: number;
  readonly descending: boolean;
}

/** Text folded for searching: lower case, no accents. */
export function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The folded search text of each row. */
export function searchTexts(table: TableData): readonly string[] {
  return table.rows.map(row => {
    const cells = row.cells.map((cell, at) => cellSearchText(cell, table.columns[at]?.kind ?? 'text'));
    const details = row.details.flat();
    return folded([...cells, ...details].join('\n'));
  });
}

/** The indexes of the rows that contain every word of the search. */
export function filterRows(texts: readonly string[], search: string): number[] {
  const words = folded(search).split(/\s+/).filter(Boolean);
  return texts.flatMap((text, at) => (words.every(word => text.includes(word)) ? [at] : []));
}

/** The rows whose share in this column is not below `least`; a row without one is below every share. */
export function atLeast(table: TableData, rows: readonly number[], column: number, least: number): number[] {
  const share = (row: number): number => cellNumber(table.rows[row]?.cells[column] ?? null) ?? -1;
  return least > 0 ? rows.filter(row => share(row) >= least) : [...rows];
}

/** The rows sorted as asked; equal rows keep their order. */
export function sortRows(table: TableData, rows: readonly number[], sorting: Sorting | null): number[] {
  const column = sorting ? table.columns[sorting.column] : undefined;
  if (!sorting || !column) {
    return [...rows];
  }
  const cell = (row: number): Cell => table.rows[row]?.cells[sorting.column] ?? null;
  return [...rows].sort((left, right) => compareCells(cell(left), cell(right), column.kind, sorting.descending));
}

/** The sorting after the next click on a title: ascending, descending, none. */
export function nextSorting(sorting: Sorting | null, column: number): Sorting | null {
  if (sorting?.column !== column) {
    return { column, descending: false };
  }
  return sorting.descending ? null : { column, descending: true };
}

/** The rows of a page, at most the last one. */
export function pageOf(
  rows: readonly number[],
  page: number,
  size: number
): { rows: number[]; page: number; pages: number } {
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const at = Math.min(Math.max(0, page), pages - 1);
  return { rows: rows.slice(at * size, (at + 1) * size), page: at, pages };
}
