// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { readSparqlResults } from '../src/sparql-results';
import { drawTable, newTableState } from '../src/table';
import { beginning, coloured, drawTurtle } from '../src/turtle';
const HOSTILE = '<img src=x onerror=alert(1)>\u202e';
const XSD = 'http://www.w3.org/2001/XMLSchema#';

const RESULTS = {
  head: { vars: ['hut', 'beds', 'note', HOSTILE, '__proto__'] },
  results: {
    bindings: [
      {
        hut: { type: 'uri', value: 'javascript:alert(1)' },
        beds: { type: 'literal', value: '12', datatype: `${XSD}integer` },
        note: { type: 'literal', value: HOSTILE, 'xml:lang': 'de' }
      },
      {
        hut: { type: 'uri', value: 'https://huts.example.org/hochkar' },
        beds: { type: 'typed-literal', value: '9', datatype: `${XSD}integer` },
        note: {
          type: 'triple',
          value: {
            subject: { type: 'bnode', value: 'b0' },
            predicate: { type: 'uri', value: 'https://huts.example.org/says' },
            object: { type: 'literal', value: 'yes', datatype: `${XSD}string` }
          }
        }
      }
    ]
  }
};

describe('SPARQL results', () => {
  it('are a table: a column for each variable, a row for each solution, hostile text as text', () => {
    const data = readSparqlResults(RESULTS);
    expect(data.columns.map(column => column.kind)).toEqual(['text', 'number', 'text', 'text', 'text']);
    const drawn = drawTable(data, newTableState());
    expect(drawn.querySelectorAll('tbody tr')).toHaveLength(2);
    expect(drawn.querySelector('img, script')).toBeNull();
    expect(drawn.textContent).toContain('<img src=x');
    expect(drawn.textContent).not.toContain('\u202e');
    expect([...drawn.querySelectorAll('a')].map(link => link.getAttribute('href'))).toEqual([
      'https://huts.example.org/hochkar'
    ]);
    expect(drawn.textContent).toContain('<<( _:b0 …/says yes )>>');
  });

  it('are read from text too, and the answer of ASK is one cell', () => {
    const data = readSparqlResults('{"head": {}, "boolean": true}');
    expect(data.rows.map(row => row.cells)).toEqual([[true]]);
    expect(readSparqlResults(JSON.stringify(RESULTS)).rows).toHaveLength(2);
  });

  it('that are broken say where', () => {
    const broken = (bindings: unknown): unknown => ({ head: { vars: ['x'] }, results: { bindings } });
    expect(() => readSparqlResults('<html>')).toThrow('not JSON');
    expect(() => readSparqlResults(broken([{ x: { type: 'magic', value: '1' } }]))).toThrow('results.bindings[0].x');
    expect(() => readSparqlResults(broken({}))).toThrow('results.bindings is not a list');
    let deep: unknown = { type: 'uri', value: 'urn:x' };
    for (let depth = 0; depth < 2000; depth += 1) {
      deep = { type: 'triple', value: { subject: deep, predicate: deep, object: deep } };
    }
    expect(() => readSparqlResults(broken([{ x: deep }]))).toThrow('too deep');
  });
});

describe('Turtle', () => {
  const state = (): { whole: boolean } => ({ whole: false });

  it('is text, never markup', () => {
    const drawn = drawTurtle(`# ${HOSTILE}`, state());
    expect(drawn.querySelector('img')).toBeNull();
    expect(drawn.querySelector('code')?.textContent).toBe('# <img src=x onerror=alert(1)>⟨U+202E⟩');
  });

  it('is coloured without a letter changed', () => {
    const source = '@prefix : <urn:x#> . # so\n:a a :Hut ; :says "<b>\\"hi" ; :b <broken .';
    const pieces = coloured(source);
    const kinds = pieces.flatMap(piece => (typeof piece === 'string' ? [] : [piece.className.slice(12)]));
    expect(kinds).toEqual(['word', 'iri', 'remark', 'text']);
    expect(pieces.map(piece => (typeof piece === 'string' ? piece : piece.textContent)).join('')).toBe(source);
  });

  it('shows the beginning of what is long, and all of it on request', () => {
    const long = Array.from({ length: 900 }, (_, at) => `:h${at} a :Hut .`).join('\n');
    expect(beginning('x'.repeat(1_000_000)).length).toBeLessThan(50_000);
    const drawn = drawTurtle(long, state());
    expect(drawn.querySelector('code')?.textContent).not.toContain(':h899');
    const more = [...drawn.querySelectorAll('button')].find(one => one.textContent === 'Show 700 more lines');
    more?.click();
    expect(drawn.querySelector('code')?.textContent).toContain(':h899');
  });
});
