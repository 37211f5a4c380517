/**
 * The notebooks that are open: finds cells in them, shows one, runs one, writes a new one. Widgets ask for that by an
 * event, because a kernel cannot do it between cells.
 */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

interface Place {
  readonly panel: NotebookPanel;
  readonly index: number;
}

/** Scrolls to the cell with this id; false if no open notebook has it. */
export type ShowCell = (cell: string) => boolean;

export class Notebooks {
  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly tracker: INotebookTracker
  ) {}

  /** Scrolls to a cell, preferably in the notebook in front: copies of a notebook share their cells' ids. */
  readonly showCell: ShowCell = cell => {
    const place = this.places().find(one => one.panel.model?.cells.get(one.index).id === cell);
    if (place) {
      this.show(place);
    }
    return place !== undefined;
  };

  /** Writes a line into a new cell of the notebook in front. */
  async insert(line: string): Promise<boolean> {
    const panel = this.tracker.currentWidget;
    if (!panel) {
      return false;
    }
    this.app.shell.activateById(panel.id);
    return insertCell(this.app.commands, line);
  }

  /** Runs the cell of the notebook in front that holds just this line; inserts one if there is none. */
  async runLine(line: string): Promise<void> {
    const front = this.tracker.currentWidget;
    const place = this.places().find(
      ({ panel, index }) => panel === front && panel.model?.cells.get(index).sharedModel.getSource().trim() === line
    );
    if (place) {
      this.show(place);
    } else if (!(await this.insert(line))) {
      return;
    }
    await this.app.commands.execute('notebook:run-cell');
  }

  private show({ panel, index }: Place): void {
    const { content } = panel;
    this.app.shell.activateById(panel.id);
    content.mode = 'command';
    content.deselectAll();
    content.activeCellIndex = index;
    void content.scrollToItem(index, 'smart');
    content.activate();
  }

  /** Every cell of every open notebook, those of the notebook in front first. */
  private places(): Place[] {
    const panels: NotebookPanel[] = [];
    this.tracker.forEach(panel => panels.push(panel));
    const front = this.tracker.currentWidget;
    panels.sort((left, right) => Number(right === front) - Number(left === front));
    return panels.flatMap(panel =>
      Array.from({ length: panel.model?.cells.length ?? 0 }, (_, index) => ({ panel, index }))
    );
  }
}

export interface Commands {
  hasCommand(id: string): boolean;
  execute(id: string, args?: { text: string }): Promise<unknown>;
}

const INSERT = 'notebook:insert-cell-below';
const FILL = 'notebook:replace-selection';

/** What `kgnb/widgets/line.js` dispatches on the document; `preventDefault` tells it that a cell was made. */
export const EVENT = 'kgnb:insert-cell';

/** The text of an event, if it is ours and short enough for a line. */
export function sourceOf(event: Event): string | null {
  const detail: unknown = event instanceof CustomEvent ? event.detail : null;
  if (typeof detail !== 'object' || detail === null || !('source' in detail)) {
    return null;
  }
  const { source } = detail;
  const ours = typeof source === 'string' && (source.startsWith('%') || /^_\d+\.plot\(\)$/.test(source));
  return ours && source.length <= 2000 ? source : null;
}

/** Writes a line into a new cell without running it; false without a notebook. */
export async function insertCell(commands: Commands, text: string): Promise<boolean> {
  if (!canInsert(commands)) {
    return false;
  }
  await commands.execute(INSERT);
  await commands.execute(FILL, { text });
  return true;
}

function canInsert(commands: Commands): boolean {
  return commands.hasCommand(INSERT) && commands.hasCommand(FILL);
}

export function listen(target: EventTarget, commands: Commands): void {
  target.addEventListener(EVENT, (event: Event): void => {
    const text = sourceOf(event);
    if (text !== null && canInsert(commands)) {
      event.preventDefault();
      void insertCell(commands, text);
    }
  });
}

/** The folder of a file of the server; '' at the top. */
export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

/** The path of a file as seen from a folder; both are paths of the server's files. */
export function relativeTo(folder: string, path: string): string {
  const from = folder.split('/').filter(Boolean);
  const to = path.split('/');
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) {
    shared += 1;
  }
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/');
}
