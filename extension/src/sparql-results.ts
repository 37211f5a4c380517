/**
 * SPARQL 1.1 results as JSON (https://www.w3.org/TR/sparql11-results-json/), from any kernel, as our table: every
 * variable a column, every solution a row; the answer of an ASK query as a single cell.
 */

import type { Cell, Column, TableData } from './table-data';
import type { JsonObject } from './json';
import { list, object, ShapeError, text } from './json';

export const SPARQL_RESULTS_MIME = 'application/sparql-results+json';

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const NUMBERS = new Set(
  ['integer', 'decimal', 'double', 'float', 'int', 'long', 'short', 'nonNegativeInteger', 'positiveInteger'].map(
    name => XSD + name
  )
);
const DEEPEST = 8; // triples within triples; more is nobody's data

/** Reads results, as JSON or its text; throws a ShapeError that says what is wrong. */
export function readSparqlResults(value: unknown): TableData {
  const data = object(typeof value === 'string' ? parsed(value) : value, 'the results');
  if (typeof data.boolean === 'boolean') {
    const columns: Column[] = [{ key: 'answer', title: 'ASK', kind: 'boolean' }];
    return tableOf(columns, [[data.boolean]]);
  }
  const names = list(object(data.head, 'head').vars, 'head.vars').map(text);
  const solutions = list(object(data.results, 'results').bindings, 'results.bindings').map((item, at) =>
    object(item, `results.bindings[${at}]`)
  );
  const cells = solutions.map((solution, at) =>
    names.map(name => {
      const term = Object.hasOwn(solution, name) ? solution[name] : undefined;
      return term === undefined || term === null ? null : readTerm(term, `results.bindings[${at}].${name}`);
    })
  );
  const columns = names.map((name, at): Column => ({ key: name, title: name, kind: kindOf(cells, at) }));
  return tableOf(columns, cells);
}

function tableOf(columns: readonly Column[], cells: readonly (readonly Cell[])[]): TableData {
  const rows = cells.map(row => ({ cells: row, details: [], group: '' }));
  return { caption: '', columns, rows, total: rows.length, notes: [], facts: [], bar: '' };
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    throw new ShapeError('the results are not JSON');
  }
}

function readTerm(value: unknown, where: string, depth = 0): Cell {
  const term = object(value, where);
  switch (term.type) {
    case 'uri':
      return { iri: text(term.value) };
    case 'bnode':
      return { blank: text(term.value) };
    case 'literal':
    case 'typed-literal': // as endpoints of before 2013 write it
      return readLiteral(term);
    case 'triple':
      return readTriple(object(term.value, `${where}.value`), where, depth);
    default:
      throw new ShapeError(`${where} has the type ${JSON.stringify(term.type)}, which no term of RDF has`);
  }
}

function readLiteral(term: JsonObject): Cell {
  const language = text(term['xml:lang']);
  const datatype = text(term.datatype);
  return {
    literal: text(term.value),
    ...(language ? { language } : {}),
    ...(datatype && datatype !== `${XSD}string` ? { datatype } : {})
  };
}

function readTriple(triple: JsonObject, where: string, depth: number): Cell {
  if (depth >= DEEPEST) {
    throw new ShapeError(`${where} holds triples within triples, too deep to be shown`);
  }
  return {
    triple: ['subject', 'predicate', 'object'].map(part => readTerm(triple[part], `${where}.${part}`, depth + 1))
  };
}

/** "number" for a column of numbers only. */
function kindOf(rows: readonly (readonly Cell[])[], at: number): Column['kind'] {
  const bound = rows.flatMap(row => row[at] ?? []);
  const numeric = (cell: Cell): boolean =>
    cell !== null && typeof cell === 'object' && 'literal' in cell && NUMBERS.has(cell.datatype ?? '');
  return bound.length > 0 && bound.every(numeric) ? 'number' : 'text';
}
