/**
 * CodeMirror's mode for Turtle and TriG.
 */

import type { StreamParser, StringStream } from '@codemirror/language';

const NAME = 'propertyName';
const PLAIN = 'separator';

export interface TurtleState {
  /** The quotation mark of an open multi-line text. */
  quote: string | null;
  depth: number;
  /** Whether a statement is open. */
  begun: boolean;
}

// Tried in this order. A dot ends a name only where the name cannot continue.
const TURTLE: readonly (readonly [RegExp, string])[] = [
  [/^#.*/, 'comment'],
  [/^<(?:[^<>"{}|^`\\\s]|\\u[\da-f]{4}|\\U[\da-f]{8})*>/i, NAME],
  [/^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/, 'string'],
  [/^@(?:prefix|base|version)\b/i, 'keyword'],
  [/^@[a-z]+(?:-[a-z\d]+)*(?:--(?:ltr|rtl))?/i, 'string.special'],
  [
    /^(?:[a-z_\u{c0}-\u{10ffff}][\w.\u{b7}-\u{10ffff}-]*)?:(?:[\w:\u{b7}-\u{10ffff}-]|%[\da-f]{2}|\\.|\.(?=[\w:.%\\\u{b7}-\u{10ffff}-]))*/iu,
    NAME
  ],
  [/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\b/i, PLAIN],
  [/^(?:prefix|base|version|graph)\b/i, 'keyword'],
  [/^(?:true|false)\b/, 'keyword'],
  [/^a(?![\w:-])/, 'variableName.standard'],
  [/^\^\^/, 'operator']
];
const LONG_QUOTE = /^(?:"""|''')/;

/** Turtle and TriG. */
export const turtleMode: StreamParser<TurtleState> = {
  name: 'turtle',
  languageData: { commentTokens: { line: '#' } },
  startState: () => ({ quote: null, depth: 0, begun: false }),
  token: (stream, state) => {
    if (state.quote !== null) {
      return restOfText(stream, state);
    }
    if (stream.eatSpace()) {
      return null;
    }
    const long = stream.match(LONG_QUOTE);
    if (long) {
      state.quote = stream.current();
      return restOfText(stream, state);
    }
    for (const [pattern, style] of TURTLE) {
      if (stream.match(pattern)) {
        state.begun ||= style !== 'comment';
        return style;
      }
    }
    const mark = stream.next() ?? '';
    if ('[({'.includes(mark)) {
      state.depth += 1;
    } else if ('])}'.includes(mark)) {
      state.depth = Math.max(0, state.depth - 1);
    } else if (mark === '.' && state.depth === 0) {
      state.begun = false;
    }
    return PLAIN;
  },
  indent: (state, after, context) => {
    const closing = /^\s*[\])}]/.test(after) ? 1 : 0;
    return Math.max(0, state.depth - closing + (state.begun && after.trim() !== '.' ? 1 : 0)) * context.unit;
  }
};

function restOfText(stream: StringStream, state: TurtleState): string {
  const quote = state.quote ?? '';
  while (!stream.eol()) {
    if (stream.match(quote)) {
      state.quote = null;
      break;
    }
    if (stream.next() === '\\') {
      stream.next();
    }
  }
  return 'string';
}
