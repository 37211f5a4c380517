/**
 * Which cells hold another language than the notebook's: those whose first line is one of our cell magics, and those of
 * line magics alone. They are given their language, and it is given back when the magic goes; no other cell is touched.
 */

import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Preferences } from './preferences';

export type MagicLanguage = 'sparql' | 'turtle' | 'magics';

const HEAD = /^%%(sparql|turtle)(?:[ \t]|\r?$)/;

// Those whose argument is Python, which is to stay coloured as such.
const TAKES_PYTHON = /^%(?:time|timeit|prun|lprun|mprun|memit|debug)\b/;
export const CONTINUED = /\\\s*$/;

/** Whether every line is a line magic, a remark or blank, and one at least is a magic. */
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

/** The language below the magic of a cell's first line, or that of line magics; null for any other cell. */
export function magicLanguage(source: string): MagicLanguage | null {
  const end = source.indexOf('\n');
  const found = HEAD.exec(end < 0 ? source : source.slice(0, end));
  return found ? (found[1] as MagicLanguage) : isMagicLines(source) ? 'magics' : null;
}

const MIME_PREFIX = 'text/x-kgnb-';

/** The type an editor is given for such a cell. It is ours alone: nothing but a cell of a notebook has it. */
export function magicMime(language: MagicLanguage): string {
  return `${MIME_PREFIX}${language}`;
}

/** Whether a type was set by us, so that it is ours to take back. */
export function isMagicMime(mime: string): boolean {
  return mime.startsWith(MIME_PREFIX);
}

/** As much of JupyterLab's languages as this needs. */
export interface Loading {
  getLanguage(mime: string): Promise<unknown>;
}

/** Watches every notebook from now on. */
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
    // An editor takes the language that has loaded last, not the one asked for last: so the one before comes first.
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
        // The kernel resets the type of every code cell once it tells its language, so both are listened to.
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

/** Sets the language a cell should have, if it has another and the choice is ours. */
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
