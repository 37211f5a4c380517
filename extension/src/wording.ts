/**
 * How a value is written: the same words as `kgnb/results/wording.py`; text from outside made harmless by the rules of
 * `kgnb/results/escaping.py`; and what the front end says, in the language of JupyterLab. Its sentences stand where they
 * are said, inside `trans.__` and `trans._n`, where JupyterLab's tools for translators look for them.
 */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import prefixes from './prefixes.json';

/** The short form of an IRI: a well-known prefix, or its last part behind an ellipsis. */
export function shortIri(iri: string): string {
  for (const [start, prefix] of Object.entries(prefixes)) {
    const local = iri.slice(start.length);
    if (iri.startsWith(start) && local && !/[/#]/.test(local)) {
      return `${prefix}:${local}`;
    }
  }
  const urn = iri.startsWith('urn:');
  const rest = iri.replace(/[/#]+$/, '');
  const cut = urn ? rest.lastIndexOf(':') : Math.max(rest.lastIndexOf('/'), rest.lastIndexOf('#'));
  const path = urn ? 'urn:'.length : iri.indexOf('/', iri.indexOf('://') + 3);
  return path > 0 && path <= cut ? `…${iri.slice(cut)}` : iri;
}

/** A number in groups of three digits, with three decimals if it or its column has any. */
export function formatNumber(value: number, decimals = false, group = true): string {
  if (Number.isNaN(value)) {
    return 'not a number';
  }
  if (!Number.isFinite(value)) {
    return value > 0 ? '∞' : '−∞';
  }
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.0005 || size > Number.MAX_SAFE_INTEGER)) {
    return value.toExponential(2).replace(/e([+-])(\d)$/, 'e$10$2');
  }
  const written = Number.isInteger(value) && !decimals ? String(value) : value.toFixed(3);
  return group ? grouped(written) : written;
}

export function grouped(written: string): string {
  const [whole = '', fraction] = written.split('.');
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

export function formatPercent(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : formatNumber(share);
}

/** A duration in the unit that fits it. */
export function formatSeconds(value: number): string {
  if (value < 0.9995) {
    return `${Math.round(value * 1000)} ms`;
  }
  if (value < 59.95) {
    return `${value.toFixed(1)} s`;
  }
  const whole = Math.round(value);
  const minutes = Math.floor(whole / 60);
  const two = (part: number): string => String(part).padStart(2, '0');
  return minutes < 60
    ? `${minutes} min ${two(whole % 60)} s`
    : `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** An amount in US dollars, to the cent or, below ten cents, to the hundredth of one. */
export function formatMoney(usd: number): string {
  return usd === 0 ? '$0' : `$${usd < 0.1 ? usd.toFixed(4) : grouped(usd.toFixed(2))}`;
}

const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const UNSEEN =
  // Control characters are intended here.
  // eslint-disable-next-line no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\ud800-\udfff]/gu;
const LINK = /^(?:https?:\/\/[^/\s]|mailto:[^\s])[^\s]*$/i;

/** Text with characters that hide or reorder others written out. */
export function visible(text: string): string {
  return text.replace(LINE_ENDS, '\n').replace(UNSEEN, character => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `⟨U+${code.padStart(4, '0')}⟩`;
  });
}

export function oneLine(text: string): string {
  return visible(text.trim())
    .replace(/[ \t]*\n\s*/g, ' ↵ ')
    .replace(/[ \t]+/g, ' ');
}

/** The IRI if it may be a link, or null: only http, https and mailto do, and never with hidden characters. */
export function linkTarget(iri: string): string | null {
  return LINK.test(iri) && visible(iri) === iri ? iri : null;
}

type Bundle = Pick<IRenderMime.TranslationBundle, '__' | '_n'>;

// Used without a translator: the words of the source.
let bundle: Bundle = {
  __: (message, ...values) => message.replace(/%(\d)/g, (_, at: string) => String(values[Number(at) - 1] ?? '')),
  _n: (one, many, n) => (n === 1 ? one : many)
};

/** Uses a translator from now on, if there is one. */
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
