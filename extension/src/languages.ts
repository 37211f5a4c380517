/**
 * SPARQL and Turtle as editor languages: for files, and for cells that begin with ``%%sparql`` or ``%%turtle``. Cells
 * of line magics alone have a language of their own as well.
 */

import type { StreamParser } from '@codemirror/language';
import { LanguageSupport, StreamLanguage } from '@codemirror/language';
import { sparql } from '@codemirror/legacy-modes/mode/sparql';
import type { IEditorLanguage, IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { Extension } from '@codemirror/state';
import { checked, faultsInTree, faultsInTurtle, faultsInXml } from './checking';
import type { MagicLanguage } from './magic-cells';
import { CONTINUED, magicMime } from './magic-cells';
import { turtleMode } from './turtle-mode';

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

type Languages = Pick<IEditorLanguageRegistry, 'addLanguage' | 'findByMIME' | 'getLanguages'>;

interface FileLanguage extends IEditorLanguage {
  readonly mime: string;
  readonly mode: StreamParser<unknown>;
  readonly check?: Extension;
}

const TURTLE_CHECK = checked(faultsInTurtle);

const FILES: readonly FileLanguage[] = [
  { name: 'SPARQL', mime: 'application/sparql-query', extensions: ['rq', 'sparql'], mode: sparqlMode },
  { name: 'Turtle', mime: 'text/turtle', extensions: ['ttl', 'turtle'], mode: turtleMode, check: TURTLE_CHECK },
  { name: 'TriG', mime: 'application/trig', extensions: ['trig'], mode: turtleMode, check: TURTLE_CHECK },
  { name: 'Notation3', mime: 'text/n3', extensions: ['n3'], mode: turtleMode }
];

const XML = 'application/xml';
const JSON_MIME = 'application/json';
const RDF_XML = { name: 'RDF/XML', mime: 'application/rdf+xml', extensions: ['rdf', 'rdfs', 'owl', 'owx'] };
const looked = new WeakSet<IEditorLanguage>();

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
  for (const { mode, check = [], ...language } of FILES) {
    const support = new LanguageSupport(StreamLanguage.define(mode), check);
    const known = registry.findByMIME(language.mime);
    if (known) {
      known.support = support;
    } else {
      registry.addLanguage({ ...language, support });
    }
  }
  const xml = registry.findByMIME(XML);
  if (xml && !registry.getLanguages().some(({ name }) => name === RDF_XML.name)) {
    registry.addLanguage({ ...RDF_XML, load: async () => withCheck(await loaded(xml), checked(faultsInXml)) });
  }
  const json = registry.findByMIME(JSON_MIME);
  lookThrough(registry.findByMIME('application/n-triples'), () =>
    Promise.resolve(checked(text => faultsInTurtle(text, true)))
  );
  lookThrough(registry.findByMIME('application/ld+json'), async () => {
    const grammar = json && (await loaded(json)).language;
    return grammar ? checked(text => faultsInTree(grammar, text)) : [];
  });
  for (const language of CELLS) {
    if (!registry.findByMIME(language.mime)) {
      registry.addLanguage(language);
    }
  }
}

/** Adds a check to a language that JupyterLab has, once. */
function lookThrough(known: IEditorLanguage | null, check: () => Promise<Extension>): void {
  if (known && !looked.has(known)) {
    looked.add(known);
    const plain = known.load?.bind(known);
    Object.assign(known, { load: async () => withCheck(await loaded(known, plain), await check()) });
  }
}

/** What a language of JupyterLab's colours by. */
async function loaded(known: IEditorLanguage, load = known.load?.bind(known)): Promise<LanguageSupport> {
  const found = known.support ?? (await load?.());
  if (!found) {
    throw new Error(`JupyterLab has no colours for ${known.name}`);
  }
  return found;
}

function withCheck({ language, support }: LanguageSupport, check: Extension): LanguageSupport {
  return new LanguageSupport(language, [support, check]);
}
