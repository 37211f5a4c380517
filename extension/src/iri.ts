/**
 * An IRI in a cell: short, a link where that is safe, with its full form one press away.
 */

import { trans } from './words';
import type { IriCell } from './cell';
import { button, h, icon } from './dom';
import { linkTarget, oneLine, visible } from './escaping';
import { shortIri } from './wording';

export function drawIri(cell: IriCell): HTMLElement {
  const label = oneLine(cell.label ?? shortIri(cell.iri)) || visible(cell.iri);
  const target = linkTarget(cell.iri);
  const title = visible(cell.iri);
  const shown =
    target === null
      ? h('span.kgnb-iri-label', { title }, label)
      : h('a.kgnb-iri-label', { title, href: target, target: '_blank', rel: 'noopener noreferrer' }, label);
  return h('span.kgnb-iri', shown, copyButton(cell.iri));
}

function copyButton(text: string): HTMLButtonElement {
  const copy = button(
    'kgnb-button kgnb-copy',
    trans.__('Copy IRI'),
    () => {
      navigator.clipboard.writeText(text).then(
        () => answer('done', trans.__('Copied')),
        () => answer('failed', trans.__('Could not copy'))
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
      copy.setAttribute('aria-label', trans.__('Copy IRI'));
      copy.classList.remove('kgnb-answered');
    }, 1500);
  };
  return copy;
}
