/**
 * What a person has chosen in JupyterLab's settings, with what holds until they do. No secret is ever among it.
 */

import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { JsonObject } from './json';

export interface Choices {
  readonly highlightCells: boolean;
  readonly completeQueries: boolean;
  readonly rowsPerPage: number;
}

export const DEFAULTS: Choices = { highlightCells: true, completeQueries: true, rowsPerPage: 10 };

export const ROWS: readonly number[] = [10, 25, 50, 100];

/** The preferences in the settings; invalid values count as unset. */
export function choicesFrom(composite: JsonObject): Choices {
  const { highlightCells, completeQueries, rowsPerPage } = composite;
  return {
    highlightCells: typeof highlightCells === 'boolean' ? highlightCells : DEFAULTS.highlightCells,
    completeQueries: typeof completeQueries === 'boolean' ? completeQueries : DEFAULTS.completeQueries,
    rowsPerPage: ROWS.find(rows => rows === rowsPerPage) ?? DEFAULTS.rowsPerPage
  };
}

/** The current preferences, and a signal of their changes. */
export class Preferences {
  private current: Choices = DEFAULTS;
  private readonly changes = new Signal<this, Choices>(this);

  get values(): Choices {
    return this.current;
  }

  get changed(): ISignal<this, Choices> {
    return this.changes;
  }

  choose(choices: Choices): void {
    this.current = choices;
    this.changes.emit(choices);
  }
}

export const IPreferences = new Token<Preferences>(
  'kgnb-labextension:IPreferences',
  'What a person has chosen for knowledge graphs in the settings.'
);
