/**
 * Turtle in an output: its text, coloured as in an editor, cut where it is long, and whole for the clipboard.
 */

import { button, copy, h } from './dom';
import { trans, visible } from './wording';

export const TURTLE_MIME = 'text/turtle';

const LINES = 200; // more is not read in an output
const LETTERS = 40_000;

export interface TurtleState {
  whole: boolean;
}

export function drawTurtle(value: unknown, state: TurtleState, name = trans.__('Turtle')): HTMLElement {
  const source = Array.isArray(value) ? value.join('') : typeof value === 'string' ? value : '';
  const root = h('div.kgnb-turtle');
  const draw = (): void => {
    const shown = state.whole ? source : beginning(source);
    const code = h('code', ...coloured(visible(shown)));
    const left = source.split('\n').length - shown.split('\n').length;
    const tell = (_: boolean, said: string): void => {
      copying.textContent = said;
    };
    const copying = button('kgnb-more', trans.__('Copy'), () => copy(source, tell), trans.__('Copy'));
    const whole = (): void => {
      state.whole = true;
      draw();
    };
    const all = trans.__('Show all of it');
    const said = left > 0 ? trans._n('Show {n} more line', 'Show {n} more lines', left) : all;
    const more = shown.length < source.length ? button('kgnb-more', all, whole, said) : null;
    const text = h('pre.kgnb-code', { tabindex: 0, 'aria-label': name }, code);
    root.replaceChildren(text, h('div.kgnb-footer', copying, more));
  };
  draw();
  return root;
}

/** The first lines, limited to what is readable in an output. */
export function beginning(source: string): string {
  return source.split('\n').slice(0, LINES).join('\n').slice(0, LETTERS);
}

// Coloured tokens: IRIs, texts, comments and keywords.
const TOKEN =
  /(?<iri><[^<>"\s]*>)|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<remark>#.*)|(?<word>@\w+|\b(?:PREFIX|BASE)\b)/g;

/** The text in pieces, some of them coloured. */
export function coloured(source: string): (string | HTMLElement)[] {
  const pieces: (string | HTMLElement)[] = [];
  let done = 0;
  for (const found of source.matchAll(TOKEN)) {
    const kind = Object.entries(found.groups ?? {}).find(([, value]) => Boolean(value))?.[0] ?? '';
    pieces.push(source.slice(done, found.index), h(`span.kgnb-turtle-${kind}`, found[0]));
    done = found.index + found[0].length;
  }
  return [...pieces, source.slice(done)].filter(piece => piece !== '');
}
