/**
 * Which cells hold another language than the notebook's: those whose first line is one of our cell magics, and those of
 * line magics alone. They are given their language, and it is given back when the magic goes; no other cell is touched.
 */

import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Preferences } from './preferences';

export type MagicLanguage = 'sparql' | 'turtle' | 'magics';

const HEAD = /^%%(sparql|turtle)(?:[ \t]|\r?$)/;

// Magics whose argument is Python and keeps its colours.
const TAKES_PYTHON = /^%(?:time|timeit|prun|lprun|mprun|memit|debug)\b/;
export const CONTINUED = /\\\s*$/;

/** Whether all lines are line magics, comments or blank, and at least one is a magic. */
export function isMagicLines(source: string): boolean {
  let magics = 0;
  let continued = false;
  for (const line of source.split('\n')) {
    const text = line.trim();
    if (!continued && text && !text.startsWith('#')) {
      if (!/^%[A-Za-z]/.test(text) || TAKES_PYTHON.test(text)) {
        return false;
      }
      magics += 1;
    }
    continued = CONTINUED.test(line);
  }
  return magics > 0;
}

/** The language of a cell with one of our cell magics or only line magics; null for any other cell. */
export function magicLanguage(source: string): MagicLanguage | null {
  const end = source.indexOf('\n');
  const found = HEAD.exec(end < 0 ? source : source.slice(0, end));
  return found ? (found[1] as MagicLanguage) : isMagicLines(source) ? 'magics' : null;
}

const MIME_PREFIX = 'text/x-kgnb-';

/** The editor's MIME type for such a cell; nothing else uses it. */
export function magicMime(language: MagicLanguage): string {
  return `${MIME_PREFIX}${language}`;
}

/** Whether we set this type, so that we may reset it. */
export function isMagicMime(mime: string): boolean {
  return mime.startsWith(MIME_PREFIX);
}

export interface Loading {
  getLanguage(mime: string): Promise<unknown>;
}

export function followCells(tracker: INotebookTracker, languages: Loading, preferences: Preferences): void {
  const follow = (panel: NotebookPanel): void => {
    void panel.context.ready.then(() => {
      if (!panel.isDisposed) {
        followNotebook(panel, languages, preferences);
      }
    });
  };
  tracker.forEach(follow);
  tracker.widgetAdded.connect((_, panel) => follow(panel));
}

function followNotebook(panel: NotebookPanel, languages: Loading, preferences: Preferences): void {
  const cells = panel.content.model?.cells;
  if (!cells) {
    return;
  }
  const followed = new Set<ICellModel>();
  const fit = (cell: ICellModel): void => {
    // An editor takes the language loaded last, not the one requested last: so the previous one is loaded first.
    void languages
      .getLanguage(cell.mimeType)
      .catch(() => null)
      .then(() => {
        if (!cell.isDisposed && !panel.isDisposed) {
          fitLanguage(cell, panel.content.codeMimetype, preferences.values.highlightCells);
        }
      });
  };
  const followAll = (): void => {
    for (const cell of cells) {
      if (!followed.has(cell)) {
        followed.add(cell);
        // The kernel resets the type of every code cell when it reports its language, so listen to both.
        cell.contentChanged.connect(fit);
        cell.mimeTypeChanged.connect(() => fit(cell));
        fit(cell);
      }
    }
  };
  const refit = (): void => {
    for (const cell of cells) {
      fit(cell);
    }
  };
  cells.changed.connect(followAll);
  preferences.changed.connect(refit);
  panel.disposed.connect(() => preferences.changed.disconnect(refit));
  followAll();
}

/** Sets a cell's language, or resets it if we set it. */
export function fitLanguage(
  cell: Pick<ICellModel, 'type' | 'mimeType' | 'sharedModel'>,
  usual: string,
  wanted: boolean
): void {
  if (cell.type !== 'code') {
    return;
  }
  const language = wanted ? magicLanguage(cell.sharedModel.getSource()) : null;
  if (language) {
    cell.mimeType = magicMime(language);
  } else if (isMagicMime(cell.mimeType)) {
    cell.mimeType = usual;
  }
}
