/**
 * Cells of nothing but line magics, such as ``%om start a.ttl b.ttl``: which they are, and how they are coloured. A cell
 * with Python in it stays Python.
 */

import type { StreamParser } from '@codemirror/language';

// Those whose argument is Python, which is to stay coloured as such.
const TAKES_PYTHON = /^%(?:time|timeit|prun|lprun|mprun|memit|debug)\b/;
const CONTINUED = /\\\s*$/;

/** Whether every line is a line magic, a remark or blank, and one at least is a magic. */
export function isMagicLines(source: string): boolean {
  let magics = 0;
  let continued = false;
  for (const line of source.split('\n')) {
    const text = line.trim();
    if (!continued && text && !text.startsWith('#')) {
      if (!/^%[A-Za-z]/.test(text) || TAKES_PYTHON.test(text)) {
        return false;
      }
      magics += 1;
    }
    continued = CONTINUED.test(line);
  }
  return magics > 0;
}

export interface LineState {
  /** What comes next: the magic, its verb, or words. */
  place: 'magic' | 'verb' | 'words';
  /** Whether the next line goes on with this one. */
  continued: boolean;
}

/** The magic, its verb, options, texts and values in braces in a colour each; every one is used by the RDF modes too. */
export const magicLines: StreamParser<LineState> = {
  name: 'magics',
  languageData: { commentTokens: { line: '#' } },
  startState: () => ({ place: 'magic', continued: false }),
  token: (stream, state) => {
    if (stream.sol()) {
      state.place = state.continued ? state.place : 'magic';
      state.continued = CONTINUED.test(stream.string);
    }
    if (stream.eatSpace()) {
      return null;
    }
    if (state.place === 'magic') {
      if (stream.match(/^%\w+/)) {
        state.place = 'verb';
        return 'string.special';
      }
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/)) {
      state.place = 'words';
      return 'string';
    }
    if (stream.match(/^--?[A-Za-z][\w-]*/)) {
      return 'propertyName';
    }
    if (stream.match(/^\{\{.*?\}\}/)) {
      return 'variableName.special';
    }
    stream.match(/^\S[^\s"']*/);
    const verb = state.place === 'verb' && /^[a-z][a-z_]*$/.test(stream.current());
    state.place = 'words';
    return verb ? 'keyword' : 'separator';
  },
  blankLine: state => {
    state.continued = false;
  }
};
