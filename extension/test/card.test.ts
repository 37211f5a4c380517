import { expect, it } from 'vitest';
import { drawCard, readCard } from '../src/card';
import { newGraphState } from '../src/graph';
const HOSTILE = '<img src=x onerror=alert(1)>\u202e';
const CARD = {
  version: 1,
  title: HOSTILE,
  answers: [{ iri: 'javascript:alert(1)', label: HOSTILE }, 'No', 64],
  large: 2,
  total: 3,
  said: 'answered, confidence 0.99',
  notes: [`Looked for ${HOSTILE}`],
  picture: null,
  query: 'ASK { ?s ?p ?o }',
  facts: [HOSTILE]
};

it('shows the answer large, and the query and the reasons behind folds', () => {
  const drawn = drawCard(readCard(CARD), newGraphState());
  expect(drawn.querySelectorAll('.kgnb-card-answer > .kgnb-card-value')).toHaveLength(2);
  const folds = [...drawn.querySelectorAll('details')];
  expect(folds.map(one => one.querySelector('summary')?.textContent)).toEqual([
    'Show 1 more',
    'SPARQL',
    'How it was found'
  ]);
  expect(folds.some(one => one.open)).toBe(false);
  expect(folds[1]?.querySelector('button')?.textContent).toBe('Copy');
  expect(drawn.querySelector('img, a[href^=javascript]')).toBeNull();
  expect(drawn.textContent).not.toContain('\u202e');
});

it('says so where there is no answer, and folds nothing that is empty', () => {
  const drawn = drawCard(readCard({ ...CARD, answers: [], total: 0, query: '', facts: [] }), newGraphState());
  expect(drawn.querySelector('.kgnb-card-answer')?.textContent).toBe('No answer');
  expect(drawn.querySelector('details')).toBeNull();
});

it('refuses what is no card', () => {
  expect(() => readCard({ ...CARD, version: 2 })).toThrow('version 2');
  expect(() => readCard({ ...CARD, answers: 7 })).toThrow('answers');
});
