/**
 * An IRI in a cell: short, a link where that is safe, with its full form one press away.
 */

import type { Words } from './words';
import type { IriCell } from './cell';
import { button, element, icon } from './dom';
import { linkTarget, oneLine, visible } from './escaping';
import { shortIri } from './wording';

export function drawIri(cell: IriCell, words: Words): HTMLElement {
  const label = oneLine(cell.label ?? shortIri(cell.iri)) || visible(cell.iri);
  const target = linkTarget(cell.iri);
  const title = visible(cell.iri);
  const shown =
    target === null
      ? element('span', 'kgnb-iri-label', { title }, label)
      : element('a', 'kgnb-iri-label', { title, href: target, target: '_blank', rel: 'noopener noreferrer' }, label);
  return element('span', 'kgnb-iri', {}, shown, copyButton(cell.iri, words));
}

function copyButton(text: string, words: Words): HTMLButtonElement {
  const copy = button(
    'kgnb-button kgnb-copy',
    words.copyIri,
    () => {
      navigator.clipboard.writeText(text).then(
        () => answer('done', words.copied),
        () => answer('failed', words.notCopied)
      );
    },
    icon('copy')
  );
  const answer = (picture: 'done' | 'failed', said: string): void => {
    copy.replaceChildren(icon(picture));
    copy.setAttribute('aria-label', said);
    copy.classList.add('kgnb-answered');
    setTimeout(() => {
      copy.replaceChildren(icon('copy'));
      copy.setAttribute('aria-label', words.copyIri);
      copy.classList.remove('kgnb-answered');
    }, 1500);
  };
  return copy;
}
