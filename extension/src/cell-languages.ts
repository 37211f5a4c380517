/**
 * Gives cells with a magic their language, and gives it back when the magic goes. No other cell is touched.
 */

import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { isMagicMime, magicLanguage, magicMime } from './magic-cell';
import type { Preferences } from './preferences';

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
