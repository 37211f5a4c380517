/**
 * The language of a cell with a magic: its first line stands for itself, the rest is read as SPARQL or Turtle.
 */

import type { StreamParser } from '@codemirror/language';

export interface MagicState<State> {
  begun: boolean;
  inner: State;
}

/** A parser that passes over the first line and leaves every other one to ``inner``. */
export function belowTheMagic<State>(inner: StreamParser<State>): StreamParser<MagicState<State>> {
  return {
    ...(inner.name === undefined ? {} : { name: `${inner.name} cell` }),
    ...(inner.languageData ? { languageData: inner.languageData } : {}),
    startState: unit => ({ begun: false, inner: inner.startState?.(unit) ?? ({} as State) }),
    copyState: state => ({ begun: state.begun, inner: inner.copyState?.(state.inner) ?? { ...state.inner } }),
    token: (stream, state) => {
      if (!state.begun) {
        state.begun = true;
        stream.skipToEnd();
        return 'string.special';
      }
      return inner.token(stream, state.inner);
    },
    blankLine: (state, unit) => {
      inner.blankLine?.(state.inner, unit);
    },
    indent: (state, after, context) => (state.begun ? (inner.indent?.(state.inner, after, context) ?? null) : null)
  };
}
