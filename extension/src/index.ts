/**
 * The plugins of kgnb; each can be switched off by its id.
 */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';
import { listen } from './insert';
import { rendererFactories } from './mime';

const mime: JupyterFrontEndPlugin<void> = {
  id: 'kgnb-labextension:mime',
  description: 'Draws tables, scores and runs of kgnb.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [ITranslator],
  activate: (_app: JupyterFrontEnd, registry: IRenderMimeRegistry, translator: ITranslator | null): void => {
    for (const factory of rendererFactories(translator?.load('kgnb'))) {
      registry.addFactory(factory);
    }
  }
};

const insert: JupyterFrontEndPlugin<void> = {
  id: 'kgnb-labextension:insert',
  description: 'Lets the forms of kgnb put their line into a new cell.',
  autoStart: true,
  activate: (app: JupyterFrontEnd): void => {
    listen(document, app.commands);
  }
};

const plugins: JupyterFrontEndPlugin<unknown>[] = [mime, insert];

export default plugins;
