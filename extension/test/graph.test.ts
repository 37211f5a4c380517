import { beforeEach, describe, expect, it } from 'vitest';
import type { GraphState } from '../src/graph';
import { drawGraph, newGraphState } from '../src/graph';
import { readGraph } from '../src/graph-data';
import { elementsOf } from '../src/graph-drawing';
const HOSTILE = '<img src=x onerror=alert(1)>\u202e';
const DATA = {
  version: 1,
  title: `Huts ${HOSTILE}`,
  size: [400, 120],
  kinds: ['hut', HOSTILE],
  nodes: [
    ['https://huts.example.org/hochkar', 'Hochkarhaus', 0, 60, 30, HOSTILE, 1, 0],
    ['javascript:alert(1)', HOSTILE, 1, 260, 30],
    ...['c', 'd', 'e', 'f'].map((name, at) => [name, `Node ${name}`, -1, 60 * at, 90])
  ],
  edges: [
    [0, 1, 'has warden', 1],
    [1, 0, 'keeps'],
    [0, 1, 'employs'],
    [2, 2, 'knows']
  ],
  notes: [HOSTILE]
};

function graph(state: GraphState = newGraphState(), data: unknown = DATA): HTMLElement {
  const drawn = drawGraph(readGraph(data), state);
  document.body.append(drawn);
  return drawn;
}

function entry(drawn: HTMLElement, name: string): HTMLElement | undefined {
  return [...drawn.querySelectorAll<HTMLElement>('.kgnb-graph-entry')].find(each => each.textContent === name);
}

beforeEach(() => {
  document.body.replaceChildren();
});

describe('a graph', () => {
  it('shows hostile text as text and links nothing but http', () => {
    const drawn = graph();
    entry(drawn, 'Node c')?.click();
    drawn.querySelectorAll<HTMLElement>('.kgnb-graph-entry')[1]?.click();
    expect(drawn.querySelector('img')).toBeNull();
    expect(drawn.textContent).not.toContain('\u202e');
    expect(drawn.querySelectorAll('a')).toHaveLength(0);
  });

  it('tells apart long names that begin alike, and cuts wide letters at the same width', () => {
    const days = ['2025-11-03', '2025-11-04', '山小屋山小屋山小屋山小屋山小屋', 'Hochkarhaus'];
    const labels = days.map((day, at) => (at < 2 ? `weather report of the Amber station, ${day}` : day));
    const nodes = labels.map((label, at) => [`n${at}`, label, 0, 60 * at, 30]);
    const names = elementsOf(readGraph({ ...DATA, nodes, edges: [] }), new Map()).nodes.map(node =>
      String(node.data.name)
    );
    expect(names).toEqual([
      'weather report o…025-11-03',
      'weather report o…025-11-04',
      '山小屋山小屋山小…屋山小屋',
      'Hochkarhaus'
    ]);
  });

  it('tells of a node chosen in the list, and lets it go again', () => {
    const state = newGraphState();
    const drawn = graph(state);
    entry(drawn, 'Hochkarhaus')?.click();
    expect(entry(drawn, 'Hochkarhaus')?.getAttribute('aria-pressed')).toBe('true');
    expect(drawn.querySelector('.kgnb-graph-about')?.textContent).toContain('has warden →');
    expect(graph(state).querySelectorAll('[aria-pressed=true].kgnb-graph-entry')).toHaveLength(1);
    entry(drawn, 'Hochkarhaus')?.click();
    expect(drawn.querySelector('.kgnb-graph-about')?.textContent).toBe('');
  });

  it('draws what lies beyond once a neighbour is opened, and only the rest after that', () => {
    const beyond = { nodes: [['g', 'Node g', 0]], edges: [[0, 6, 'near']] };
    const state = newGraphState();
    const drawn = graph(state, { ...DATA, beyond });
    const count = (): number => elementsOf(readGraph({ ...DATA, beyond }), state.places).nodes.length;
    expect(count()).toBe(6);
    entry(drawn, 'Hochkarhaus')?.click();
    drawn.querySelector<HTMLElement>('.kgnb-graph-more')?.click();
    expect(count()).toBe(7);
    expect(drawn.querySelector('.kgnb-graph-more')).toBeNull();
  });

  it('hides a kind and shows it again', () => {
    const drawn = graph();
    const hut = drawn.querySelector<HTMLElement>('.kgnb-graph-kind');
    hut?.click();
    expect(hut?.getAttribute('aria-pressed')).toBe('false');
    expect(entry(drawn, 'Hochkarhaus')?.closest('li')?.hidden).toBe(true);
    hut?.click();
    expect(entry(drawn, 'Hochkarhaus')?.closest('li')?.hidden).toBe(false);
  });

  it('finds nodes by a part of their name', () => {
    const drawn = graph();
    const field = drawn.querySelector<HTMLInputElement>('input[type=search]');
    if (field) {
      field.value = 'hochk';
      field.dispatchEvent(new Event('input'));
    }
    expect(drawn.querySelectorAll('li:not([hidden])')).toHaveLength(1);
  });

  it('is shrunk into a frame, unless it is read down the page', () => {
    const heightOf = (size: number[]): string | undefined =>
      graph(newGraphState(), { ...DATA, size }).querySelector<HTMLElement>('.kgnb-graph-frame')?.style.height;
    expect(heightOf([2000, 1300])).toBe('560px');
    expect(heightOf([500, 1300])).toBe('1300px');
  });

  it('says what is wrong with data that is no graph', () => {
    expect(() => readGraph({ ...DATA, edges: [[0, 99, 'x']] })).toThrow('edges[0] ends at a node that is not there');
    expect(() => readGraph({ ...DATA, version: 2 })).toThrow('version 2');
    expect(graph(newGraphState(), { version: 1 }).querySelectorAll('.kgnb-graph-entry')).toHaveLength(0);
  });
});
