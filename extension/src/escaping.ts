/**
 * Text from outside made harmless: the same rules as `kgnb/results/escaping.py`.
 */

const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const UNSEEN =
  // Naming control characters is the point here.
  // eslint-disable-next-line no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\ud800-\udfff]/gu;
const LINK = /^(?:https?:\/\/[^/\s]|mailto:[^\s])[^\s]*$/i;

/** Writes out every character that hides or reorders others. */
export function visible(text: string): string {
  return text.replace(LINE_ENDS, '\n').replace(UNSEEN, character => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `⟨U+${code.padStart(4, '0')}⟩`;
  });
}

/** Visible text on one line. */
export function oneLine(text: string): string {
  return visible(text.trim())
    .replace(/[ \t]*\n\s*/g, ' ↵ ')
    .replace(/[ \t]+/g, ' ');
}

/** The IRI if it may be a link, or null: only http, https and mailto do, and never with hidden characters. */
export function linkTarget(iri: string): string | null {
  return LINK.test(iri) && visible(iri) === iri ? iri : null;
}
