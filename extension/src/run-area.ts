/**
 * A run in the main area: its trace, drawn again while the run goes on, with what a person has opened left open.
 */

import { MainAreaWidget } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';
import { h } from './dom';
import { oneLine } from './escaping';
import { keepingFocus } from './focus';
import { graphIcon } from './icons';
import type { JsonObject } from './json';
import { object, ShapeError, text } from './json';
import type { ShowCell } from './notebooks';
import { readRun } from './run';
import { drawRun, newRunState } from './runview';
import { trans } from './words';

export class RunArea extends MainAreaWidget {
  private readonly state = newRunState();
  private drawn = '';

  constructor(
    title: string,
    private readonly showCell: ShowCell
  ) {
    const content = new Widget();
    super({ content });
    content.addClass('kgnb-result');
    content.addClass('kgnb-run-area');
    content.node.setAttribute('data-lm-suppress-shortcuts', 'true');
    content.node.tabIndex = -1;
    this.title.label = title;
    this.title.caption = title;
    this.title.icon = graphIcon;
    this.title.closable = true;
  }

  /** Shows the kernel's answer to "run"; nothing moves if it is what is shown already. */
  take(answer: JsonObject): void {
    const written = JSON.stringify(answer.run ?? answer.error);
    if (written === this.drawn || this.isDisposed) {
      return;
    }
    this.drawn = written;
    const { node } = this.content;
    const drawn = this.draw(answer);
    keepingFocus(node, () => {
      const scrolled = node.scrollTop;
      node.replaceChildren(drawn);
      node.scrollTop = scrolled;
    });
  }

  private draw(answer: JsonObject): HTMLElement {
    try {
      const run = readRun(object(answer.run, oneLine(text(answer.error)) || trans.__('run')));
      return drawRun(run, this.state, this.showCell);
    } catch (error) {
      if (!(error instanceof ShapeError)) {
        throw error;
      }
      return h('div.kgnb-error', { role: 'alert' }, trans.__('This result cannot be shown: %1.', error.message));
    }
  }
}
