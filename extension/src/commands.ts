/**
 * "New KG notebook": a command with a choice of templates, on the launcher, in the palette and under File > New.
 */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import type { ILauncher } from '@jupyterlab/launcher';
import type { IMainMenu } from '@jupyterlab/mainmenu';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { chooseTemplate } from './choosing';
import { graphIcon } from './icons';
import type { Template } from './templates';
import { notebookOf, pythonKernel, TEMPLATES } from './templates';
import type { Words } from './words';

export const NEW_NOTEBOOK = 'kgnb:new-notebook';

export interface Places {
  readonly browser: IDefaultFileBrowser | null;
  readonly launcher: ILauncher | null;
  readonly menu: IMainMenu | null;
  readonly palette: ICommandPalette | null;
}

export function addCommands(app: JupyterFrontEnd, places: Places, words: Words): void {
  const titleOf = (args: ReadonlyPartialJSONObject): string => {
    const template = byId(args.template);
    return template ? `${words.newNotebook}: ${words.template(template.title)}` : words.newNotebook;
  };
  app.commands.addCommand(NEW_NOTEBOOK, {
    label: args => titleOf(args),
    caption: args => words.template(byId(args.template)?.caption ?? '') || words.newNotebookCaption,
    icon: args => (args.isPalette ? undefined : graphIcon),
    execute: async args => {
      const template = byId(args.template) ?? (await chooseTemplate(TEMPLATES, words));
      const folder = typeof args.cwd === 'string' ? args.cwd : (places.browser?.model.path ?? '');
      return template ? openNew(app, template, folder) : null;
    }
  });
  const category = words.category;
  // Between "Notebook" (0) and "Console" (20), where it is seen without scrolling; JupyterLab 4.4 puts it last.
  places.launcher?.add({ command: NEW_NOTEBOOK, category, rank: 0, categoryRank: 10 });
  places.menu?.fileMenu.newMenu.addGroup([{ command: NEW_NOTEBOOK }], 40);
  places.palette?.addItem({ command: NEW_NOTEBOOK, category, args: { isPalette: true } });
  for (const { id } of TEMPLATES) {
    places.palette?.addItem({ command: NEW_NOTEBOOK, category, args: { isPalette: true, template: id } });
  }
}

function byId(id: unknown): Template | undefined {
  return TEMPLATES.find(template => template.id === id);
}

async function openNew(app: JupyterFrontEnd, template: Template, folder: string): Promise<unknown> {
  const { contents, kernelspecs } = app.serviceManager;
  await kernelspecs.ready;
  const made = await contents.newUntitled({ path: folder, type: 'notebook' });
  const content = notebookOf(template, pythonKernel(kernelspecs.specs));
  await contents.save(made.path, { type: 'notebook', format: 'json', content });
  const opened: unknown = await app.commands.execute('docmanager:open', { path: made.path, factory: 'Notebook' });
  return opened;
}
