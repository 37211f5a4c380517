import { describe, expect, it } from 'vitest';
import { atLeast, readTable } from '../src/table-data';
import { fileOf } from '../src/table-files';

const data = readTable({
  version: 1,
  columns: [
    { key: 'hut', title: 'Hut', kind: 'iri' },
    { key: 'note', title: 'Note', kind: 'text' },
    { key: 'confidence', title: 'Confidence', kind: 'percent' }
  ],
  rows: [
    { cells: [{ iri: 'https://huts.example/1', label: 'One' }, 'a "good", one', 0.95] },
    { cells: [{ iri: 'https://huts.example/2' }, '=HYPERLINK("x")', 0.4] },
    { cells: [null, { literal: 'hütte', language: 'de' }, null] }
  ]
});

describe('a table as a file', () => {
  it('holds values, not what is shown of them, and no formula', () => {
    expect(fileOf('csv', data, [0, 1, 2], [0, 1, 2])).toBe(
      'Hut,Note,Confidence\r\n' +
        'https://huts.example/1,"a ""good"", one",0.95\r\n' +
        'https://huts.example/2,"\'=HYPERLINK(""x"")",0.4\r\n' +
        ',hütte,\r\n'
    );
  });

  it('holds the rows and columns that were chosen', () => {
    expect(fileOf('tsv', data, [1], [2])).toBe('Confidence\r\n0.4\r\n');
    expect(JSON.parse(fileOf('json', data, [2], [1, 2]))).toEqual([
      { note: { literal: 'hütte', language: 'de' }, confidence: null }
    ]);
  });
});

describe('rows of a share', () => {
  it.each([
    [0, [0, 1, 2]],
    [0.4, [0, 1]],
    [0.9, [0]]
  ])('at least %j are %j', (least, rows) => {
    expect(atLeast(data, [0, 1, 2], 2, least)).toEqual(rows);
  });
});
