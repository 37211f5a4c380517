/**
 * What the front end says, in the language of JupyterLab. Sentences stand where they are said, inside `trans.__` and
 * `trans._n`, where JupyterLab's tools for translators look for them.
 */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { grouped } from './wording';

type Bundle = Pick<IRenderMime.TranslationBundle, '__' | '_n'>;

// Used where no translator is at hand: the words as they stand in the source.
let bundle: Bundle = {
  __: (message, ...values) => message.replace(/%(\d)/g, (_, at: string) => String(values[Number(at) - 1] ?? '')),
  _n: (one, many, n) => (n === 1 ? one : many)
};

/** Speaks the language of a translator from now on, where there is one. */
export function speak(translator: { load(domain: string): Bundle } | null): void {
  bundle = translator?.load('kgnb') ?? bundle;
}

export const trans = {
  /** A sentence, with values in place of %1, %2 ... */
  __: (message: string, ...values: readonly (string | number)[]): string =>
    message && bundle.__(message, ...values.map(value => (typeof value === 'number' ? grouped(String(value)) : value))),

  /** One sentence for one thing and another for several, with the number in place of {n}. */
  _n: (one: string, many: string, n: number): string => bundle._n(one, many, n).replace('{n}', grouped(String(n)))
};
