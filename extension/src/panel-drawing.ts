/**
 * Draws the panel: what runs, what waits for a person, connections, agents as ordered stages, runs.
 */

import { element, icon } from './dom';
import { oneLine } from './escaping';
import type { Connection, DocumentedAgent, DocumentedStage, Health, PanelData, StageState } from './panel-data';
import { AGENTS, agentState, agentTitle } from './panel-data';
import type { Hint, PanelActions } from './panel-parts';
import { insertButton, items, lineToInsert, pressable, section } from './panel-parts';
import { drawRunning, drawRuns } from './panel-runs';
import { stateIcon, stateName } from './run-lines';
import type { Words } from './words';
import { formatNumber, formatSeconds } from './wording';

export interface PanelState {
  /** Which parts are folded in or out, where a person has changed that. */
  readonly opened: Map<string, boolean>;
  /** What connections were found to answer; null while one is asked. */
  readonly health: Map<string, Health | null>;
}

export function drawPanel(
  data: PanelData,
  state: PanelState,
  words: Words,
  actions: PanelActions,
  hint: Hint
): HTMLElement {
  return new PanelDrawing(data, state, words, actions, hint).draw();
}

class PanelDrawing {
  constructor(
    private readonly data: PanelData,
    private readonly state: PanelState,
    private readonly words: Words,
    private readonly actions: PanelActions,
    private readonly hint: Hint
  ) {}

  draw(): HTMLElement {
    const { data, state, words, actions } = this;
    const running = drawRunning(data, actions, words);
    const reviews = this.reviews();
    const part = (key: string, title: string, open: boolean, ...content: (HTMLElement | null)[]): HTMLElement =>
      section(key, title, open, state.opened, ...content);
    return element(
      'div',
      'kgnb-panel-body',
      {},
      ...this.said(),
      running ? part('running', words.runningNow, true, running) : null,
      reviews.length > 0 ? part('reviews', words.waitingTitle, true, items(reviews)) : null,
      part('connections', words.connections, true, ...this.connections()),
      ...[...AGENTS, ...data.described].map(agent => {
        const ran = agentState(data, agent)?.stages ?? [];
        return part(agent.agent, agentTitle(agent, words), ran.length > 0, this.stages(agent, ran));
      }),
      part('runs', words.runs, data.runs.length + (data.saved?.length ?? 0) > 0, ...drawRuns(data, actions, words))
    );
  }

  private said(): HTMLElement[] {
    const { hint, words, actions } = this;
    const remedies = {
      begin: pressable(words.newNotebook, words.newNotebook, () => {
        actions.begin();
      }),
      load: pressable(words.loadHere, words.loadHere, () => {
        actions.load();
      })
    };
    return [
      ...(hint.said ? [element('p', 'kgnb-panel-hint', { role: 'status' }, oneLine(hint.said))] : []),
      ...(hint.remedy ? [element('div', 'kgnb-panel-remedy', {}, remedies[hint.remedy])] : [])
    ];
  }

  // ---------------------------------------------------------------------------------------- reviews

  private reviews(): HTMLElement[] {
    const { data, words, actions } = this;
    return [...AGENTS, ...data.described].flatMap(agent =>
      (agentState(data, agent)?.reviews ?? []).map(queue => {
        const line = oneLine(queue.line);
        const open = pressable(words.openReview(line), words.open, () => {
          actions.review(queue.line);
        });
        return element(
          'li',
          'kgnb-panel-item',
          {},
          element('div', 'kgnb-panel-line', {}, element('span', 'kgnb-panel-name', {}, agentTitle(agent, words)), open),
          element('div', 'kgnb-panel-waiting', {}, words.waiting(queue.waiting)),
          element('code', 'kgnb-panel-code', {}, line)
        );
      })
    );
  }

  // ---------------------------------------------------------------------------------------- connections

  private connections(): HTMLElement[] {
    const { data, words, actions } = this;
    const model = data.model ? [element('p', 'kgnb-panel-quiet', {}, words.modelInUse(oneLine(data.model)))] : [];
    if (data.connections.length === 0) {
      return [
        lineToInsert('%kg open huts:graph', words.openGraph, words.noGraph, actions, words, this.hint.notebook),
        ...model
      ];
    }
    return [items(data.connections.map(one => this.connection(one))), ...model];
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
    const check = pressable(words.checkGraph(name), words.check, () => {
      actions.check(one.name);
    });
    return element(
      'li',
      'kgnb-panel-item',
      {},
      element(
        'div',
        'kgnb-panel-line',
        {},
        element('span', 'kgnb-panel-name kgnb-panel-strong', { title: name }, name),
        one.current ? element('span', 'kgnb-panel-mark', {}, words.inUse) : null,
        check
      ),
      element('div', 'kgnb-panel-quiet', {}, oneLine(one.origin)),
      facts.length > 0 ? element('div', 'kgnb-panel-quiet', {}, facts.join(' · ')) : null,
      this.health(health)
    );
  }

  private health(health: Health | null | undefined): HTMLElement {
    const { words } = this;
    const [tone, said] =
      health === undefined
        ? ['quiet', words.notAsked]
        : health === null
          ? ['quiet', words.asking]
          : !health.answers
            ? ['bad', words.noAnswer(oneLine(health.reason))]
            : health.milliseconds < 1
              ? ['good', words.answersAtOnce]
              : ['good', words.answersIn(formatSeconds(health.milliseconds / 1000))];
    return element('div', `kgnb-panel-health kgnb-panel-${tone}`, { role: 'status' }, said);
  }

  // ---------------------------------------------------------------------------------------- agents

  private stages(agent: DocumentedAgent, ran: readonly StageState[]): HTMLElement {
    const stages = agent.start ? [agent.start, ...agent.stages] : agent.stages;
    return items(
      stages.map(stage =>
        this.stage(
          stage,
          ran.find(one => one.name === stage.name)
        )
      ),
      'ol'
    );
  }

  private stage(stage: DocumentedStage, ran: StageState | undefined): HTMLElement {
    const { words, actions, hint } = this;
    const facts = ran ? Object.entries(ran.counts).map(([name, n]) => `${formatNumber(n)} ${oneLine(name)}`) : [];
    if (ran && ran.seconds !== null) {
      facts.push(formatSeconds(ran.seconds));
    }
    const outdated = ran?.state === 'outdated';
    const name = ran ? (outdated ? words.outdated : stateName(ran.state, words)) : '';
    const mark = ran && !outdated ? stateIcon(ran.state) : null;
    const insert = insertButton(stage.line, words.insert, actions, words, hint.notebook);
    return element(
      'li',
      'kgnb-panel-item kgnb-panel-stage',
      {},
      element(
        'div',
        'kgnb-panel-line',
        {},
        mark ? icon(mark) : element('span', 'kgnb-panel-dot'),
        element('span', 'kgnb-panel-name kgnb-panel-strong', {}, stage.name),
        name ? element('span', 'kgnb-panel-quiet', {}, name) : null,
        insert
      ),
      element('div', 'kgnb-panel-help', {}, words.template(stage.help)),
      facts.length > 0 ? element('div', 'kgnb-panel-quiet', {}, facts.join(' · ')) : null,
      ran?.error ? element('div', 'kgnb-panel-bad', {}, oneLine(ran.error.split('\n')[0] ?? '')) : null
    );
  }
}
