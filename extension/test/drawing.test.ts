import { beforeEach, describe, expect, it } from 'vitest';
import fixture from '../../tests/fixtures/run.json';
import { readRun } from '../src/run';
import { drawRun, newRunState } from '../src/runview';
import type { TableState } from '../src/table';
import { drawTable, newTableState } from '../src/table';
import { readTable } from '../src/table-data';
const HOSTILE = '<img src=x onerror=alert(1)>\u202e';

beforeEach(() => {
  document.body.replaceChildren();
});

function table(state: TableState = newTableState(), rows = 40): HTMLElement {
  const data = readTable({
    version: 1,
    caption: `Huts ${HOSTILE}`,
    columns: [
      { key: 'iri', title: HOSTILE, kind: 'iri' },
      { key: 'beds', title: 'Beds', kind: 'number' }
    ],
    rows: Array.from({ length: rows }, (_, at) => ({
      cells: [{ iri: at === 0 ? 'javascript:alert(1)' : `https://huts.example.org/${at}`, label: HOSTILE }, at % 7],
      details: at === 1 ? [[HOSTILE, HOSTILE]] : undefined
    })),
    total: 1000,
    notes: [HOSTILE]
  });
  const drawn = drawTable(data, state);
  document.body.append(drawn);
  return drawn;
}

function press(element: Element | null | undefined): void {
  element?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
}

function all(within: HTMLElement, selector: string): HTMLElement[] {
  return [...within.querySelectorAll<HTMLElement>(selector)];
}

describe('a table', () => {
  it('shows hostile text as text and links nothing but http', () => {
    const drawn = table();
    expect(drawn.querySelector('img')).toBeNull();
    expect(drawn.textContent).not.toContain('\u202e');
    expect(all(drawn, 'a').every(link => link.getAttribute('href')?.startsWith('https://'))).toBe(true);
    expect(drawn.textContent).toContain('The first 40 of 1,000 rows.');
  });

  it('holds a text as long as a book to a few lines, and shows all of it on demand', () => {
    const long = 'snow '.repeat(400);
    const drawn = drawTable(
      readTable({
        version: 1,
        caption: '',
        columns: [
          { key: 'a', title: 'a', kind: 'text' },
          { key: 'b', title: 'b', kind: 'iri' }
        ],
        rows: [
          { cells: [{ literal: long }, { iri: 'https://huts.example.org/1', label: long }], details: [['why', long]] },
          { cells: ['short', null] }
        ],
        total: 2,
        notes: []
      }),
      newTableState()
    );
    expect(all(drawn, '.kgnb-held')).toHaveLength(3);
    const [cell] = all(drawn, '.kgnb-held');
    expect(cell?.textContent).toBe(long.trim());
    const more = drawn.querySelector('.kgnb-unfold');
    press(more);
    expect(cell?.classList.contains('kgnb-unfolded')).toBe(true);
    expect([more?.textContent, more?.getAttribute('aria-expanded')]).toEqual(['Show less', 'true']);
    press(more);
    expect(cell?.classList.contains('kgnb-unfolded')).toBe(false);
  });

  it('turns pages, and keeps its place when it is drawn again', () => {
    const state = newTableState();
    const drawn = table(state);
    expect(all(drawn, '.kgnb-row')).toHaveLength(10);
    press(drawn.querySelector('.kgnb-page-right'));
    expect(drawn.querySelector('[role=status]')?.textContent).toBe('11–20 of 40');
    expect(all(table(state), '.kgnb-row')).toHaveLength(10);
  });

  it('sorts, and says so to a screen reader', () => {
    const drawn = table();
    const titles = all(drawn, 'th[aria-sort]');
    press(drawn.querySelectorAll('.kgnb-sort')[1]);
    press(drawn.querySelectorAll('.kgnb-sort')[1]);
    expect(titles.map(title => title.getAttribute('aria-sort'))).toEqual(['none', 'descending']);
    expect(drawn.querySelector('.kgnb-row')?.textContent).toContain('6');
  });

  it('filters, and says when nothing is left', () => {
    const drawn = table();
    const search = drawn.querySelector('input');
    if (search) {
      search.value = 'marmot';
      search.dispatchEvent(new Event('input'));
    }
    expect(all(drawn, '.kgnb-row')).toHaveLength(0);
    expect(drawn.textContent).toContain('Nothing matches “marmot”.');
  });

  it('opens a row', () => {
    const drawn = table();
    const opener = drawn.querySelector('.kgnb-open');
    const details = drawn.querySelector<HTMLElement>('.kgnb-detail-row');
    expect([opener?.getAttribute('aria-expanded'), details?.hidden]).toEqual(['false', true]);
    expect(opener?.getAttribute('aria-controls')).toBe(details?.id);
    press(opener);
    expect([opener?.getAttribute('aria-expanded'), details?.hidden]).toEqual(['true', false]);
  });
});

describe('a run', () => {
  function drawn(): HTMLElement {
    const run = drawRun(readRun(fixture), newRunState());
    document.body.append(run);
    return run;
  }

  function key(name: string): void {
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
  }

  function focused(): string {
    return document.activeElement?.querySelector('.kgnb-line')?.textContent ?? '';
  }

  it('is a tree one walks by keyboard', () => {
    const run = drawn();
    const items = all(run, '[role=treeitem]');
    expect(items.map(item => item.tabIndex)).toEqual([0, -1, -1, -1]);
    items[0]?.focus();
    key('ArrowDown');
    key('ArrowDown');
    expect(focused()).toContain('validate');
    key('ArrowRight');
    expect(document.activeElement?.getAttribute('aria-expanded')).toBe('true');
    key('ArrowRight');
    expect(focused()).toContain('3 judgements');
    key('Enter');
    key('ArrowDown');
    expect(focused()).toContain('class Warden');
    key('ArrowLeft');
    key('ArrowLeft');
    key('ArrowLeft');
    expect(focused()).toContain('validate');
    key('End');
    expect(focused()).toContain('merge');
    key('ArrowDown');
    key('Home');
    expect(focused()).toContain('outside');
    expect(all(run, '[tabindex="0"]')).toHaveLength(1);
  });

  it('shows an error without being opened, and hostile text as text', () => {
    const run = drawn();
    expect(run.querySelector('.kgnb-error')?.textContent).toBe('ValueError: 3 verdicts cannot be merged');
    all(run, '.kgnb-line').forEach(press);
    all(run, '.kgnb-line').forEach(line => {
      if (line.parentElement?.getAttribute('aria-expanded') === 'false') {
        press(line);
      }
    });
    expect(run.querySelector('script')).toBeNull();
    expect(run.textContent).toContain('property <script>alert(1)</script> & sleeps');
  });

  it('shows what needs a look', () => {
    const run = drawn();
    const toggle = run.querySelector('.kgnb-toggle');
    press(toggle);
    expect(toggle?.getAttribute('aria-pressed')).toBe('true');
    expect(all(run, '.kgnb-judgement')).toHaveLength(1);
    expect(all(run, '.kgnb-step')).toHaveLength(2);
  });

  it('draws ten thousand judgements a piece at a time', () => {
    const judgement = fixture.steps[2]?.judgements[0];
    const step = {
      number: 1,
      name: 'validate',
      state: 'done',
      judgements: Array.from({ length: 1000 }, () => judgement)
    };
    const left = { ...step, left_out: { judgements: 9000 } };
    const run = drawRun(readRun({ version: 1, agent: 'a', steps: [left] }), newRunState());
    expect(run.textContent).toContain('10,000 judgements');
    press(run.querySelector('.kgnb-line'));
    expect(all(run, '.kgnb-judgement')).toHaveLength(50);
    press(run.querySelector('.kgnb-more'));
    expect(all(run, '.kgnb-judgement')).toHaveLength(100);
  });
});

describe('scores', () => {
  it('set summaries and published figures apart, and draw a bar for a share', () => {
    const rows = ['case', 'summary', 'published'].map(group => ({ group, cells: [HOSTILE, 0.5] }));
    const columns = [
      { key: 'name', title: '', kind: 'text' },
      { key: 'f1', title: 'F1', kind: 'number' }
    ];
    const data = readTable({ version: 1, columns, rows, bar: 'f1', facts: ['weights 4.8'] });
    const drawn = drawTable(data, newTableState());
    expect(all(drawn, '.kgnb-new-group')).toHaveLength(2);
    expect(all(drawn, '.kgnb-bar-filled').map(filled => filled.style.width)).toEqual(['50%', '50%', '50%']);
    expect(drawn.querySelector('a, img')).toBeNull();
    expect(drawn.querySelector('details.kgnb-setting:not([open])')?.textContent).toContain('weights 4.8');
  });
});
