/**
 * Completion inside ``%%sparql`` cells, asked of the kernel, which knows the open graph. Nothing leaves the machine.
 */

import type { Completer, CompletionHandler, ICompletionContext, ICompletionProvider } from '@jupyterlab/completer';
import { CompleterModel } from '@jupyterlab/completer';
import type { Kernel } from '@jupyterlab/services';
import { KernelComm } from './kernel-comm';
import { magicLanguage } from './magic-cells';
import type { Preferences } from './preferences';
import { fitting, readOffers, toCodePoints } from './query-completions';

const TARGET = 'kgnb.complete';

export class QueryCompletions implements ICompletionProvider {
  readonly identifier = 'kgnb-labextension:completer';
  readonly rank = 1100; // before the kernel's own, whose names have no labels beside them
  readonly renderer = null;
  readonly modelFactory = queryModel;
  private readonly comms = new WeakMap<Kernel.IKernelConnection, KernelComm>();

  constructor(private readonly preferences: Preferences) {}

  isApplicable(context: ICompletionContext): Promise<boolean> {
    const source = context.editor?.model.sharedModel.getSource() ?? '';
    const fits = magicLanguage(source) === 'sparql' && Boolean(context.session?.kernel);
    return Promise.resolve(fits && this.preferences.values.completeQueries);
  }

  async fetch(
    request: CompletionHandler.IRequest,
    context: ICompletionContext
  ): Promise<CompletionHandler.ICompletionItemsReply> {
    const kernel = context.session?.kernel;
    // The editor's own position: versions of JupyterLab count the request's differently.
    const { editor } = context;
    const offset = editor ? editor.getOffsetAt(editor.getCursorPosition()) : request.offset;
    if (!kernel) {
      return { start: offset, end: offset, items: [] };
    }
    const answer = await this.comm(kernel).ask({ code: request.text, cursor: toCodePoints(request.text, offset) });
    return readOffers(answer, request.text);
  }

  private comm(kernel: Kernel.IKernelConnection): KernelComm {
    const known = this.comms.get(kernel);
    if (known) {
      return known;
    }
    const made = new KernelComm(kernel, TARGET);
    this.comms.set(kernel, made);
    return made;
  }
}

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

/** The completer's model. */
export function queryModel(): Promise<Completer.IModel> {
  return Promise.resolve(new QueryModel());
}
