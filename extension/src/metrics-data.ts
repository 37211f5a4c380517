/**
 * Scores as `kgnb/results/metrics.py` writes them (`Metrics.json`).
 */

import type { Cell, Column } from './cell';
import { readCells, readColumns } from './cell';
import { list, object, ShapeError, text, versionOne } from './json';

export const METRICS_MIME = 'application/vnd.kgnb.metrics+json';

export type Group = 'case' | 'summary' | 'published';

export interface Score {
  readonly group: Group;
  readonly name: string;
  readonly cells: readonly Cell[];
  readonly source: string;
}

export interface MetricsData {
  readonly caption: string;
  readonly case_title: string;
  readonly columns: readonly Column[];
  readonly bar: string;
  readonly rows: readonly Score[];
  readonly notes: readonly string[];
}

/** Reads a bundle; throws a ShapeError that says what is wrong with it. */
export function readMetrics(value: unknown): MetricsData {
  const data = object(value, 'the metrics');
  versionOne(data);
  const columns = readColumns(data.columns);
  return {
    caption: text(data.caption),
    case_title: text(data.case_title),
    columns,
    bar: text(data.bar),
    rows: list(data.rows, 'rows').map((item, at) => {
      const row = object(item, `rows[${at}]`);
      const { group } = row;
      if (group !== 'case' && group !== 'summary' && group !== 'published') {
        throw new ShapeError(`rows[${at}] is in no known group`);
      }
      return {
        group,
        name: text(row.name),
        cells: readCells(row.cells, columns.length, `rows[${at}].cells`),
        source: text(row.source)
      };
    }),
    notes: list(data.notes, 'notes').map(text)
  };
}
