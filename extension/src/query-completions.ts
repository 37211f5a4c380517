/**
 * What the kernel offers in a query, as JupyterLab's completer wants it, and which of it fits what was typed.
 */

import { oneLine } from './wording';
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

/** A UTF-16 offset as the number of code points that Python counts. */
export function toCodePoints(source: string, offset: number): number {
  return Array.from(source.slice(0, offset)).length;
}

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

export interface Item {
  label: string;
  insertText?: string;
}

/** The items whose name or label contains the query, marked and without duplicates; labels are safe HTML. */
export function fitting<Offer extends Item>(items: readonly Offer[], query: string): Offer[] {
  const seen = new Set<string>();
  return items.flatMap(item => {
    const insertText = item.insertText ?? item.label;
    const at = plainLetters(item.label).indexOf(plainLetters(query));
    const known = seen.has(insertText);
    seen.add(insertText);
    return at < 0 || known ? [] : [{ ...item, insertText, label: marked(item.label, at, query.length) }];
  });
}

/** Lower-case letters without accents, one for each letter of the text, so that offsets agree. */
export function plainLetters(text: string): string {
  return text
    .split('')
    .map(letter => {
      const plain = letter.normalize('NFD').charAt(0).toLowerCase();
      return plain.length === 1 ? plain : letter;
    })
    .join('');
}

function marked(label: string, at: number, length: number): string {
  const found = label.slice(at, at + length);
  return `${escaped(label.slice(0, at))}${found ? `<mark>${escaped(found)}</mark>` : ''}${escaped(label.slice(at + length))}`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, letter => ENTITIES[letter] ?? letter);
}
