/**
 * The panel at the left: it shows the session of the notebook in front, asked of its kernel after every cell;
 * and a run in the main area, drawn again while it goes on, with what a person has opened left open.
 */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { NotebookActions } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import type { Drag } from '@lumino/dragdrop';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { NEW_NOTEBOOK, graphIcon, openFiles, PANEL } from './commands';
import { drawIri, drawnSafely, freshId, h, keepKeys, redraw } from './dom';
import { iriOf, SHOW_ENTITY } from './entity-event';
import { drawEntityPage, openAddress } from './entity-page';
import { oneLine, shortIri, trans } from './wording';
import type { JsonObject } from './json';
import { object, text } from './json';
import { KernelComm, NobodyThere } from './kernel-comm';
import type { ShowCell } from './notebooks';
import { Notebooks } from './notebooks';
import type { PanelData } from './panel-data';
import { NOTHING, PANEL_TARGET, readHealth, readHoldings, readPanel } from './panel-data';
import type { Hint, PanelActions, PanelState, TermKind, WhichRun } from './panel-drawing';
import { drawPanel, lineToOpen } from './panel-drawing';
import { readRun } from './run';
import { drawRun, newRunState } from './runview';

const FILES = 'application/x-jupyter-icontents'; // paths, as the file browser drags them
const DRAGGED = ['lm-dragenter', 'lm-dragleave', 'lm-dragover', 'lm-drop'];
const WATCHED = 1000; // milliseconds between looks at a kernel that works
const PATIENCE = 5000; // milliseconds a kernel is given to answer

/** An opened run, redrawn while it goes on. */
interface Opened {
  readonly area: RunArea;
  readonly which: WhichRun;
  readonly kernel: Kernel.IKernelConnection | null;
  seen: string;
}

export class ControlPanel extends Widget implements PanelActions {
  private data: PanelData = NOTHING;
  private hint: Hint;
  private drawn = '';
  private comm: KernelComm | null = null;
  private kernel: Kernel.IKernelConnection | null = null;
  private asking = false;
  private again = false;
  private aside: DrawnArea | null = null;
  private readonly state: PanelState = { opened: new Map(), health: new Map(), typed: '', searches: new Map() };
  private readonly opened = new Map<string, Opened>();
  private readonly searching = new Set<string>();
  private readonly notebooks: Notebooks;

  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly tracker: INotebookTracker
  ) {
    super();
    this.notebooks = new Notebooks(app, tracker);
    this.id = PANEL;
    this.addClass('kgnb-panel');
    this.title.icon = graphIcon;
    this.title.caption = trans.__('Knowledge graphs');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', trans.__('Knowledge graphs'));
    this.node.tabIndex = -1;
    this.hint = this.nobody();
    tracker.currentChanged.connect(() => this.follow());
    NotebookActions.executed.connect(this.onExecuted);
    document.addEventListener(SHOW_ENTITY, this.onEntity);
    document.addEventListener('lm-dragenter', this.onDragged, true);
    this.follow();
    this.draw();
  }

  // ---------------------------------------------------------------------------------------- what a person can do

  insert(line: string): void {
    void this.notebooks.insert(line);
  }

  openGraph(source: string): void {
    void this.notebooks.runLine((this.hint.remedy === 'load' ? '%load_ext kgnb\n' : '') + lineToOpen(source));
    this.state.typed = '';
  }

  review(line: string): void {
    void this.notebooks.runLine(line);
  }

  begin(): void {
    void this.app.commands.execute(NEW_NOTEBOOK);
  }

  load(): void {
    void this.notebooks.runLine('%load_ext kgnb');
  }

  check(connection: string): void {
    this.state.health.set(connection, null);
    this.draw();
    void this.ask({ ask: 'health', name: connection }).then(answer => {
      const reason =
        typeof answer?.error === 'string' ? answer.error : trans.__('kgnb is not loaded in this notebook.');
      const failed = { answers: false, milliseconds: 0, reason };
      this.state.health.set(connection, !answer || 'error' in answer ? failed : readHealth(answer, 'health'));
      this.draw();
    });
  }

  openRun(which: WhichRun, title: string): void {
    const { kernel } = this;
    const key = `${kernel?.id ?? ''} ${JSON.stringify(which)}`;
    const known = this.opened.get(key);
    if (known) {
      this.app.shell.activateById(known.area.id);
      this.refreshRun(known);
      return;
    }
    const area = new RunArea(title, this.notebooks.showCell);
    const opened: Opened = { area, which, kernel, seen: '' };
    this.opened.set(key, opened);
    area.disposed.connect(() => this.opened.delete(key));
    void this.ask({ ask: 'run', ...which }).then(answer => {
      area.take(answer ?? { error: trans.__('kgnb is not loaded in this notebook.') });
      area.id = `kgnb-run-${key.replace(/\W+/g, '-')}`;
      this.place(area);
      area.content.node.focus();
    });
  }

  stop(): void {
    void this.kernel?.interrupt();
  }

  /** One question at a time: what was typed meanwhile is asked for next, not letter by letter. */
  search(connection: string, kind: TermKind, text: string): void {
    const key = `${kind} ${connection}`;
    const before = this.state.searches.get(key);
    this.state.searches.set(key, { text, found: before?.found ?? null });
    if (this.searching.has(key)) {
      return;
    }
    this.searching.add(key);
    void this.ask({ ask: 'terms', name: connection, kind, search: text })
      .finally(() => this.searching.delete(key))
      .then(answer => {
        const typed = this.state.searches.get(key)?.text ?? text;
        if (typed !== text) {
          this.search(connection, kind, typed);
        } else if (answer) {
          const found = 'error' in answer ? [] : readHoldings(answer.terms, 'the answer');
          this.state.searches.set(key, { text, found });
          this.draw();
        }
      });
  }

  openEntity(iri: string): void {
    const area = new DrawnArea(shortIri(iri));
    area.id = `kgnb-entity-${freshId('page')}`;
    area.showDrawn(h('p.kgnb-aside', trans.__('asking …')));
    this.place(area);
    void this.ask({ ask: 'entity', iri }).then(answer => {
      const failed = answer ? oneLine(text(answer.error)) : trans.__('kgnb is not loaded in this notebook.');
      const drawn = failed
        ? h('div', h('p', failed), drawIri({ iri }), ...openAddress(iri))
        : drawnSafely(() => drawEntityPage(answer?.entity, line => this.insert(line)));
      area.showDrawn(drawn);
    });
  }

  /**
   * Shows a page beside the notebook; in Notebook 7, which has one document to a page, in its right sidebar. Escape leads
   * back to the notebook.
   */
  private place(area: DrawnArea): void {
    const { shell } = this.app;
    shell.add(area, 'main');
    if (!area.parent) {
      this.aside?.dispose();
      this.aside = area;
      shell.add(area, 'right', { rank: 900 });
    }
    area.content.node.addEventListener('keydown', event => {
      if (event.key === 'Escape' && this.tracker.currentWidget) {
        shell.activateById(this.tracker.currentWidget.id);
      }
    });
    shell.activateById(area.id);
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.refresh();
  }

  /** From here on the Tab key goes through what the panel shows; the palette gives the focus back before. */
  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    setTimeout(() => this.node.focus());
  }

  /** A click on an entity in a result. */
  private readonly onEntity = (event: Event): void => {
    const iri = iriOf(event);
    if (iri !== null) {
      event.preventDefault();
      this.openEntity(iri);
    }
  };

  override dispose(): void {
    document.removeEventListener(SHOW_ENTITY, this.onEntity);
    document.removeEventListener('lm-dragenter', this.onDragged, true);
    NotebookActions.executed.disconnect(this.onExecuted);
    this.comm?.close();
    super.dispose();
  }

  // ---------------------------------------------------------------------------------------- files dropped on it

  /** Lumino's drag and drop, which JupyterLab's file browser uses. */
  handleEvent(event: Event): void {
    const drag = event as Drag.Event;
    if (!drag.mimeData.hasData(FILES)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    drag.dropAction = drag.proposedAction; // the file browser supports no other
    this.node.classList.toggle('kgnb-panel-drop', event.type === 'lm-dragenter' || event.type === 'lm-dragover');
    if (event.type === 'lm-drop') {
      void openFiles(this.app, this.tracker, drag.mimeData.getData(FILES) as string[]);
    }
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    DRAGGED.forEach(type => {
      this.node.addEventListener(type, this);
    });
  }

  protected override onBeforeDetach(message: Message): void {
    DRAGGED.forEach(type => {
      this.node.removeEventListener(type, this);
    });
    super.onBeforeDetach(message);
  }

  // ---------------------------------------------------------------------------------------- whom it follows

  private follow(): void {
    const panel = this.tracker.currentWidget;
    if (!panel) {
      this.take(null);
      return;
    }
    const { sessionContext } = panel;
    const look = (): void => {
      if (this.tracker.currentWidget === panel) {
        this.take(sessionContext.session?.kernel ?? null);
      }
    };
    sessionContext.kernelChanged.disconnect(look);
    sessionContext.kernelChanged.connect(look);
    look();
  }

  private take(kernel: Kernel.IKernelConnection | null): void {
    if (kernel !== this.kernel) {
      this.kernel?.statusChanged.disconnect(this.onStatus);
      this.comm?.close();
      this.kernel = kernel;
      this.comm = kernel && new KernelComm(kernel, PANEL_TARGET, () => this.refresh());
      this.data = NOTHING;
      this.state.health.clear();
      kernel?.statusChanged.connect(this.onStatus);
    }
    this.refresh();
  }

  /** Shows the panel when files are dragged over its tab: they come from the file browser, which is where it is. */
  private readonly onDragged = (event: Event): void => {
    const over = event.target instanceof Element && event.target.closest('[data-id="kgnb-panel"]');
    if (over && !this.isVisible && (event as Drag.Event).mimeData.hasData(FILES)) {
      this.app.shell.activateById(this.id);
    }
  };

  private readonly onExecuted = (): void => this.refresh();

  /** Polls a busy kernel for its progress. */
  private readonly onStatus = (_: Kernel.IKernelConnection, status: Kernel.Status): void => {
    // Not on "idle": every question makes the kernel busy and idle again.
    if (status === 'busy') {
      setTimeout(() => {
        if (this.kernel?.status === 'busy') {
          this.refresh();
        }
      }, WATCHED);
    }
  };

  // ---------------------------------------------------------------------------------------- asking and showing

  private refresh(): void {
    if (!this.isVisible && this.opened.size === 0) {
      return;
    }
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    const late = new Promise<'late'>(resolve => {
      setTimeout(() => resolve('late'), PATIENCE);
    });
    const { kernel } = this;
    const saved = this.data.saved === null || !this.data.runs.some(run => run.working);
    void Promise.race([this.ask({ ask: 'state', saved }), late]).then(answer => {
      this.asking = false;
      // A kernel too busy to answer leaves the display unchanged; answers of a kernel no longer in front are dropped.
      if (answer !== 'late' && kernel === this.kernel) {
        this.showAnswer(answer);
      }
      if (this.again) {
        this.again = false;
        this.refresh();
      }
    });
  }

  private showAnswer(answer: JsonObject | null): void {
    const before = this.data.saved;
    const read = answer && !('error' in answer) ? readPanel(answer) : NOTHING;
    this.data = { ...read, saved: read.saved ?? before };
    const told = answer && typeof answer.error === 'string' ? oneLine(answer.error) : '';
    this.hint = answer ? { said: told, remedy: null, notebook: true } : this.nobody();
    this.draw();
    for (const one of this.data.connections) {
      // Local graphs are checked at once, remote services only on request.
      if (!one.remote && !this.state.health.has(one.name)) {
        this.check(one.name);
      }
    }
    this.opened.forEach(opened => this.refreshRun(opened));
    if (this.data.runs.some(run => run.working) || this.data.connections.some(one => one.reading)) {
      setTimeout(() => this.refresh(), WATCHED);
    }
  }

  /** The reason why nobody answers, with its remedy. */
  private nobody(): Hint {
    if (this.kernel) {
      return { said: trans.__('kgnb is not loaded in this notebook.'), remedy: 'load', notebook: true };
    }
    if (this.tracker.currentWidget) {
      const said = trans.__('This notebook has no kernel. Choose one above it, at the right.');
      return { said, remedy: null, notebook: true };
    }
    const remedy = this.app.commands.hasCommand(NEW_NOTEBOOK) ? 'begin' : null;
    return { said: trans.__('Open a notebook to see its graphs, agents and runs.'), remedy, notebook: false };
  }

  /** Updates an opened run if it has changed. */
  private refreshRun(opened: Opened): void {
    const { which, kernel, area } = opened;
    const line = 'number' in which ? this.data.runs.find(run => run.number === which.number) : undefined;
    const seen = JSON.stringify(line);
    if (line && kernel === this.kernel && seen !== opened.seen) {
      opened.seen = seen;
      void this.ask({ ask: 'run', ...which }).then(answer => {
        if (answer) {
          area.take(answer);
        }
      });
    }
  }

  private async ask(question: JSONObject): Promise<JsonObject | null> {
    try {
      return (await this.comm?.ask(question)) ?? null;
    } catch (error) {
      if (error instanceof NobodyThere) {
        return null;
      }
      throw error;
    }
  }

  private draw(): void {
    const shown = JSON.stringify([this.data, [...this.state.health], [...this.state.searches], this.hint]);
    if (shown === this.drawn) {
      return;
    }
    this.drawn = shown;
    redraw(this.node, drawPanel(this.data, this.state, this, this.hint));
  }
}

/** A page of ours in the main area. */
class DrawnArea extends MainAreaWidget {
  constructor(title: string) {
    const content = new Widget();
    super({ content });
    content.addClass('kgnb-result');
    content.addClass('kgnb-run-area');
    keepKeys();
    content.node.tabIndex = -1;
    this.title.label = title;
    this.title.caption = title;
    this.title.icon = graphIcon;
    this.title.closable = true;
  }

  showDrawn(drawn: HTMLElement): void {
    if (!this.isDisposed) {
      redraw(this.content.node, drawn);
    }
  }
}

export class RunArea extends DrawnArea {
  private readonly state = newRunState();
  private drawn = '';

  constructor(
    title: string,
    private readonly showCell: ShowCell
  ) {
    super(title);
  }

  /** Shows the kernel's answer to "run"; does nothing if it is unchanged. */
  take(answer: JsonObject): void {
    const written = JSON.stringify(answer.run ?? answer.error);
    if (written === this.drawn || this.isDisposed) {
      return;
    }
    this.drawn = written;
    this.showDrawn(this.draw(answer));
  }

  private draw(answer: JsonObject): HTMLElement {
    const said = oneLine(text(answer.error)) || trans.__('run');
    return drawnSafely(() => drawRun(readRun(object(answer.run, said)), this.state, this.showCell));
  }
}
