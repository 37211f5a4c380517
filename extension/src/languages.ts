/**
 * SPARQL and Turtle as editor languages: for files, and for cells that begin with ``%%sparql`` or ``%%turtle``.
 */

import { LanguageSupport, StreamLanguage } from '@codemirror/language';
import type { IEditorLanguage, IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { magicMime } from './magic-cell';
import { belowTheMagic } from './magic-parser';
import { sparqlMode, turtleMode } from './rdf-modes';

type Languages = Pick<IEditorLanguageRegistry, 'addLanguage' | 'findByMIME'>;

const FILES: readonly IEditorLanguage[] = [
  {
    name: 'SPARQL',
    mime: 'application/sparql-query',
    extensions: ['rq', 'sparql'],
    load: () => Promise.resolve(new LanguageSupport(StreamLanguage.define(sparqlMode)))
  },
  {
    name: 'Turtle',
    mime: 'text/turtle',
    extensions: ['ttl'],
    load: () => Promise.resolve(new LanguageSupport(StreamLanguage.define(turtleMode)))
  }
];

const CELLS: readonly IEditorLanguage[] = [
  {
    name: 'kgnb SPARQL cell',
    displayName: 'SPARQL cell',
    mime: magicMime('sparql'),
    load: () => Promise.resolve(new LanguageSupport(StreamLanguage.define(belowTheMagic(sparqlMode))))
  },
  {
    name: 'kgnb Turtle cell',
    displayName: 'Turtle cell',
    mime: magicMime('turtle'),
    load: () => Promise.resolve(new LanguageSupport(StreamLanguage.define(belowTheMagic(turtleMode))))
  }
];

/** Adds what the registry lacks: a JupyterLab that knows a language keeps its own. */
export function addLanguages(registry: Languages): void {
  for (const language of [...FILES, ...CELLS]) {
    if (!registry.findByMIME(language.mime)) {
      registry.addLanguage(language);
    }
  }
}
