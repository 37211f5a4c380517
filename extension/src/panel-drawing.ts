/**
 * Draws the panel: connections, agents as ordered stages, what waits for a person, runs.
 */

import { button, element, freshId, icon } from './dom';
import { oneLine } from './escaping';
import type {
  Connection,
  DocumentedAgent,
  DocumentedStage,
  Health,
  PanelData,
  RunLine,
  StageState
} from './panel-data';
import { AGENTS } from './panel-data';
import { stateIcon, stateName } from './run-lines';
import type { Words } from './words';
import { formatMoney, formatNumber, formatSeconds } from './wording';

/** What a person can do from the panel. */
export interface PanelActions {
  insert(line: string): void;
  check(connection: string): void;
  openRun(which: { number: number } | { folder: string }, title: string): void;
  stop(): void;
}

export interface PanelState {
  /** Which parts are folded in or out, where a person has changed that. */
  readonly opened: Map<string, boolean>;
  readonly health: Map<string, Health | null>;
}

export function drawPanel(
  data: PanelData,
  state: PanelState,
  words: Words,
  actions: PanelActions,
  hint: string
): HTMLElement {
  const drawing = new PanelDrawing(data, state, words, actions);
  return element(
    'div',
    'kgnb-panel-body',
    {},
    hint ? element('p', 'kgnb-panel-hint', { role: 'status' }, oneLine(hint)) : null,
    drawing.connections(),
    ...AGENTS.map(agent => drawing.agent(agent)),
    drawing.runs()
  );
}

class PanelDrawing {
  constructor(
    private readonly data: PanelData,
    private readonly state: PanelState,
    private readonly words: Words,
    private readonly actions: PanelActions
  ) {}

  connections(): HTMLElement {
    const { data, words } = this;
    const items = data.connections.map(one => this.connection(one));
    const model = data.model ? [element('p', 'kgnb-panel-quiet', {}, words.modelInUse(oneLine(data.model)))] : [];
    const none = this.line('%kg open huts:graph', words.openGraph, words.noGraph);
    return this.section('connections', words.connections, true, items.length > 0 ? this.list(items) : none, ...model);
  }

  private connection(one: Connection): HTMLElement {
    const { state, words, actions } = this;
    const name = oneLine(one.name);
    const health = state.health.get(one.name);
    const facts = [
      one.triples === null ? '' : words.triples(one.triples),
      one.classes === null ? '' : words.classes(one.classes),
      one.properties === null ? '' : words.properties(one.properties)
    ].filter(Boolean);
    const checked =
      health === undefined
        ? null
        : health === null
          ? words.asking
          : health.answers
            ? words.answersIn(formatSeconds(health.milliseconds / 1000))
            : words.noAnswer(oneLine(health.reason));
    return element(
      'li',
      'kgnb-panel-item',
      {},
      element(
        'div',
        'kgnb-panel-line',
        {},
        element('span', 'kgnb-panel-name', {}, name),
        one.current ? element('span', 'kgnb-panel-mark', {}, words.inUse) : null,
        button(
          'kgnb-panel-button',
          words.checkGraph(name),
          () => {
            actions.check(one.name);
          },
          words.check
        )
      ),
      element('div', 'kgnb-panel-quiet', { title: oneLine(one.origin) }, oneLine(one.origin)),
      facts.length > 0 ? element('div', 'kgnb-panel-quiet', {}, facts.join(' · ')) : null,
      checked === null
        ? null
        : element('div', health?.answers === false ? 'kgnb-panel-bad' : 'kgnb-panel-good', { role: 'status' }, checked)
    );
  }

  agent(agent: DocumentedAgent): HTMLElement {
    const { data, words } = this;
    const known = data.agents.find(one => one.name === agent.agent);
    const begun = (known?.stages.length ?? 0) > 0;
    const items = agent.stages.map(stage =>
      this.stage(
        stage,
        known?.stages.find(one => one.name === stage.name)
      )
    );
    const waiting = known?.waiting ?? 0;
    const review =
      agent.review && waiting > 0
        ? this.line(agent.review, words.reviewNow, words.waiting(waiting), 'kgnb-panel-waiting')
        : null;
    const start = agent.start ? [this.stage(agent.start, undefined)] : [];
    return this.section(agent.agent, words.template(agent.title), begun, review, this.list([...start, ...items], 'ol'));
  }

  private stage(stage: DocumentedStage, ran: StageState | undefined): HTMLElement {
    const { words, actions } = this;
    const figures = ran ? Object.entries(ran.counts).map(([name, n]) => `${formatNumber(n)} ${oneLine(name)}`) : [];
    if (ran && ran.seconds !== null) {
      figures.push(formatSeconds(ran.seconds));
    }
    const outdated = ran?.state === 'outdated';
    const name = ran ? (outdated ? words.outdated : stateName(ran.state, words)) : '';
    const mark = ran && !outdated ? stateIcon(ran.state) : null;
    return element(
      'li',
      'kgnb-panel-item kgnb-panel-stage',
      {},
      element(
        'div',
        'kgnb-panel-line',
        {},
        mark ? icon(mark) : element('span', 'kgnb-panel-dot'),
        element('span', 'kgnb-panel-name', {}, stage.name),
        name ? element('span', 'kgnb-panel-state', {}, name) : null,
        button(
          'kgnb-panel-button',
          words.insertCell(stage.line),
          () => {
            actions.insert(stage.line);
          },
          words.insert
        )
      ),
      element('div', 'kgnb-panel-help', {}, words.template(stage.help)),
      figures.length > 0 ? element('div', 'kgnb-panel-quiet', {}, figures.join(' · ')) : null
    );
  }

  runs(): HTMLElement {
    const { data, words } = this;
    const live = [...data.runs].reverse().map(run => this.run(run));
    const saved = data.saved.map(run => {
      const name = oneLine(run.name);
      const open = (): void => {
        this.actions.openRun({ folder: run.folder }, name);
      };
      const line = element(
        'div',
        'kgnb-panel-line',
        {},
        element('span', 'kgnb-panel-name', {}, name),
        button('kgnb-panel-button', words.openRun(name), open, words.open)
      );
      return element('li', 'kgnb-panel-item', {}, line);
    });
    return this.section(
      'runs',
      words.runs,
      live.length + saved.length > 0,
      live.length > 0 ? this.list(live) : element('p', 'kgnb-panel-quiet', {}, words.noRun),
      saved.length > 0 ? element('h4', 'kgnb-panel-sub', {}, words.savedRuns) : null,
      saved.length > 0 ? this.list(saved) : null
    );
  }

  private run(run: RunLine): HTMLElement {
    const { words, actions } = this;
    const name = `${run.number}. ${oneLine(run.agent).replaceAll('_', ' ')}`;
    const state = run.working ? 'running' : run.state === 'running' ? 'paused' : run.state;
    const facts = [
      words.steps(run.steps),
      run.calls > 0 ? words.calls(run.calls) : '',
      run.tokens > 0 ? words.tokensUsed(run.tokens) : '',
      run.calls > 0 && run.usd !== null ? formatMoney(run.usd) : '',
      formatSeconds(run.seconds)
    ].filter(Boolean);
    const at = run.working
      ? `${words.running}: ${oneLine(run.step)}`
      : state === 'paused'
        ? words.paused(oneLine(run.step))
        : stateName(state, words);
    return element(
      'li',
      'kgnb-panel-item',
      {},
      element(
        'div',
        'kgnb-panel-line',
        {},
        element('span', 'kgnb-panel-name', {}, name),
        run.working
          ? button(
              'kgnb-panel-button',
              words.stopRun,
              () => {
                actions.stop();
              },
              words.stop
            )
          : null,
        button(
          'kgnb-panel-button',
          words.openRun(name),
          () => {
            actions.openRun({ number: run.number }, name);
          },
          words.open
        )
      ),
      element('div', run.working ? 'kgnb-panel-good' : 'kgnb-panel-state', {}, at),
      element('div', 'kgnb-panel-quiet', {}, facts.join(' · '))
    );
  }

  private line(source: string, action: string, said: string, className = ''): HTMLElement {
    const { words, actions } = this;
    return element(
      'div',
      `kgnb-panel-line kgnb-panel-item ${className}`,
      {},
      element('span', 'kgnb-panel-name', {}, said),
      button(
        'kgnb-panel-button',
        words.insertCell(source),
        () => {
          actions.insert(source);
        },
        action
      )
    );
  }

  private list(items: readonly HTMLElement[], tag: 'ol' | 'ul' = 'ul'): HTMLElement {
    return element(tag, 'kgnb-panel-list', {}, ...items);
  }

  /** A part that folds; it opens by itself as soon as there is something in it, and then as a person wants it. */
  private section(key: string, title: string, open: boolean, ...content: (HTMLElement | null)[]): HTMLElement {
    const body = element('div', 'kgnb-panel-content', { id: freshId('part') }, ...content);
    const shown = this.state.opened.get(key) ?? open;
    const head = element(
      'button',
      'kgnb-panel-head',
      { type: 'button', 'aria-expanded': String(shown), 'aria-controls': body.id },
      icon('right'),
      title
    );
    body.hidden = !shown;
    head.addEventListener('click', () => {
      const now = body.hidden;
      body.hidden = !now;
      head.setAttribute('aria-expanded', String(now));
      this.state.opened.set(key, now);
    });
    return element('section', 'kgnb-panel-section', {}, element('h3', '', {}, head), body);
  }
}
