import { describe, expect, it } from 'vitest';
import { relativeTo } from '../src/notebooks';

describe('a file as its notebook sees it', () => {
  it.each([
    ['', 'a.ttl', 'a.ttl'],
    ['books', 'books/a.ttl', 'a.ttl'],
    ['books', 'data/a.ttl', '../data/a.ttl'],
    ['books/one', 'books/two/my graph.ttl', '../two/my graph.ttl'],
    ['data', 'data/deep/a.ttl', 'deep/a.ttl']
  ])('from %j, %j is %j', (folder, path, seen) => {
    expect(relativeTo(folder, path)).toBe(seen);
  });
});
