/**
 * The completer's list in queries: what is typed finds a name or a label in any case and with or without accents, and
 * the order stays the kernel's. JupyterLab's own list compares letter by letter, so "HUT" would empty it.
 */

import type { Completer, CompletionHandler } from '@jupyterlab/completer';
import { CompleterModel } from '@jupyterlab/completer';
import { fitting } from './query-completions';
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
