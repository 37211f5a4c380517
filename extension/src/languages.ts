/**
 * SPARQL and Turtle as editor languages: for files, and for cells that begin with ``%%sparql`` or ``%%turtle``. Cells
 * of line magics alone have a language of their own as well.
 */

import type { StreamParser, StringStream } from '@codemirror/language';
import { LanguageSupport, StreamLanguage } from '@codemirror/language';
import { sparql } from '@codemirror/legacy-modes/mode/sparql';
import type { IEditorLanguage, IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { MagicLanguage } from './magic-cells';
import { CONTINUED, magicMime } from './magic-cells';

const NAME = 'propertyName';
const PLAIN = 'separator';
const RECOLOURED: Readonly<Record<string, string>> = {
  atom: NAME,
  bracket: PLAIN,
  builtin: 'variableName.standard',
  meta: 'string.special',
  'variableName.local': 'variableName.special'
};

/** CodeMirror's SPARQL mode with other colours. */
export const sparqlMode: StreamParser<unknown> = {
  ...sparql,
  languageData: { ...sparql.languageData, commentTokens: { line: '#' } },
  token: (stream, state) => {
    const style = sparql.token(stream, state);
    return style === null ? null : (RECOLOURED[style] ?? style);
  }
};

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
  [/^<[^<>"{}|^`\\\s]*>/, NAME],
  [/^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/, 'string'],
  [/^@(?:prefix|base)\b/i, 'keyword'],
  [/^@[a-z]+(?:-[a-z\d]+)*(?:--(?:ltr|rtl))?/i, 'string.special'],
  [
    /^(?:[\p{L}_][\p{L}\p{N}\p{M}_.·‿⁀-]*)?:(?:(?:[\p{L}\p{N}\p{M}_:·‿⁀-]|%[\da-f]{2}|\\.|\.(?=[\p{L}\p{N}_:.%\\-]))*)/iu,
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

export interface MagicState<State> {
  begun: boolean;
  inner: State;
}

/** A parser that skips the first line and leaves the others to ``inner``. */
export function belowTheMagic<State>(inner: StreamParser<State>): StreamParser<MagicState<State>> {
  return {
    ...(inner.name === undefined ? {} : { name: `${inner.name} cell` }),
    ...(inner.languageData ? { languageData: inner.languageData } : {}),
    startState: unit => ({ begun: false, inner: inner.startState?.(unit) ?? ({} as State) }),
    copyState: state => ({ begun: state.begun, inner: inner.copyState?.(state.inner) ?? { ...state.inner } }),
    token: (stream, state) => {
      if (!state.begun) {
        state.begun = true;
        stream.skipToEnd();
        return 'string.special';
      }
      return inner.token(stream, state.inner);
    },
    blankLine: (state, unit) => inner.blankLine?.(state.inner, unit),
    indent: (state, after, context) => (state.begun ? (inner.indent?.(state.inner, after, context) ?? null) : null)
  };
}

export interface LineState {
  /** The next part: the magic, its verb, or words. */
  place: 'magic' | 'verb' | 'words';
  /** Whether the next line continues this one. */
  continued: boolean;
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/, 'string'],
  [/^--?[A-Za-z][\w-]*/, 'propertyName'],
  [/^\{\{.*?\}\}/, 'variableName.special']
];

/** The magic, its verb, options, texts and values in braces, in colours that the RDF modes use too. */
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
    const known = WORDS.find(([pattern]) => stream.match(pattern));
    if (known) {
      state.place = known[1] === 'string' ? 'words' : state.place;
      return known[1];
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

type Languages = Pick<IEditorLanguageRegistry, 'addLanguage' | 'findByMIME'>;

interface FileLanguage extends IEditorLanguage {
  readonly mime: string;
  readonly mode: StreamParser<unknown>;
}

const FILES: readonly FileLanguage[] = [
  { name: 'SPARQL', mime: 'application/sparql-query', extensions: ['rq', 'sparql'], mode: sparqlMode },
  { name: 'Turtle', mime: 'text/turtle', extensions: ['ttl'], mode: turtleMode }
];

const cellLanguage = <State>(
  language: MagicLanguage,
  displayName: string,
  mode: StreamParser<State>
): IEditorLanguage => ({
  name: `kgnb ${displayName}`,
  displayName,
  mime: magicMime(language),
  load: () => Promise.resolve(new LanguageSupport(StreamLanguage.define(mode)))
});

const CELLS: readonly IEditorLanguage[] = [
  cellLanguage('sparql', 'SPARQL cell', belowTheMagic(sparqlMode)),
  cellLanguage('turtle', 'Turtle cell', belowTheMagic(turtleMode)),
  cellLanguage('magics', 'Magics', magicLines)
];

/**
 * Adds what the registry lacks, and gives the languages of files our modes: JupyterLab's own draw a Turtle name as a
 * comment and IRIs too pale to read.
 */
export function addLanguages(registry: Languages): void {
  for (const { mode, ...language } of FILES) {
    const support = new LanguageSupport(StreamLanguage.define(mode));
    const known = registry.findByMIME(language.mime);
    if (known) {
      known.support = support;
    } else {
      registry.addLanguage({ ...language, support });
    }
  }
  for (const language of CELLS) {
    if (!registry.findByMIME(language.mime)) {
      registry.addLanguage(language);
    }
  }
}
