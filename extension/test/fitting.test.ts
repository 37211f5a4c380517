// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { fitting, plainLetters } from '../src/query-completions';

const ITEMS = [
  { insertText: ':StaffedHut', label: ':StaffedHut  bewirtschaftete Hütte', type: 'class' },
  { insertText: ':Hut', label: ':Hut  Hütte <b>(alt)</b>', type: 'class' },
  { insertText: ':Route', label: ':Route  Weg', type: 'class' },
  { insertText: ':Hut', label: ':Hut', type: 'text' }
];

const offered = (query: string): (string | undefined)[] => fitting(ITEMS, query).map(item => item.insertText);

describe('what is offered in a query', () => {
  it('is found in any case, with and without accents, in the order of the kernel', () => {
    for (const query of ['hütte', 'HÜTTE', 'Hutte', 'hUTTE']) {
      expect(offered(query)).toEqual([':StaffedHut', ':Hut']);
    }
    expect(offered(':HUT')).toEqual([':Hut']);
    expect(offered('')).toEqual([':StaffedHut', ':Hut', ':Route']);
    expect(offered('glacier')).toEqual([]);
  });

  it('marks what was found, and leaves no markup of the graph in it', () => {
    expect(fitting(ITEMS, 'hutte')[1]?.label).toBe(':Hut  <mark>Hütte</mark> &lt;b&gt;(alt)&lt;/b&gt;');
    expect(fitting([{ label: '<img onerror=x>' }], 'img')[0]).toEqual({
      label: '&lt;<mark>img</mark> onerror=x&gt;',
      insertText: '<img onerror=x>'
    });
  });

  it('is compared letter by letter, so that places stay the same', () => {
    for (const text of ['İstanbul', 'straße', 'ﬁne', '🏔️ Hütte', '한국']) {
      expect(plainLetters(text)).toHaveLength(text.length);
    }
  });
});
