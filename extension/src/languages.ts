/**
 * SPARQL and Turtle as editor languages: for files, and for cells that begin with ``%%sparql`` or ``%%turtle``. Cells
 * of line magics alone have a language of their own as well.
 */

import type { StreamParser } from '@codemirror/language';
import { LanguageSupport, StreamLanguage } from '@codemirror/language';
import type { IEditorLanguage, IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { magicMime } from './magic-cell';
import { magicLines } from './magic-lines';

import { belowTheMagic, sparqlMode, turtleMode } from './rdf-modes';

type Languages = Pick<IEditorLanguageRegistry, 'addLanguage' | 'findByMIME'>;

interface FileLanguage extends IEditorLanguage {
  readonly mime: string;
  readonly mode: StreamParser<unknown>;
}

const FILES: readonly FileLanguage[] = [
  { name: 'SPARQL', mime: 'application/sparql-query', extensions: ['rq', 'sparql'], mode: sparqlMode },
  { name: 'Turtle', mime: 'text/turtle', extensions: ['ttl'], mode: turtleMode }
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
  },
  {
    name: 'kgnb magics cell',
    displayName: 'Magics',
    mime: magicMime('magics'),
    load: () => Promise.resolve(new LanguageSupport(StreamLanguage.define(magicLines)))
  }
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
