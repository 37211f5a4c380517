/**
 * Puts a line into a new cell below, for widgets: they ask by an event, because a kernel cannot do it between cells.
 */

/** As much of an application's commands as this needs. */
export interface Commands {
  hasCommand(id: string): boolean;
  execute(id: string, args?: { text: string }): Promise<unknown>;
}

const INSERT = 'notebook:insert-cell-below';
const FILL = 'notebook:replace-selection';

/** What `kgnb/widgets/line.js` dispatches on the document; `preventDefault` tells it that a cell was made. */
export const EVENT = 'kgnb:insert-cell';

/** The text an event brings, if it is one of ours and short enough to be a line of a person's. */
export function sourceOf(event: Event): string | null {
  const detail: unknown = event instanceof CustomEvent ? event.detail : null;
  if (typeof detail !== 'object' || detail === null || !('source' in detail)) {
    return null;
  }
  const { source } = detail;
  return typeof source === 'string' && source.startsWith('%') && source.length <= 2000 ? source : null;
}

/** Writes a line into a new cell and leaves it for the person to run; false where there is no notebook to do it in. */
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

/** Listens from now on. */
export function listen(target: EventTarget, commands: Commands): void {
  target.addEventListener(EVENT, (event: Event): void => {
    const text = sourceOf(event);
    if (text !== null && canInsert(commands)) {
      event.preventDefault();
      void insertCell(commands, text);
    }
  });
}
