/**
 * Which cells hold another language than the notebook's: those whose first line is one of our cell magics, and those of
 * line magics alone.
 */

import { isMagicLines } from './magic-lines';

export type MagicLanguage = 'sparql' | 'turtle' | 'magics';

const HEAD = /^%%(sparql|turtle)(?:[ \t]|\r?$)/;

/** The language below the magic of a cell's first line, or that of line magics; null for any other cell. */
export function magicLanguage(source: string): MagicLanguage | null {
  const end = source.indexOf('\n');
  const found = HEAD.exec(end < 0 ? source : source.slice(0, end));
  return found ? (found[1] as MagicLanguage) : isMagicLines(source) ? 'magics' : null;
}

const MIME_PREFIX = 'text/x-kgnb-';

/** The type an editor is given for such a cell. It is ours alone: nothing but a cell of a notebook has it. */
export function magicMime(language: MagicLanguage): string {
  return `${MIME_PREFIX}${language}`;
}

/** Whether a type was set by us, so that it is ours to take back. */
export function isMagicMime(mime: string): boolean {
  return mime.startsWith(MIME_PREFIX);
}
