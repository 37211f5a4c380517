/**
 * Text as long as a book: its beginning is shown, all of it on demand, so that one cell does not push the rest away.
 */

import { button, element } from './dom';
import type { Words } from './words';

const LETTERS = 300; // more than a person reads in a cell, fewer than one needs to see what it is
const LINES = 8;

export function isLong(text: string): boolean {
  return text.length > LETTERS || text.split('\n', LINES + 1).length > LINES;
}

/** What was drawn for a text, held to a few lines if the text is long, with a button that shows all of it. */
export function held(text: string, drawn: Node | string, words: Words): Node | string {
  if (!isLong(text)) {
    return drawn;
  }
  const shown = element('div', 'kgnb-held', {}, drawn);
  const more = button(
    'kgnb-unfold',
    words.showAll,
    () => {
      const open = shown.classList.toggle('kgnb-unfolded');
      more.setAttribute('aria-expanded', String(open));
      more.textContent = more.title = open ? words.showLess : words.showAll;
      more.setAttribute('aria-label', more.title);
    },
    words.showAll
  );
  more.setAttribute('aria-expanded', 'false');
  return element('div', '', {}, shown, more);
}
