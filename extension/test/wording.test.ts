import { describe, expect, it } from 'vitest';
import {
  linkTarget,
  oneLine,
  visible,
  formatMoney,
  formatNumber,
  formatPercent,
  formatSeconds,
  shortIri
} from '../src/wording';

describe('wording is that of kgnb/results/wording.py', () => {
  it.each([
    ['http://www.w3.org/2000/01/rdf-schema#label', 'rdfs:label'],
    ['http://www.w3.org/2002/07/owl#', '…/owl#'],
    ['https://huts.example.org/alps#Hut', '…#Hut'],
    ['https://huts.example.org/alps/Hut/', '…/Hut/'],
    ['https://huts.example.org', 'https://huts.example.org'],
    ['urn:uuid:12', '…:12'],
    ['javascript:alert(1)', 'javascript:alert(1)'],
    ['', '']
  ])('shortens %s', (iri, short) => {
    expect(shortIri(iri)).toBe(short);
  });

  it.each([
    [0, '0'],
    [-0, '0'],
    [9999, '9999'],
    [-12345, '-12,345'],
    [1234567, '1,234,567'],
    [0.5, '0.500'],
    [12345.678, '12,345.678'],
    [0.0004, '4.00e-04'],
    [1e300, '1.00e+300'],
    [Infinity, '∞'],
    [NaN, 'not a number']
  ])('writes %d', (value, written) => {
    expect(formatNumber(value)).toBe(written);
  });

  it('gives a whole number decimals where its column has them', () => {
    expect(formatNumber(3, true)).toBe('3.000');
    expect(formatNumber(30000, true)).toBe('30,000.000');
  });

  it.each([
    [0, '0 ms'],
    [0.99949, '999 ms'],
    [0.9996, '1.0 s'],
    [59.96, '1 min 00 s'],
    [3599.6, '1 h 00 min'],
    [7265, '2 h 01 min']
  ])('writes %d seconds', (value, written) => {
    expect(formatSeconds(value)).toBe(written);
  });

  it('writes shares, money and counts', () => {
    expect(formatPercent(0.8333)).toBe('83.3 %');
    expect([0, 0.0001, 0.5, 1234.5].map(formatMoney)).toEqual(['$0', '$0.0001', '$0.50', '$1,234.50']);
  });
});

describe('text from outside', () => {
  it('has every character that hides or reorders others written out', () => {
    expect(visible('txt\u202eexe\u0000\u{e0041}\ud800')).toBe('txt⟨U+202E⟩exe⟨U+0000⟩⟨U+E0041⟩⟨U+D800⟩');
    expect(visible('کتاب\u200cها 👩\u200d🚀')).toBe('کتاب\u200cها 👩\u200d🚀');
  });

  it('fits on one line', () => {
    expect(oneLine('a hut\r\n  on a\tpass ')).toBe('a hut ↵ on a pass');
  });

  it.each(['javascript:alert(1)', ' javascript:x', 'data:text/html,x', '//evil', 'https://', 'https://a/\u202e', ''])(
    'is no link: %j',
    iri => {
      expect(linkTarget(iri)).toBeNull();
    }
  );

  it.each(['http://a.example/', 'HTTPS://a.example/Hütte#1', 'mailto:warden@huts.example.org'])(
    'is a link: %s',
    iri => {
      expect(linkTarget(iri)).toBe(iri);
    }
  );
});
