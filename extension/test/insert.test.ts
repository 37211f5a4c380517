// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { EVENT, listen } from '../src/notebooks';

function asking(source: unknown, known = true): { asked: [string, unknown][]; taken: boolean } {
  const asked: [string, unknown][] = [];
  const target = new EventTarget();
  listen(target, {
    hasCommand: () => known,
    execute: (id, args) => {
      asked.push([id, args]);
      return Promise.resolve();
    }
  });
  const event = new CustomEvent(EVENT, { detail: { source }, cancelable: true });
  return { asked, taken: !target.dispatchEvent(event) };
}

describe('a widget that asks for a cell', () => {
  it('gets one below, with the line in it', async () => {
    const { asked, taken } = asking('%om search --k 3');
    await Promise.resolve();
    expect(taken).toBe(true);
    expect(asked).toEqual([
      ['notebook:insert-cell-below', undefined],
      ['notebook:replace-selection', { text: '%om search --k 3' }]
    ]);
  });

  it('gets none where there is no notebook', () => {
    expect(asking('%om search', false)).toEqual({ asked: [], taken: false });
  });

  it.each([['import os'], [7], [null], ['%' + 'x'.repeat(3000)]])('gets none for %j', source => {
    expect(asking(source)).toEqual({ asked: [], taken: false });
  });
});
