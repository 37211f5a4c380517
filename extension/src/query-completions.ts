/**
 * What the kernel offers in a query, as JupyterLab's completer wants it.
 */

import { oneLine } from './escaping';
import type { JsonObject } from './json';
import { list, number, object, text } from './json';

export interface Offer {
  readonly label: string;
  readonly insertText: string;
  readonly type: string;
}

export interface Offers {
  readonly start: number;
  readonly end: number;
  readonly items: Offer[];
}

/** Characters of Python (code points) before a place that JavaScript counts in UTF-16. */
export function toCodePoints(source: string, offset: number): number {
  return Array.from(source.slice(0, offset)).length;
}

/** The other way round. */
export function fromCodePoints(source: string, place: number): number {
  return Array.from(source).slice(0, place).join('').length;
}

/**
 * Reads an answer. The label of a class stands beside its short form, because the completer goes on filtering by what
 * it shows: a fragment of a label must be in there.
 */
export function readOffers(answer: JsonObject, source: string): Offers {
  const items = list(answer.items, 'items').map((item, at) => {
    const offer = object(item, `items[${at}]`);
    const insertText = text(offer.text);
    const shown = oneLine(text(offer.label));
    const told = shown === '' || insertText.includes(shown); // a prefix is written with the IRI it stands for
    return { insertText, label: told ? insertText : `${insertText}  ${shown}`, type: text(offer.kind) };
  });
  return {
    start: fromCodePoints(source, number(answer.start)),
    end: fromCodePoints(source, number(answer.end)),
    items
  };
}
