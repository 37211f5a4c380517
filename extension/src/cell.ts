/**
 * One cell of a table: what `kgnb/results/cells.py` writes, how it is worded, compared and searched.
 */

import { oneLine } from './escaping';
import { list, object, ShapeError } from './json';
import { formatNumber, formatPercent, grouped, shortIri } from './wording';

export type Kind = 'text' | 'iri' | 'number' | 'percent' | 'boolean';

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

export function readColumns(value: unknown): readonly Column[] {
  return list(value, 'columns').map((item, at) => {
    const column = object(item, `columns[${at}]`);
    const { key, title, kind } = column;
    if (typeof key !== 'string' || typeof title !== 'string' || !KINDS.includes(String(kind))) {
      throw new ShapeError(`columns[${at}] has no key, title or known kind`);
    }
    return { key, title, kind: kind as Kind };
  });
}

export function readCells(value: unknown, width: number, where: string): readonly Cell[] {
  const cells = list(value, where);
  if (cells.length !== width) {
    throw new ShapeError(`${where} has ${cells.length} values for ${width} columns`);
  }
  return cells.map((cell, at) => readCell(cell, `${where}[${at}]`));
}

function readCell(value: unknown, where: string): Cell {
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

/** The cell as a reader sees it, on one line. */
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
    return kind === 'percent' ? formatPercent(cell) : formatNumber(cell, decimals);
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

/** Whether a column's numbers are written with decimals: as soon as one of them has any. */
export function hasDecimals(cells: readonly Cell[]): boolean {
  return cells.some(cell => typeof cell === 'number' && Number.isFinite(cell) && !Number.isInteger(cell));
}

/** Everything a search looks at: the text shown and, for an IRI or a typed literal, its full form. */
export function cellSearchText(cell: Cell, kind: Kind): string {
  const shown = cellText(cell, kind);
  const full = fullText(cell);
  return full ? `${shown} ${full}` : shown;
}

/** What the short form leaves out, or ''. */
export function fullText(cell: Cell): string {
  if (cell === null || typeof cell !== 'object') {
    return '';
  }
  if ('iri' in cell) {
    return cell.iri;
  }
  return 'literal' in cell && cell.datatype ? `${cell.literal}^^${shortIri(cell.datatype)}` : '';
}

/** The number a cell stands for, or null: numbers JavaScript cannot hold exactly travel as text. */
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

/** Orders two cells of one column; empty ones come last whichever way the column is sorted. */
export function compareCells(left: Cell, right: Cell, kind: Kind, descending: boolean): number {
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
  return kind === 'number' || kind === 'percent';
}

function numericWord(word: string): string {
  const known: Record<string, string> = { NaN: 'not a number', Infinity: '∞', '-Infinity': '−∞' };
  return known[word] ?? (/^-?\d+$/.test(word) ? grouped(word) : word);
}
