/**
 * The panel at the left: it shows the session of the notebook in front, asked of its kernel after every cell.
 */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { NotebookActions } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { oneLine } from './escaping';
import { graphIcon } from './icons';
import { EVENT } from './insert';
import { object, ShapeError, text } from './json';
import { KernelComm, NobodyThere } from './kernel-comm';
import type { PanelData } from './panel-data';
import { NOTHING, PANEL_TARGET, readHealth, readPanel } from './panel-data';
import type { PanelActions, PanelState } from './panel-drawing';
import { drawPanel } from './panel-drawing';
import { readRun } from './run';
import { drawRun, newRunState } from './runview';
import type { Words } from './words';

const WATCHED = 1000; // milliseconds between looks at a kernel that works
const PATIENCE = 5000; // milliseconds a kernel is given to answer

export class ControlPanel extends Widget implements PanelActions {
  private data: PanelData = NOTHING;
  private hint: string;
  private comm: KernelComm | null = null;
  private kernel: Kernel.IKernelConnection | null = null;
  private asking = false;
  private again = false;
  private readonly state: PanelState = { opened: new Map(), health: new Map() };

  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly tracker: INotebookTracker,
    private readonly words: Words
  ) {
    super();
    this.id = 'kgnb-panel';
    this.addClass('kgnb-panel');
    this.title.icon = graphIcon;
    this.title.caption = words.category;
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', words.category);
    this.hint = words.openNotebook;
    tracker.currentChanged.connect(() => {
      this.follow();
    });
    NotebookActions.executed.connect(this.onExecuted);
    this.follow();
    this.draw();
  }

  insert(line: string): void {
    const panel = this.tracker.currentWidget;
    if (panel) {
      this.app.shell.activateById(panel.id);
      document.dispatchEvent(new CustomEvent(EVENT, { detail: { source: line }, cancelable: true }));
    }
  }

  check(connection: string): void {
    this.state.health.set(connection, null);
    this.draw();
    void this.ask({ ask: 'health', name: connection }).then(answer => {
      const reason = typeof answer?.error === 'string' ? answer.error : this.words.notLoaded;
      const failed = { answers: false, milliseconds: 0, reason };
      this.state.health.set(connection, !answer || 'error' in answer ? failed : readHealth(answer));
      this.draw();
    });
  }

  openRun(which: { number: number } | { folder: string }, title: string): void {
    void this.ask({ ask: 'run', ...which }).then(answer => {
      if (answer) {
        const content = new Widget();
        content.addClass('kgnb-result');
        content.addClass('kgnb-run-area');
        content.node.setAttribute('data-lm-suppress-shortcuts', 'true');
        try {
          const run = readRun(object(answer.run, oneLine(text(answer.error) || this.words.run)));
          content.node.append(drawRun(run, newRunState(), this.words));
        } catch (error) {
          if (!(error instanceof ShapeError)) {
            throw error;
          }
          content.node.textContent = this.words.broken(error.message);
        }
        const area = new MainAreaWidget({ content });
        area.title.label = title;
        area.title.icon = graphIcon;
        area.title.closable = true;
        this.app.shell.add(area, 'main');
      }
    });
  }

  stop(): void {
    void this.kernel?.interrupt();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.refresh();
  }

  override dispose(): void {
    NotebookActions.executed.disconnect(this.onExecuted);
    this.comm?.close();
    super.dispose();
  }

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
      this.comm =
        kernel &&
        new KernelComm(kernel, PANEL_TARGET, () => {
          this.refresh();
        });
      this.data = NOTHING;
      this.state.health.clear();
      kernel?.statusChanged.connect(this.onStatus);
    }
    this.refresh();
  }

  private readonly onExecuted = (): void => {
    this.refresh();
  };

  /** While cells run, a look now and then shows how far they are; kernels that can, answer at once. */
  private readonly onStatus = (_: Kernel.IKernelConnection, status: Kernel.Status): void => {
    // Not at "idle": every question makes the kernel busy and idle again.
    if (status === 'busy') {
      setTimeout(() => {
        if (this.kernel?.status === 'busy') {
          this.refresh();
        }
      }, WATCHED);
    }
  };

  private refresh(): void {
    if (!this.isVisible) {
      return;
    }
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    const late = new Promise<'late'>(resolve => {
      setTimeout(() => {
        resolve('late');
      }, PATIENCE);
    });
    void Promise.race([this.ask({ ask: 'state' }), late]).then(answer => {
      this.asking = false;
      // A kernel that cannot answer while it works leaves what is shown as it is.
      if (answer !== 'late') {
        this.showAnswer(answer);
      }
      if (this.again) {
        this.again = false;
        this.refresh();
      }
    });
  }

  private showAnswer(answer: Readonly<Record<string, unknown>> | null): void {
    const { words } = this;
    this.data = answer && !('error' in answer) ? readPanel(answer) : NOTHING;
    this.hint = answer ? '' : this.kernel ? words.notLoaded : words.openNotebook;
    if (answer && typeof answer.error === 'string') {
      this.hint = oneLine(answer.error);
    }
    this.draw();
    if (this.data.runs.some(run => run.working)) {
      setTimeout(() => {
        this.refresh();
      }, WATCHED);
    }
  }

  private async ask(question: JSONObject): Promise<Readonly<Record<string, unknown>> | null> {
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
    // What had the focus keeps it: it is found again by its name.
    const focused = this.node.contains(document.activeElement)
      ? document.activeElement?.getAttribute('aria-label')
      : null;
    const scrolled = this.node.scrollTop;
    this.node.replaceChildren(drawPanel(this.data, this.state, this.words, this, this.hint));
    this.node.scrollTop = scrolled;
    if (focused) {
      this.node.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
    }
  }
}
