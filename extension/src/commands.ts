/**
 * "New KG notebook": a command with a choice of templates, on the launcher, in the palette and under File > New.
 */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import type { ILauncher } from '@jupyterlab/launcher';
import type { IMainMenu } from '@jupyterlab/mainmenu';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { LabIcon } from '@jupyterlab/ui-components';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';
import { freshId, h } from './dom';
import { folderOf, Notebooks, relativeTo } from './notebooks';
import { lineToOpen } from './panel-drawing';
import type { Template } from './templates';
import { TEMPLATES, notebookOf, pythonKernel } from './templates';
import { versionIn } from './version-check';
import { trans } from './wording';

export const NEW_NOTEBOOK = 'kgnb:new-notebook';
export const SHOW_PANEL = 'kgnb:show-panel';
export const OPEN_GRAPH = 'kgnb:open-graph';
export const PANEL = 'kgnb-panel';

/** The suffixes of files that `%kg open` reads; a test holds them to the kernel's. */
const SUFFIXES =
  'ttl turtle rdf rdfs owl xml nt ntriples nq nquads trig n3 jsonld json owx ofn omn obo csv tsv xlsx xls xlsb ods';
const GRAPH_FILE = new RegExp(`\\.(?:${SUFFIXES.replaceAll(' ', '|')})(?:\\.gz)?$`, 'i');

export interface Places {
  readonly tracker: INotebookTracker | null;
  readonly browser: IDefaultFileBrowser | null;
  readonly launcher: ILauncher | null;
  readonly menu: IMainMenu | null;
  readonly palette: ICommandPalette | null;
}

export function addCommands(app: JupyterFrontEnd, places: Places): void {
  const titleOf = (args: ReadonlyPartialJSONObject): string => {
    const template = byId(args.template);
    return template ? `${trans.__('New KG notebook')}: ${trans.__(template.title)}` : trans.__('New KG notebook');
  };
  app.commands.addCommand(NEW_NOTEBOOK, {
    label: args => titleOf(args),
    caption: args =>
      trans.__(byId(args.template)?.caption ?? '') || trans.__('A notebook on knowledge graphs that runs as it is'),
    icon: args => (args.isPalette ? undefined : graphIcon),
    execute: async args => {
      const template = byId(args.template) ?? (await chooseTemplate(TEMPLATES));
      const folder = typeof args.cwd === 'string' ? args.cwd : (places.browser?.model.path ?? '');
      return template ? openNew(app, template, folder) : null;
    }
  });
  const category = trans.__('Knowledge graphs');
  // Between "Notebook" (0) and "Console" (20), where it is seen without scrolling; JupyterLab 4.4 puts it last.
  places.launcher?.add({ command: NEW_NOTEBOOK, category, rank: 0, categoryRank: 10 });
  places.menu?.fileMenu.newMenu.addGroup([{ command: NEW_NOTEBOOK }], 40);
  places.palette?.addItem({ command: NEW_NOTEBOOK, category, args: { isPalette: true } });
  for (const { id } of TEMPLATES) {
    places.palette?.addItem({ command: NEW_NOTEBOOK, category, args: { isPalette: true, template: id } });
  }
}

/** The panel from the palette, so that it is reached without a mouse. */
export function addShowing(app: JupyterFrontEnd, palette: ICommandPalette | null, panel: Widget): void {
  app.commands.addCommand(SHOW_PANEL, {
    label: trans.__('Go to the panel of graphs, agents and runs'),
    execute: () => {
      app.shell.activateById(panel.id);
      panel.activate();
    }
  });
  palette?.addItem({ command: SHOW_PANEL, category: trans.__('Knowledge graphs') });
}

/** "Open as graph" in the menu of a file that holds one. */
export function addOpening(app: JupyterFrontEnd, { browser, tracker }: Places): void {
  if (!browser || !tracker) {
    return;
  }
  const chosen = (): string[] =>
    [...browser.selectedItems()].map(item => item.path).filter(path => GRAPH_FILE.test(path));
  app.commands.addCommand(OPEN_GRAPH, {
    label: trans.__('Open as graph'),
    caption: trans.__('Open this file in the notebook in front, or in a new one'),
    icon: graphIcon,
    isVisible: () => chosen().length > 0,
    execute: async () => {
      await openFiles(app, tracker, chosen());
    }
  });
  app.contextMenu.addItem({ command: OPEN_GRAPH, selector: '.jp-DirListing-item[data-isdir="false"]', rank: 2 });
}

/** Opens files as graphs with a cell of the notebook in front; without one, of a new notebook beside the first file. */
export async function openFiles(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  paths: readonly string[]
): Promise<void> {
  const [first] = paths;
  if (first === undefined) {
    return;
  }
  const opening = (folder: string): string[] => paths.map(path => lineToOpen(relativeTo(folder, path)));
  const front = tracker.currentWidget;
  const source = ['%load_ext kgnb', ...opening(folderOf(first))].join('\n');
  const panel = front ?? (await newNotebook(app, source, folderOf(first)));
  if (!panel) {
    return;
  }
  await panel.sessionContext.ready;
  const kernel = panel.sessionContext.session?.kernel;
  const loaded = kernel && (await versionIn(kernel)) !== null;
  const lines = opening(folderOf(panel.context.path));
  await new Notebooks(app, tracker).runLine([...(loaded ? [] : ['%load_ext kgnb']), ...lines].join('\n'));
  app.shell.activateById(PANEL); // which shows what is in them
}

async function newNotebook(app: JupyterFrontEnd, source: string, folder: string): Promise<NotebookPanel | null> {
  const [empty] = TEMPLATES;
  const cells = [{ kind: 'code' as const, source }];
  return empty ? ((await openNew(app, { ...empty, cells }, folder)) as NotebookPanel) : null;
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

/** The choice as radio buttons, which work with arrow keys and screen readers. */
class Choice extends Widget implements Dialog.IBodyWidget {
  private chosen: string;

  constructor(templates: readonly Template[]) {
    super();
    this.addClass('kgnb-choice');
    this.chosen = templates[0]?.id ?? '';
    const name = freshId('template');
    this.node.setAttribute('role', 'radiogroup');
    this.node.setAttribute('aria-label', trans.__('What to begin with'));
    this.node.append(...templates.map(template => this.drawTemplate(template, name)));
  }

  getValue(): string {
    return this.chosen;
  }

  private drawTemplate(template: Template, name: string): HTMLElement {
    const input = h('input', { type: 'radio', name, value: template.id });
    input.checked = template.id === this.chosen;
    input.addEventListener('change', () => {
      this.chosen = template.id;
    });
    const title = h('span.kgnb-choice-title', trans.__(template.title));
    const caption = h('span.kgnb-choice-caption', trans.__(template.caption).replaceAll('`', ''));
    return h('label.kgnb-choice-item', input, h('span', title, caption));
  }
}

async function chooseTemplate(templates: readonly Template[]): Promise<Template | null> {
  const result = await showDialog({
    title: trans.__('New KG notebook'),
    body: new Choice(templates),
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Create') })],
    focusNodeSelector: 'input:checked'
  });
  return (result.button.accept ? templates.find(template => template.id === result.value) : null) ?? null;
}

export const graphIcon = new LabIcon({
  name: 'kgnb-labextension:graph',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><g class="jp-icon3" fill="#616161">' +
    '<path d="M7.2 7.6 15.8 16l-1.4 1.4L5.8 9zM8 5h8v2H8zM17.5 8h2v7h-2z"/>' +
    '<circle cx="5.5" cy="6.5" r="3.5"/><circle cx="18.5" cy="6" r="3"/><circle cx="17.5" cy="18" r="4"/></g></svg>'
});
