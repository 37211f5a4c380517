/**
 * A table as `kgnb/results/table.py` writes it (`Table.json`).
 */

import type { Cell, Column } from './cell';
import { readCells, readColumns } from './cell';
import { list, numberOrNull, object, ShapeError, text, versionOne } from './json';

export const TABLE_MIME = 'application/vnd.kgnb.table+json';

export interface Detail {
  readonly heading: string;
  readonly text: string;
}

export interface Row {
  readonly cells: readonly Cell[];
  readonly details: readonly Detail[];
  /** A rule parts the rows of one group from those of the next; "summary" stands out. */
  readonly group: string;
}

export interface TableData {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** How many rows there are in truth; `rows` may hold only the first of them. */
  readonly total: number;
  readonly notes: readonly string[];
  /** What only some want to read; folded away. */
  readonly facts: readonly string[];
  /** The column whose shares are drawn as bars too. */
  readonly bar: string;
}

/** Reads a bundle; throws a ShapeError that says what is wrong with it. */
export function readTable(value: unknown): TableData {
  const data = object(value, 'the table');
  versionOne(data);
  const columns = readColumns(data.columns);
  const rows = list(data.rows, 'rows').map((item, at) => {
    const row = object(item, `rows[${at}]`);
    return {
      cells: readCells(row.cells, columns.length, `rows[${at}].cells`),
      details: list(row.details, `rows[${at}].details`).map(pair => readDetail(pair, at)),
      group: text(row.group)
    };
  });
  return {
    caption: text(data.caption),
    columns,
    rows,
    total: numberOrNull(data.total) ?? rows.length,
    notes: list(data.notes, 'notes').map(text),
    facts: list(data.facts, 'facts').map(text),
    bar: text(data.bar)
  };
}

function readDetail(value: unknown, row: number): Detail {
  if (!Array.isArray(value) || value.length !== 2) {
    throw new ShapeError(`rows[${row}].details holds something other than pairs of heading and text`);
  }
  return { heading: text(value[0]), text: text(value[1]) };
}
