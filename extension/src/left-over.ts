/**
 * Forms and review queues live in a kernel. In a notebook opened again without that kernel their place says "Error
 * displaying widget: model not found", though the same output holds what they showed as a result of ours: that is drawn.
 */

import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Cell, CodeCell } from '@jupyterlab/cells';
import type { IRenderMime, IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import type { Panel, Widget } from '@lumino/widgets';

const WIDGET_MIME = 'application/vnd.jupyter.widget-view+json';
const OURS = /^application\/vnd\.kgnb\.\w+\+json$/;
/** What ipywidgets puts in the place of a widget whose model it does not find. */
const LOST = '.jupyter-widgets.jp-OutputArea-output';
const SAID = 'Error displaying widget';

/** The data of an output without its widget, if a result of ours is left. */
export function withoutWidget(data: ReadonlyPartialJSONObject): ReadonlyPartialJSONObject | null {
  if (!(WIDGET_MIME in data) || !Object.keys(data).some(type => OURS.test(type))) {
    return null;
  }
  return Object.fromEntries(Object.entries(data).filter(([type]) => type !== WIDGET_MIME));
}

/** Draws the results in the place of widgets that are lost, in every notebook. */
export function drawLeftOver(tracker: INotebookTracker): void {
  tracker.widgetAdded.connect((_, panel) => {
    const watch = new MutationObserver(() => fill(panel));
    watch.observe(panel.content.node, { childList: true, subtree: true });
    panel.disposed.connect(() => watch.disconnect());
  });
}

function fill(panel: NotebookPanel): void {
  const lost = new Set([...panel.content.node.querySelectorAll(LOST)].filter(isLost));
  if (lost.size === 0) {
    return;
  }
  for (const cell of panel.content.widgets) {
    if (!hasOutputs(cell)) {
      continue;
    }
    const { outputArea } = cell;
    outputArea.widgets.forEach((output, index) => {
      for (const place of output.children()) {
        if (isPanel(place) && lost.has(place.node)) {
          draw(place, outputArea.model.get(index), panel.content.rendermime);
        }
      }
    });
  }
}

function hasOutputs(cell: Cell): cell is CodeCell {
  return cell.model.type === 'code';
}

function isPanel(place: Widget): place is Panel {
  return 'addWidget' in place;
}

function isLost(node: Element): boolean {
  return node.childElementCount === 0 && node.textContent.startsWith(SAID);
}

function draw(place: Panel, output: IRenderMime.IMimeModel, registry: IRenderMimeRegistry): void {
  const data = withoutWidget(output.data);
  const type = data ? registry.preferredMimeType(data) : undefined;
  if (type === undefined) {
    return;
  }
  const renderer = registry.createRenderer(type);
  place.node.textContent = '';
  place.addWidget(renderer);
  void renderer.renderModel(output);
}
