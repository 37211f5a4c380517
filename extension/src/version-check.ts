/**
 * Says so, once and with how to mend it, when the extension does not go with the front end or with a kernel's package.
 */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Clipboard, Notification } from '@jupyterlab/apputils';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { NotebookActions } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import { text } from './json';
import { KernelComm, NobodyThere } from './kernel-comm';
import type { Trouble } from './versions';
import { frontEndTrouble, packageTrouble } from './versions';
import { trans } from './wording';

const TARGET = 'kgnb.version';

export function checkFrontEnd(app: JupyterFrontEnd): void {
  const trouble = frontEndTrouble(app.name, app.version);
  if (trouble) {
    warn(trouble);
  }
}

/** Checks the package of every kernel in which a cell loads kgnb. */
export function checkKernels(tracker: INotebookTracker): void {
  const told = new Map<string, string>(); // by the kernel: the version that was looked at last
  NotebookActions.executed.connect((_, { notebook, cell, success }) => {
    const kernel = tracker.find(panel => panel.content === notebook)?.sessionContext.session?.kernel;
    if (success && kernel && loadsKgnb(cell.model.sharedModel.getSource())) {
      void versionIn(kernel).then(version => {
        if (version === null || told.get(kernel.id) === version) {
          return;
        }
        told.set(kernel.id, version);
        const trouble = packageTrouble(version);
        if (trouble) {
          warn(trouble);
        }
      });
    }
  });
}

export function loadsKgnb(source: string): boolean {
  return /^[ \t]*%(?:re)?load_ext[ \t]+kgnb\b/m.test(source);
}

export async function versionIn(kernel: Kernel.IKernelConnection): Promise<string | null> {
  const comm = new KernelComm(kernel, TARGET);
  try {
    return text((await comm.ask({})).version);
  } catch (error) {
    if (error instanceof NobodyThere) {
      return null;
    }
    throw error;
  } finally {
    comm.close();
  }
}

function warn({ said, command }: Trouble): void {
  const copy = { label: trans.__('Copy the command'), callback: () => Clipboard.copyToSystem(command) };
  Notification.warning(said, { autoClose: false, actions: [copy] });
}
