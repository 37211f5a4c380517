import { describe, expect, it } from 'vitest';
import type { TableData } from '../src/table-data';
import { readTable, filterRows, pageOf, searchTexts, sortRows } from '../src/table-data';

function huts(): TableData {
  return readTable({
    version: 1,
    columns: [
      { key: 'hut', title: 'Hut', kind: 'text' },
      { key: 'beds', title: 'Beds', kind: 'number' },
      { key: 'iri', title: 'IRI', kind: 'iri' }
    ],
    rows: [
      {
        cells: ['Vernagthütte', 132, { iri: 'https://huts.example.org/alps#Vernagt' }],
        details: [['Lies', 'at a glacier']]
      },
      { cells: ['Breslauer Hütte', 160, { iri: 'https://huts.example.org/alps#Breslau', label: 'Breslau' }] },
      { cells: ['Hut 10', null, null] },
      { cells: ['hut 9', '123456789012345678901', null] }
    ]
  });
}

describe('filtering', () => {
  const texts = searchTexts(huts());

  it.each([
    ['', [0, 1, 2, 3]],
    ['HUTTE', [0, 1]],
    ['breslau hütte', [1]],
    ['#vernagt', [0]],
    ['glacier', [0]],
    ['132', [0]],
    ['nowhere', []]
  ])('%j finds %j', (search, rows) => {
    expect(filterRows(texts, search)).toEqual(rows);
  });
});

describe('sorting', () => {
  const table = huts();
  const all = [0, 1, 2, 3];

  it('orders text as people do: no matter the case, numbers by value', () => {
    expect(sortRows(table, all, { column: 0, descending: false })).toEqual([1, 3, 2, 0]);
  });

  it('orders numbers by value, those too big for JavaScript too, and leaves empty cells last both ways', () => {
    expect(sortRows(table, all, { column: 1, descending: false })).toEqual([0, 1, 3, 2]);
    expect(sortRows(table, all, { column: 1, descending: true })).toEqual([3, 1, 0, 2]);
  });

  it('keeps the order of rows that compare equal, and leaves what it was given alone', () => {
    expect(sortRows(table, [3, 2], { column: 2, descending: true })).toEqual([3, 2]);
    expect(sortRows(table, all, null)).toEqual(all);
    expect(sortRows(table, all, { column: 9, descending: false })).toEqual(all);
    expect(all).toEqual([0, 1, 2, 3]);
  });
});

describe('pages', () => {
  const rows = Array.from({ length: 23 }, (_, at) => at);

  it('gives the rows of one page', () => {
    expect(pageOf(rows, 2, 10)).toEqual({ rows: [20, 21, 22], page: 2, pages: 3 });
  });
});

describe('reading', () => {
  it.each([
    [null, 'the table is not an object'],
    [{ version: 2 }, 'version 2'],
    [{ version: 1, columns: {} }, 'columns is not a list'],
    [{ version: 1, columns: [{ key: 'a', title: 'A', kind: 'date' }] }, 'columns[0]'],
    [{ version: 1, columns: [], rows: [{ cells: [1] }] }, 'rows[0].cells has 1 values for 0 columns'],
    [
      { version: 1, columns: [{ key: 'a', title: 'A', kind: 'text' }], rows: [{ cells: [{ what: 1 }] }] },
      'rows[0].cells[0]'
    ],
    [{ version: 1, columns: [], rows: [{ cells: [], details: ['x'] }] }, 'rows[0].details']
  ])('%j says where it is wrong', (data, message) => {
    expect(() => readTable(data)).toThrow(message);
  });
});
