import { StreamLanguage } from '@codemirror/language';
import { describe, expect, it } from 'vitest';
import { fitLanguage, isMagicMime, magicLanguage, magicMime } from '../src/magic-cells';
import { magicLines, belowTheMagic, sparqlMode } from '../src/languages';
import { turtleMode } from '../src/turtle-mode';

describe('the first line of a cell', () => {
  it.each([
    ['%%sparql\nSELECT', 'sparql'],
    ['%%sparql huts --limit 5\r\nSELECT', 'sparql'],
    ['%%turtle', 'turtle']
  ])('%j begins %s', (source, language) => {
    expect(magicLanguage(source)).toBe(language);
  });

  it.each([[''], ['%%sparqly'], [' %%sparql'], ['x\n%%sparql'], ['%%kg\n%%sparql']])(
    '%j begins nothing of ours',
    source => {
      expect(magicLanguage(source)).toBeNull();
    }
  );
});

describe('a cell of line magics alone', () => {
  it.each([
    ['%sparql x'],
    ['%load_ext kgnb\n\n# two ontologies\n%om start a.ttl b.ttl'],
    ['%om start a.ttl \\\n  b.ttl']
  ])('%j is coloured as such', source => {
    expect(magicLanguage(source)).toBe('magics');
  });

  it.each([['%om run\nx = 1'], ['x = %om run'], ['%time f(1)'], ['# a remark'], ['%%bash\nls'], ['a = 7\n%om run']])(
    '%j stays Python',
    source => {
      expect(magicLanguage(source)).toBeNull();
    }
  );

  it('has the magic, its verb, its options and texts in a colour each, over several lines', () => {
    const found = pieces(
      StreamLanguage.define(magicLines),
      '%om start a.ttl \\\n  --judge "rule x"\n# so\n%kg open {{g}}'
    );
    expect(found).toEqual([
      ['%om', 'string.special'],
      ['start', 'keyword'],
      ['a.ttl', 'separator'],
      ['\\', 'separator'],
      ['--judge', 'propertyName'],
      ['"rule x"', 'string'],
      ['# so', 'comment'],
      ['%kg', 'string.special'],
      ['open', 'keyword'],
      ['{{g}}', 'variableName.special']
    ]);
  });
});

/** Each token's text and kind, as the editor colours them. */
function tokens(parser: Parameters<typeof belowTheMagic>[0], source: string): [string, string][] {
  return pieces(StreamLanguage.define(belowTheMagic(parser)), source);
}

function pieces(language: StreamLanguage<unknown>, source: string): [string, string][] {
  const tree = language.parser.parse(source);
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
    const found = tokens(sparqlMode, '%%sparql --limit 5\nSELECT ?hut { ?hut a :Hut ; :at <http://x/"> }');
    expect(found.slice(0, 3)).toEqual([
      ['%%sparql --limit 5', 'string.special'],
      ['SELECT', 'keyword'],
      ['?hut', 'variableName.special']
    ]);
    expect(found).toContainEqual([':Hut', 'propertyName']);
    expect(found).toContainEqual(['<http://x/">', 'propertyName']);
  });
});

describe('Turtle', () => {
  it('has names, numbers and texts in one piece each', () => {
    const found = tokens(turtleMode, "%%turtle\nid:lac-d.a a :Hut ; :note 'an \\'a\\''@fr, 1.5e3 . id:b.");
    for (const whole of ['id:lac-d.a', ':Hut', ':note', 'id:b']) {
      expect(found).toContainEqual([whole, 'propertyName']);
    }
    expect(found).toContainEqual(['a', 'variableName.standard']);
    expect(found).toContainEqual(["'an \\'a\\''", 'string']);
    expect(found).toContainEqual(['@fr', 'string.special']);
    expect(found).toContainEqual(['1.5e3', 'separator']);
  });

  it('goes on with a text until its three marks come again', () => {
    const found = tokens(turtleMode, '%%turtle\n:a :b """one # no remark\n"two" :c\n""" ; :d :e .');
    expect(found.filter(([, kind]) => kind === 'string').map(([text]) => text)).toEqual([
      '"""one # no remark',
      '"two" :c',
      '"""'
    ]);
    expect(found).toContainEqual([':d', 'propertyName']);
    expect(found.map(([, kind]) => kind)).not.toContain('comment');
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
