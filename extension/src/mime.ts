/**
 * Renderers for the bundles of kgnb. They draw with textContent only, so an untrusted notebook may show them.
 */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { CARD_MIME, drawCard, readCard } from './card';
import { drawnSafely, fold, h, keepKeys } from './dom';
import { trans, visible } from './wording';
import { drawGraph, newGraphState } from './graph';
import { GRAPH_MIME, readGraph } from './graph-data';
import type { ShowCell } from './notebooks';
import type { Preferences } from './preferences';
import { readRun, RUN_MIME } from './run';
import { drawRun, newRunState } from './runview';
import { readSparqlResults, SPARQL_RESULTS_MIME } from './sparql-results';
import type { TableState } from './table';
import { drawTable, newTableState } from './table';
import { readTable, TABLE_MIME } from './table-data';
import { drawTurtle, TURTLE_MIME } from './turtle';

/** One output, drawn again when the kernel updates its data. */
class ResultWidget extends Widget implements IRenderMime.IRenderer {
  constructor(
    private readonly mimeType: string,
    private readonly draw: (data: unknown) => HTMLElement
  ) {
    super();
    this.addClass('kgnb-result');
    // Arrow keys and letters go to the focused result, not to the notebook around it.
    keepKeys();
  }

  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const data: unknown = model.data[this.mimeType];
    const raw = (): HTMLElement => h('pre.kgnb-code', visible(JSON.stringify(data, null, 1)).slice(0, 20_000));
    this.node.replaceChildren(
      drawnSafely(
        () => this.draw(data),
        () => fold(trans.__('Data as it came'), [raw()])
      )
    );
    return Promise.resolve();
  }
}

// Both before text/html (50), which is there for front ends without this extension; ours before the standard formats.
const OUR_RANK = 0;
const STANDARD_RANK = 40;

/** Services of JupyterLab for the renderers, where available. */
export interface Lent {
  readonly preferences?: Preferences;
  readonly showCell?: ShowCell;
}

/**
 * The factories of all kgnb results, and of the standard formats of answers. Each output keeps what a person did to it
 * (sorting, opened rows) in its state.
 */
export function rendererFactories(lent: Lent = {}): IRenderMime.IRendererFactory[] {
  const factory = <State>(
    mimeType: string,
    newState: () => State,
    draw: (data: unknown, state: State) => HTMLElement,
    defaultRank = OUR_RANK
  ): IRenderMime.IRendererFactory => ({
    safe: true,
    mimeTypes: [mimeType],
    defaultRank,
    createRenderer: options => {
      const state = newState();
      return new ResultWidget(options.mimeType, data => draw(data, state));
    }
  });
  const tableState = (): TableState => newTableState(lent.preferences?.values.rowsPerPage);
  return [
    factory(TABLE_MIME, tableState, (data, state) => drawTable(readTable(data), state)),
    factory(RUN_MIME, newRunState, (data, state) => drawRun(readRun(data), state, lent.showCell)),
    factory(GRAPH_MIME, newGraphState, (data, state) => drawGraph(readGraph(data), state)),
    factory(CARD_MIME, newGraphState, (data, state) => drawCard(readCard(data), state)),
    factory(SPARQL_RESULTS_MIME, tableState, (data, state) => drawTable(readSparqlResults(data), state), STANDARD_RANK),
    factory(
      TURTLE_MIME,
      () => ({ whole: false }),
      (data, state) => drawTurtle(data, state),
      STANDARD_RANK
    )
  ];
}
