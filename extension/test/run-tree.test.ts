import { describe, expect, it } from 'vitest';
import fixture from '../../tests/fixtures/run.json';
import type { RunData } from '../src/run';
import { readRun, timeline } from '../src/run';
import { filterTree, runTree } from '../src/run-tree';

// A run as Python writes it is a run as TypeScript reads it: the compiler checks it here.
const run: RunData = fixture;

function keys(nodes: ReturnType<typeof runTree>): string[] {
  const below = (node: (typeof nodes)[number]): string[] => [node.key, ...node.children.flatMap(below)];
  return nodes.flatMap(below);
}

describe('a run', () => {
  it('is read with nothing lost', () => {
    const read = readRun(fixture);
    const none = { calls: 0, judgements: 0, unsure: 0, queries: 0 };
    const steps = fixture.steps.map(step => ({ ...step, left_out: none }));
    expect(read).toEqual({ ...fixture, steps, left_out: { steps: 0 } });
  });

  it('may lack whatever has not happened yet', () => {
    const read = readRun({ version: 1, agent: 'ontology_matching', steps: [{ name: 'retrieve' }] });
    expect(read.state).toBe('running');
    expect(read.steps[0]).toMatchObject({ name: 'retrieve', state: 'running', calls: [], seconds: null, error: null });
  });

  it.each([
    ['text', 'the run is not an object'],
    [{ version: 7 }, 'version 7'],
    [{ version: 1, steps: 'none' }, 'steps is not a list'],
    [{ version: 1, steps: [{ calls: [3] }] }, 'steps[0].calls[0] is not an object']
  ])('%j says where it is wrong', (data, message) => {
    expect(() => readRun(data)).toThrow(message);
  });
});

describe('the tree of a run', () => {
  const nodes = runTree(run);

  it('groups what a step did, unless it did one kind of thing', () => {
    expect(nodes.map(node => node.children.map(child => child.kind))).toEqual([
      ['query'],
      ['query'],
      ['group', 'group'],
      []
    ]);
  });

  it('finds a judgement and keeps the way to it', () => {
    expect(keys(filterTree(nodes, { search: 'look AFTER', attention: false, kind: null }))).toEqual([
      'step 2',
      'step 2 judgements',
      'step 2 judgement 0'
    ]);
  });

  it('keeps what needs a look', () => {
    expect(keys(filterTree(nodes, { search: '', attention: true, kind: null }))).toEqual([
      'step 2',
      'step 2 judgements',
      'step 2 judgement 2',
      'step 2 calls',
      'step 2 call 2',
      'step 3'
    ]);
  });
});

describe('the line of time', () => {
  it('places each step after the one before', () => {
    const places = timeline(run.steps);
    expect(places.map(place => place.length)).toEqual([0, 0.75 / 2.75, 1.75 / 2.75, 0.25 / 2.75]);
    expect(places[3]?.start).toBeCloseTo(2.5 / 2.75);
  });

  it('is empty while nothing has a time', () => {
    expect(timeline(run.steps.map(step => ({ ...step, seconds: null })))[0]).toEqual({ start: 0, length: 0 });
  });
});
