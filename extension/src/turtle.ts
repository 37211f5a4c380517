/**
 * Turtle in an output: its text, coloured as in an editor, cut where it is long, and whole for the clipboard.
 */

import { button, element } from './dom';
import { visible } from './escaping';
import type { Words } from './words';

export const TURTLE_MIME = 'text/turtle';

const LINES = 200; // more is not read in an output
const LETTERS = 40_000;

/** Colours text into an element; the element holds the plain text until then, and keeps it if that fails. */
export type Highlight = (code: string, into: HTMLElement) => Promise<void>;

export interface TurtleState {
  whole: boolean;
}

export function drawTurtle(value: unknown, state: TurtleState, words: Words, highlight: Highlight | null): HTMLElement {
  const source = Array.isArray(value) ? value.join('') : typeof value === 'string' ? value : '';
  const root = element('div', 'kgnb-turtle');
  const draw = (): void => {
    const shown = state.whole ? source : beginning(source);
    const code = element('code', '', {}, visible(shown));
    const left = source.split('\n').length - shown.split('\n').length;
    const copy = button(
      'kgnb-more',
      words.copyText,
      () => {
        navigator.clipboard.writeText(source).then(
          () => {
            copy.textContent = words.copied;
          },
          () => {
            copy.textContent = words.notCopied;
          }
        );
      },
      words.copyText
    );
    const more =
      shown.length < source.length
        ? button(
            'kgnb-more',
            words.showAll,
            () => {
              state.whole = true;
              draw();
            },
            left > 0 ? words.moreLines(left) : words.showAll
          )
        : null;
    const text = element('pre', 'kgnb-code', { tabindex: 0, 'aria-label': words.turtleText }, code);
    root.replaceChildren(text, element('div', 'kgnb-footer', {}, copy, more));
    if (highlight) {
      colour(visible(shown), code, highlight);
    }
  };
  draw();
  return root;
}

/** The first lines, as many as are read in an output. */
export function beginning(source: string): string {
  return source.split('\n').slice(0, LINES).join('\n').slice(0, LETTERS);
}

function colour(source: string, code: HTMLElement, highlight: Highlight): void {
  const coloured = document.createElement('code');
  highlight(source, coloured).then(
    () => {
      // What colours must not change what is said.
      if (coloured.textContent === source) {
        code.replaceChildren(...coloured.childNodes);
      }
    },
    () => undefined
  );
}
