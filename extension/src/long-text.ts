/**
 * Text as long as a book: its beginning is shown, all of it on demand, so that one cell does not push the rest away.
 */

import { button, h } from './dom';
import { trans } from './words';

const LETTERS = 300; // more than a person reads in a cell, fewer than one needs to see what it is
const LINES = 8;

export function isLong(text: string): boolean {
  return text.length > LETTERS || text.split('\n', LINES + 1).length > LINES;
}

/** What was drawn for a text, held to a few lines if the text is long, with a button that shows all of it. */
export function held(text: string, drawn: Node | string): Node | string {
  if (!isLong(text)) {
    return drawn;
  }
  const shown = h('div.kgnb-held', drawn);
  const more = button(
    'kgnb-unfold',
    trans.__('Show all of it'),
    () => {
      const open = shown.classList.toggle('kgnb-unfolded');
      more.setAttribute('aria-expanded', String(open));
      more.textContent = more.title = open ? trans.__('Show less') : trans.__('Show all of it');
      more.setAttribute('aria-label', more.title);
    },
    trans.__('Show all of it')
  );
  more.setAttribute('aria-expanded', 'false');
  return h('div', shown, more);
}
