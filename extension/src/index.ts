/**
 * The plugins of kgnb; each can be switched off by its id.
 */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { ICompletionProviderManager } from '@jupyterlab/completer';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator } from '@jupyterlab/translation';
import { followCells } from './magic-cells';
import { addCommands, addOpening, addShowing } from './commands';
import { QueryCompletions } from './completer';
import { listen, Notebooks } from './notebooks';
import { addLanguages } from './languages';
import { drawLeftOver } from './left-over';
import type { Lent } from './mime';
import { rendererFactories } from './mime';
import { ControlPanel } from './panel';
import { choicesFrom, IPreferences, Preferences } from './preferences';
import { checkFrontEnd, checkKernels } from './version-check';
import { speak } from './wording';

const settings: JupyterFrontEndPlugin<Preferences> = {
  id: 'kgnb-labextension:settings',
  description: 'What a person has chosen for knowledge graphs.',
  autoStart: true,
  optional: [ISettingRegistry],
  provides: IPreferences,
  activate: (_app: JupyterFrontEnd, registry: ISettingRegistry | null): Preferences => {
    const preferences = new Preferences();
    void registry?.load(settings.id).then(loaded => {
      const take = (): void => preferences.choose(choicesFrom(loaded.composite));
      loaded.changed.connect(take);
      take();
    });
    return preferences;
  }
};

const mime: JupyterFrontEndPlugin<void> = {
  id: 'kgnb-labextension:mime',
  description: 'Draws tables, scores, graphs and runs of kgnb, SPARQL results and Turtle.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [ITranslator, IPreferences, INotebookTracker],
  activate: (
    app: JupyterFrontEnd,
    registry: IRenderMimeRegistry,
    translator: ITranslator | null,
    preferences: Preferences | null,
    tracker: INotebookTracker | null
  ): void => {
    speak(translator);
    const lent: Lent = {
      ...(preferences ? { preferences } : {}),
      ...(tracker ? { showCell: new Notebooks(app, tracker).showCell } : {})
    };
    for (const factory of rendererFactories(lent)) {
      registry.addFactory(factory);
    }
    if (tracker) {
      drawLeftOver(tracker);
    }
  }
};

const insert: JupyterFrontEndPlugin<void> = {
  id: 'kgnb-labextension:insert',
  description: 'Lets the forms of kgnb put their line into a new cell.',
  autoStart: true,
  activate: (app: JupyterFrontEnd): void => listen(document, app.commands)
};

const languages: JupyterFrontEndPlugin<void> = {
  id: 'kgnb-labextension:languages',
  description: 'Colours SPARQL and Turtle, in files and in cells that begin with %%sparql or %%turtle.',
  autoStart: true,
  requires: [IEditorLanguageRegistry],
  optional: [INotebookTracker, IPreferences],
  activate: (
    _app: JupyterFrontEnd,
    registry: IEditorLanguageRegistry,
    tracker: INotebookTracker | null,
    preferences: Preferences | null
  ): void => {
    addLanguages(registry);
    if (tracker) {
      followCells(tracker, registry, preferences ?? new Preferences());
    }
  }
};

const completer: JupyterFrontEndPlugin<void> = {
  id: 'kgnb-labextension:completer',
  description: 'Completes queries in %%sparql cells from the open graph.',
  autoStart: true,
  requires: [ICompletionProviderManager],
  optional: [IPreferences],
  activate: (_app: JupyterFrontEnd, manager: ICompletionProviderManager, preferences: Preferences | null): void =>
    manager.registerProvider(new QueryCompletions(preferences ?? new Preferences()))
};

const commands: JupyterFrontEndPlugin<void> = {
  id: 'kgnb-labextension:commands',
  description: 'New notebooks on knowledge graphs, from templates that run as they are; files opened as graphs.',
  autoStart: true,
  optional: [IDefaultFileBrowser, ILauncher, IMainMenu, ICommandPalette, ITranslator, INotebookTracker],
  activate: (
    app: JupyterFrontEnd,
    browser: IDefaultFileBrowser | null,
    launcher: ILauncher | null,
    menu: IMainMenu | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
    tracker: INotebookTracker | null
  ): void => {
    speak(translator);
    const places = { browser, launcher, menu, palette, tracker };
    addCommands(app, places);
    addOpening(app, places);
  }
};

const panel: JupyterFrontEndPlugin<void> = {
  id: 'kgnb-labextension:panel',
  description: 'Graphs, agents stage by stage, and runs of the notebook in front, at the left.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ITranslator, ILayoutRestorer, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null
  ): void => {
    speak(translator);
    const shown = new ControlPanel(app, tracker);
    restorer?.add(shown, shown.id);
    app.shell.add(shown, 'left', { rank: 600, type: 'Knowledge graphs' });
    addShowing(app, palette, shown);
  }
};

const versions: JupyterFrontEndPlugin<void> = {
  id: 'kgnb-labextension:versions',
  description: 'Says so when this extension does not go with the front end or with the package in a kernel.',
  autoStart: true,
  optional: [INotebookTracker, ITranslator],
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker | null, translator: ITranslator | null): void => {
    speak(translator);
    checkFrontEnd(app);
    if (tracker) {
      checkKernels(tracker);
    }
  }
};

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  settings,
  mime,
  insert,
  languages,
  completer,
  commands,
  panel,
  versions
];

export default plugins;
