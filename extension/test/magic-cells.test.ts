import { StreamLanguage } from '@codemirror/language';
import { sparql } from '@codemirror/legacy-modes/mode/sparql';
import { turtle } from '@codemirror/legacy-modes/mode/turtle';
import { describe, expect, it } from 'vitest';
import { fitLanguage } from '../src/cell-languages';
import { isMagicMime, magicLanguage, magicMime } from '../src/magic-cell';
import { belowTheMagic } from '../src/magic-parser';

describe('the first line of a cell', () => {
  it.each([
    ['%%sparql\nSELECT', 'sparql'],
    ['%%sparql huts --limit 5\r\nSELECT', 'sparql'],
    ['%%turtle', 'turtle']
  ])('%j begins %s', (source, language) => {
    expect(magicLanguage(source)).toBe(language);
  });

  it.each([[''], ['%sparql x'], ['%%sparqly'], [' %%sparql'], ['x\n%%sparql'], ['%%kg\n%%sparql']])(
    '%j begins nothing of ours',
    source => {
      expect(magicLanguage(source)).toBeNull();
    }
  );
});

/** Each token's text and kind, as the editor colours them. */
function tokens(parser: Parameters<typeof belowTheMagic>[0], source: string): [string, string][] {
  const tree = StreamLanguage.define(belowTheMagic(parser)).parser.parse(source);
  const found: [string, string][] = [];
  tree.iterate({
    enter: node => {
      if (!node.node.firstChild) {
        found.push([source.slice(node.from, node.to), node.name]);
      }
    }
  });
  return found;
}

describe('a cell with a magic', () => {
  it('has its first line as one piece, and SPARQL below', () => {
    const found = tokens(sparql, '%%sparql --limit 5\nSELECT ?hut { ?hut a <http://x/"> }');
    expect(found[0]).toEqual(['%%sparql --limit 5', 'meta']);
    expect(found[1]).toEqual(['SELECT', 'keyword']);
    expect(found.map(([text]) => text)).toContain('?hut');
  });

  it('has Turtle below the other', () => {
    const found = tokens(turtle, '%%turtle\n# a hut\n@prefix : <http://x/> .');
    expect(found[0]).toEqual(['%%turtle', 'meta']);
    expect(found[1]).toEqual(['# a hut', 'comment']);
  });
});

describe('the type of a cell', () => {
  const cell = (type: 'code' | 'markdown', source: string, mimeType: string): Parameters<typeof fitLanguage>[0] => ({
    type,
    mimeType,
    sharedModel: { getSource: () => source } as never
  });
  it('follows the magic, and goes back when the magic is gone', () => {
    const query = cell('code', '%%sparql\nASK {}', 'text/x-ipython');
    fitLanguage(query, 'text/x-ipython', true);
    expect(query.mimeType).toBe(magicMime('sparql'));
    const plain = cell('code', 'x = 1', magicMime('sparql'));
    fitLanguage(plain, 'text/x-ipython', true);
    expect(plain.mimeType).toBe('text/x-ipython');
    expect(isMagicMime(plain.mimeType)).toBe(false);
  });

  it('is left alone in other cells, and where a person wants no colours', () => {
    const other = cell('code', 'x = 1', 'text/x-rsrc');
    fitLanguage(other, 'text/x-ipython', true);
    expect(other.mimeType).toBe('text/x-rsrc');
    const text = cell('markdown', '%%sparql', 'text/x-ipythongfm');
    fitLanguage(text, 'text/x-ipython', true);
    expect(text.mimeType).toBe('text/x-ipythongfm');
    const query = cell('code', '%%sparql\nASK {}', magicMime('sparql'));
    fitLanguage(query, 'text/x-ipython', false);
    expect(query.mimeType).toBe('text/x-ipython');
  });
});
