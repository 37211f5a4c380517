import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { json } from '@codemirror/lang-json';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../src/checking';
import { checked, faultsInTree, faultsInTurtle, faultsInXml } from '../src/checking';

const HEAD = '@prefix : <http://bees.example/#> .\n';

function told(faults: readonly Fault[]): [number, number, string][] {
  return faults.map(({ line, column, said }) => [line, column, said]);
}

describe('Turtle', () => {
  it.each([
    ':h a :Hive ; :queen [ :name "Amalia"@en ; ] , :q2 ; .',
    ':h :weights ( 31.5 -2 [] ( ) "x"^^:kg ) .\n[ a :Hive ] .\n[] a :Hive .',
    'PREFIX b: <http://b.example/>\nBASE <http://b.example/>\nb:h.1 a b:Hive; b:note """two\n. lines""" , true .',
    "<http://b.example/\\u0053> :note 'it is . fine' . # :a :b",
    ':g { :a :b :c . :d :e :f } GRAPH :h { } { :a :b :c ; }',
    '<<:a :b :c>> :said :me .'
  ])('that is right is left alone: %s', text => {
    expect(told(faultsInTurtle(HEAD + text))).toEqual([]);
  });

  it.each([
    [':a :b :c\n:d :e :f .', 2, 0, 'a full stop, semicolon or comma is missing before this'],
    [':a :b .', 1, 6, 'an object is missing before this'],
    [':a ; :b :c .', 1, 3, 'a property is expected here'],
    [':a bee:b :c .', 1, 3, 'the prefix bee: is not declared'],
    [':a :b :c', 1, 0, 'the last statement does not end with a full stop'],
    [':a :b [ :c :d .', 1, 14, 'this cannot stand here'],
    [':a :b ( :c ', 1, 0, '( is not closed'],
    ['"Amalia" :b :c .', 1, 0, 'a text or number can only be an object'],
    [':a :b 3@en .', 1, 7, 'a language belongs behind a text'],
    ['@prefix bee <http://b.example/> .', 1, 8, 'expected here: name:']
  ])('that is wrong is told where and why: %s', (text, line, column, said) => {
    expect(told(faultsInTurtle(HEAD + text))[0]).toEqual([line, column, said]);
  });

  it('is told one fault a statement, and goes on behind it', () => {
    const found = faultsInTurtle(`${HEAD}:a :b :c :d :e .\n:a :b :c .\n:a "b" :c .`);
    expect(found.map(({ line }) => line)).toEqual([1, 3]);
  });

  it('may name the graph of a quad, in files of quads', () => {
    const quad = '<http://b/s> <http://b/p> "o" <http://b/g> .';
    expect([faultsInTurtle(quad, true).length, faultsInTurtle(quad).length]).toEqual([0, 1]);
  });
});

describe('other formats', () => {
  it('are read by the browser, and the place where it stopped is told', () => {
    expect(faultsInXml('<a>\n<b/></a>')).toEqual([]);
    expect(faultsInXml('<a>\n<b></a>')).toHaveLength(1);
    expect(faultsInXml('Prefix(:=<http://b/>)')).toEqual([]);
    expect(faultsInTree(json().language, '{"@id": 1}')).toEqual([]);
    expect(faultsInTree(json().language, '{\n"@id": x}')[0]).toMatchObject({ line: 1, column: 7 });
  });
});

describe('an editor', () => {
  it('says a fault at the end of its line, and no more once it is mended', () => {
    const state = EditorState.create({ doc: `${HEAD}:a :b .\n`, extensions: checked(text => faultsInTurtle(text)) });
    const view = new EditorView({ state, parent: document.body });
    expect(view.contentDOM.querySelector('.kgnb-fault-said')?.textContent).toBe('an object is missing before this');
    view.dispatch({ changes: { from: HEAD.length + 5, insert: ' :c' } });
    expect(view.contentDOM.querySelector('.kgnb-fault-said')).toBeNull();
    view.destroy();
  });
});
