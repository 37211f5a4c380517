/**
 * A table as a file: CSV, TSV or JSON, with the values themselves (full IRIs, plain numbers) instead of how they are shown.
 */

import type { Cell, TableData } from './table-data';

export type FileKind = 'csv' | 'tsv' | 'json';

export const MEDIA_TYPES: Readonly<Record<FileKind, string>> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json'
};

/** What begins a formula in a spreadsheet; a text that begins so is written behind an apostrophe. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** These rows of a table in this format; `columns` are the numbers of those that are wanted. */
export function fileOf(kind: FileKind, data: TableData, rows: readonly number[], columns: readonly number[]): string {
  const cells = (row: number): Cell[] => columns.map(at => data.rows[row]?.cells[at] ?? null);
  if (kind === 'json') {
    const objects = rows.map(row => {
      const object: Record<string, unknown> = {};
      columns.forEach(at => {
        object[data.columns[at]?.key ?? String(at)] = jsonValue(data.rows[row]?.cells[at] ?? null);
      });
      return object;
    });
    return `${JSON.stringify(objects, null, 1)}\n`;
  }
  const separator = kind === 'csv' ? ',' : '\t';
  const titles = columns.map(at => data.columns[at]?.title ?? '');
  const lines = [titles, ...rows.map(row => cells(row).map(plainValue))];
  return lines.map(line => `${line.map(text => field(text, separator)).join(separator)}\r\n`).join('');
}

/** A cell as one text: the IRI, not its label. */
export function plainValue(cell: Cell): string {
  if (cell === null) {
    return '';
  }
  if (typeof cell !== 'object') {
    return String(cell);
  }
  if ('iri' in cell) {
    return cell.iri;
  }
  if ('literal' in cell) {
    return cell.literal;
  }
  return 'blank' in cell ? `_:${cell.blank}` : `<<( ${cell.triple.map(plainValue).join(' ')} )>>`;
}

function jsonValue(cell: Cell): unknown {
  const whole = cell === null || typeof cell !== 'object' || ('literal' in cell && cell.language !== undefined);
  return whole ? cell : plainValue(cell);
}

function field(text: string, separator: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return safe.includes(separator) || /["\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
