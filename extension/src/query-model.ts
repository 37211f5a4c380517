/**
 * The completer's list in queries: what is typed finds a name or a label in any case and with or without accents, and
 * the order stays the kernel's. JupyterLab's own list compares letter by letter, so "HUT" would empty it.
 */

import type { Completer, CompletionHandler } from '@jupyterlab/completer';
import { CompleterModel } from '@jupyterlab/completer';
import { magicLanguage } from './magic-cell';

type Item = CompletionHandler.ICompletionItem;

export class QueryModel extends CompleterModel {
  private items: CompletionHandler.ICompletionItems = [];
  private shown: { readonly query: string; readonly of: unknown; readonly items: Item[] } | null = null;

  override setCompletionItems(items: CompletionHandler.ICompletionItems): void {
    this.items = items;
    super.setCompletionItems(items);
  }

  override completionItems(): CompletionHandler.ICompletionItems {
    const { query, items } = this;
    if (magicLanguage(this.original?.text ?? '') !== 'sparql') {
      return super.completionItems();
    }
    if (this.shown?.query !== query || this.shown.of !== items) {
      this.shown = { query, of: items, items: fitting(items, query) };
    }
    return this.shown.items;
  }
}

/** The model for a place; its type is that of the token, which has no class. */
export function queryModel(): Promise<Completer.IModel> {
  return Promise.resolve(new QueryModel());
}

/** The items whose name or label holds what was typed, that part marked; none twice. Labels come out as safe HTML. */
export function fitting(items: readonly Item[], query: string): Item[] {
  const seen = new Set<string>();
  return items.flatMap(item => {
    const insertText = item.insertText ?? item.label;
    const at = plainLetters(item.label).indexOf(plainLetters(query));
    const known = seen.has(insertText);
    seen.add(insertText);
    return at < 0 || known ? [] : [{ ...item, insertText, label: marked(item.label, at, query.length) }];
  });
}

/** Small letters without accents, one for each letter of the text: places in both are the same. */
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
