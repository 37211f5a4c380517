// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { NOTHING, readPanel } from '../src/panel-data';
import type { PanelState, Hint, PanelActions } from '../src/panel-drawing';
import { drawPanel, lineToOpen } from '../src/panel-drawing';
import { choicesFrom, DEFAULTS } from '../src/preferences';
import { fromCodePoints, readOffers, toCodePoints } from '../src/query-completions';

const HOSTILE = '<img src=x onerror=alert(1)>\u202e';

function actions(): PanelActions & { asked: unknown[][] } {
  const asked: unknown[][] = [];
  const note =
    (name: string) =>
    (...given: unknown[]): void => {
      asked.push([name, ...given]);
    };
  const names = [
    ...['insert', 'openGraph', 'review', 'check', 'begin', 'load', 'openRun', 'stop'],
    ...['search', 'openEntity']
  ];
  return { asked, ...(Object.fromEntries(names.map(name => [name, note(name)])) as unknown as PanelActions) };
}

const THERE: Hint = { said: '', remedy: null, notebook: true };
const fresh = (): PanelState => ({ opened: new Map(), health: new Map(), typed: '', searches: new Map() });

const SESSION = {
  version: 1,
  model: HOSTILE,
  connections: [
    {
      name: HOSTILE,
      origin: HOSTILE,
      remote: false,
      current: true,
      triples: 1200,
      classes: 2,
      properties: 1,
      holds: {
        classes: [
          { name: 'hut', count: 1234, query: '%%sparql\nSELECT ?thing WHERE { ?thing a :Hut } LIMIT 100' },
          { name: HOSTILE, count: 0, query: '%%sparql\nSELECT ?thing' }
        ],
        properties: [{ name: 'warden', count: 9, query: '%%sparql\nSELECT ?from ?to' }]
      }
    }
  ],
  agents: [
    {
      name: 'ontology_matching',
      reviews: [{ line: '%om review', waiting: 3 }],
      stages: [{ name: 'retrieve', state: 'done', counts: { entities: 12 }, seconds: 2 }]
    }
  ],
  runs: [
    {
      number: 1,
      agent: 'ontology_matching',
      state: 'running',
      step: HOSTILE,
      working: true,
      progress: { done: 3, total: 12, unit: HOSTILE },
      steps: 2,
      calls: 4,
      tokens: 900,
      usd: 0.5,
      limit: 2,
      seconds: 3
    }
  ],
  saved: [{ folder: 'a/run', name: HOSTILE }]
};

describe('the classes of a graph', () => {
  const many = Array.from({ length: 12 }, (_, at) => ({
    iri: `urn:c${at}`,
    name: `class ${at}`,
    count: 1,
    query: 'q'
  }));
  const [graph] = SESSION.connections;
  const data = readPanel({
    ...SESSION,
    connections: [{ ...graph, name: 'mine', classes: 40, holds: { classes: many, properties: [] } }]
  });

  it('are searched by the kernel, and drawn as the tree it answers', () => {
    const state = fresh();
    const told = actions();
    const search = drawPanel(data, state, told, THERE).querySelector<HTMLInputElement>('[type=search]');
    expect(search?.getAttribute('aria-label')).toBe('Find a class');
    if (search) {
      search.value = 'hut';
      search.dispatchEvent(new Event('input'));
    }
    expect(told.asked).toEqual([['search', 'mine', 'classes', 'hut']]);
    const found = [
      { iri: 'urn:building', name: 'building', count: 0, query: 'q', depth: 0 },
      { iri: 'urn:hut', name: 'hut', count: 3, query: 'q', depth: 1 }
    ];
    state.searches.set('classes mine', { text: 'hut', found });
    const lines = drawPanel(data, state, told, THERE).querySelectorAll<HTMLElement>('.kgnb-panel-term');
    expect([...lines].map(line => [line.textContent, line.style.paddingLeft])).toEqual([
      ['building', '0px'],
      ['hut3', '12px']
    ]);
    lines[1]?.querySelector<HTMLElement>('.kgnb-panel-page')?.click();
    expect(told.asked.at(-1)).toEqual(['openEntity', 'urn:hut']);
  });
});

describe('the panel', () => {
  it('shows hostile names as text', () => {
    const drawn = drawPanel(readPanel(SESSION), fresh(), actions(), { ...THERE, said: HOSTILE });
    expect(drawn.querySelector('img')).toBeNull();
    expect(drawn.textContent).toContain('<img src=x');
    expect(drawn.textContent).not.toContain('\u202e');
  });

  it('shows what a stage did, what waits, and what a run costs while it goes on', () => {
    const done = actions();
    const drawn = drawPanel(readPanel(SESSION), fresh(), done, THERE);
    for (const said of [
      '12\u00a0entities · 2.0\u00a0s',
      '3 questions wait',
      'Tokens900',
      '$0.50 of $2.00',
      '3 of 12',
      '1,200 triples'
    ]) {
      expect(drawn.textContent).toContain(said);
    }
    drawn.querySelector<HTMLButtonElement>('[aria-label="Stop this run"]')?.click();
    drawn.querySelector<HTMLButtonElement>('[aria-label="Insert a cell: %om store"]')?.click();
    drawn.querySelector<HTMLButtonElement>('[aria-label="Answer what waits: %om review"]')?.click();
    expect(done.asked).toEqual([['stop'], ['insert', '%om store'], ['review', '%om review']]);
    const bar = drawn.querySelector('[role=progressbar]');
    expect([bar?.getAttribute('aria-valuenow'), bar?.getAttribute('aria-valuemax')]).toEqual(['3', '12']);
  });

  it('shows classes and relations with their counts, and a press asks for what is in one', () => {
    const done = actions();
    const drawn = drawPanel(readPanel(SESSION), fresh(), done, THERE);
    const hut = drawn.querySelector<HTMLButtonElement>('[aria-label="Insert a query for hut"]');
    expect(hut?.textContent).toBe('hut1,234');
    hut?.click();
    drawn.querySelector<HTMLButtonElement>('[aria-label="Insert a query for warden"]')?.click();
    expect(done.asked.map(([what, line]) => [what, String(line).split('\n')[1]])).toEqual([
      ['insert', 'SELECT ?thing WHERE { ?thing a :Hut } LIMIT 100'],
      ['insert', 'SELECT ?from ?to']
    ]);
  });

  it('opens a file and connects to a service by what is typed, by Enter too', () => {
    const done = actions();
    const state = fresh();
    const drawn = drawPanel(NOTHING, state, done, THERE);
    const input = drawn.querySelector<HTMLInputElement>('.kgnb-panel-input');
    if (input) {
      input.value = 'my huts.ttl';
      input.dispatchEvent(new Event('input'));
      expect(drawPanel(NOTHING, state, done, THERE).querySelector('input')?.value).toBe('my huts.ttl');
      input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
    }
    expect(done.asked).toEqual([['openGraph', 'my huts.ttl']]);
    expect(lineToOpen('my huts.ttl')).toBe('%kg open "my huts.ttl"');
    expect(lineToOpen(' huts:graph\n%sx')).toBe('%kg open huts:graph%sx');
    expect(lineToOpen('https://query.wikidata.org/sparql')).toBe('%kg connect https://query.wikidata.org/sparql');
    expect(lineToOpen('https://huts.example/huts.ttl')).toBe('%kg open https://huts.example/huts.ttl');
  });

  it('draws the agents of other packages after ours, hostile words as text', () => {
    const stage = { name: 'check_labels', line: '%labels check_labels', help: HOSTILE };
    const described = [
      { agent: 'label_quality', title: 'Label quality', start: { ...stage, name: 'start' }, stages: [stage] }
    ];
    const drawn = drawPanel(readPanel({ ...SESSION, described }), fresh(), actions(), THERE);
    expect(drawn.textContent).toContain('Label quality');
    expect(drawn.textContent).toContain('check_labels');
    expect(drawn.querySelector('img')).toBeNull();
  });

  it('shows a run that was stopped as stopped, and a price nobody knows as not known', () => {
    const [run] = SESSION.runs;
    const runs = [{ ...run, state: 'cancelled', working: false, progress: null, usd: null, limit: null }];
    const drawn = drawPanel(readPanel({ ...SESSION, runs }), fresh(), actions(), THERE);
    expect(drawn.textContent).toContain('cancelled');
    expect(drawn.textContent).toContain('Costnot known');
    expect(drawn.querySelector('[aria-label="Stop this run"], [role=progressbar]')).toBeNull();
  });

  it('offers a notebook where there is none, and no line to write into it', () => {
    const done = actions();
    const hint: Hint = { said: 'Open a notebook.', remedy: 'begin', notebook: false };
    const drawn = drawPanel(NOTHING, fresh(), done, hint);
    const buttons = [...drawn.querySelectorAll<HTMLButtonElement>('.kgnb-panel-button')];
    buttons.forEach(one => {
      one.click();
    });
    expect(done.asked).toEqual([['begin']]);
    expect(buttons.filter(one => !one.disabled).map(one => one.textContent)).toEqual(['New KG notebook']);
  });

  it('remembers what a person folded', () => {
    const state = fresh();
    const head = (): HTMLButtonElement | undefined =>
      [...drawPanel(NOTHING, state, actions(), THERE).querySelectorAll('button')].find(
        one => one.textContent === 'Entity alignment'
      );
    expect(head()?.getAttribute('aria-expanded')).toBe('false');
    head()?.click();
    expect(head()?.getAttribute('aria-expanded')).toBe('true');
  });

  it('refuses what it does not know', () => {
    expect(() => readPanel({ ...SESSION, version: 2 })).toThrow('version 2');
    expect(() => readPanel({ ...SESSION, runs: 7 })).toThrow('runs');
  });
});

describe('offers of the kernel', () => {
  it('count characters as Python does', () => {
    const source = '🏔 hütt';
    expect(toCodePoints(source, source.length)).toBe(6);
    expect(fromCodePoints(source, 6)).toBe(source.length);
  });

  it('carry the label they were found by, on one line and without what hides', () => {
    const answer = { start: 2, end: 6, items: [{ text: ':Hut', kind: 'class', label: 'Hütte\n(\u202ealt)' }] };
    const found = readOffers(answer, '🏔 hütt');
    expect(found.items[0]).toEqual({ insertText: ':Hut', type: 'class', label: ':Hut  Hütte ↵ (⟨U+202E⟩alt)' });
    expect([found.start, found.end]).toEqual([3, 7]);
  });
});

describe('choices', () => {
  it('fall back to what holds by default', () => {
    expect(choicesFrom({})).toEqual(DEFAULTS);
    expect(choicesFrom({ highlightCells: 'no', rowsPerPage: 33, completeQueries: false })).toEqual({
      ...DEFAULTS,
      completeQueries: false
    });
  });
});
