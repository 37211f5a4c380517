import { describe, expect, it } from 'vitest';
import fixture from '../../tests/fixtures/wording.json';
import * as wording from '../src/wording';

describe('wording is that of kgnb/results, whose test reads the same table', () => {
  it.each(['formatNumber', 'formatSeconds', 'formatMoney', 'formatPercent'] as const)('%s', name => {
    for (const [value, written] of Object.entries(fixture[name])) {
      expect(wording[name](Number(value))).toBe(written);
    }
  });

  it.each(['shortIri', 'oneLine', 'visible'] as const)('%s', name => {
    for (const [text, written] of Object.entries(fixture[name])) {
      expect(wording[name](text)).toBe(written);
    }
  });

  it('gives a whole number decimals where its column has them', () => {
    expect([3, 30000].map(value => wording.formatNumber(value, true))).toEqual(['3.000', '30,000.000']);
  });

  it('links http and mail, and nothing that only looks like it', () => {
    expect(fixture.links.map(wording.linkTarget)).toEqual(fixture.links);
    expect(fixture.noLinks.filter(wording.linkTarget)).toEqual([]);
  });
});
