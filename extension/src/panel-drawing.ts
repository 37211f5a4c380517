/**
 * Draws the panel: what runs, what waits for a person, connections, agents as ordered stages, runs.
 */

import { button, element, icon } from './dom';
import { oneLine } from './escaping';
import type {
  Connection,
  DocumentedAgent,
  DocumentedStage,
  Health,
  Holding,
  PanelData,
  StageState
} from './panel-data';
import { AGENTS, agentState, agentTitle } from './panel-data';
import type { Hint, PanelActions } from './panel-parts';
import { insertButton, items, lineToInsert, pressable, section } from './panel-parts';
import { drawRunning, drawRuns } from './panel-runs';
import { stateIcon, stateName } from './run-lines';
import type { Words } from './words';
import { formatNumber, formatSeconds, grouped } from './wording';

export interface PanelState {
  /** Which parts are folded in or out, where a person has changed that. */
  readonly opened: Map<string, boolean>;
  /** What connections were found to answer; null while one is asked. */
  readonly health: Map<string, Health | null>;
  /** What is typed where a graph is opened. */
  typed: string;
}

/** The line that opens a source: a service by its address, anything else as a file or data set. */
export function lineToOpen(source: string): string {
  const name = source.trim().replace(/["\n\r]/g, '');
  const service = /^https?:/.test(name) && !/\.(ttl|nt|nq|trig|rdf|owl|xml|jsonld|json|n3|zip|hdt)(\.gz)?$/i.test(name);
  return `%kg ${service ? 'connect' : 'open'} ${/\s/.test(name) ? `"${name}"` : name}`;
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
      begin: pressable(words.newNotebook, words.newNotebook, () => actions.begin()),
      load: pressable(words.loadHere, words.loadHere, () => actions.load())
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
        const open = pressable(words.openReview(line), words.open, () => actions.review(queue.line));
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
        this.opener(),
        ...model
      ];
    }
    return [items(data.connections.map(one => this.connection(one))), this.opener(), ...model];
  }

  /** Where a graph is opened by its name. */
  private opener(): HTMLElement {
    const { state, words, actions, hint } = this;
    const name = words.openSource;
    const input = element('input', 'kgnb-panel-input', {
      type: 'text',
      'aria-label': name,
      placeholder: name,
      title: name,
      'data-kgnb-key': 'open-graph'
    });
    input.value = state.typed;
    input.disabled = !hint.notebook;
    const open = pressable(words.openGraphNamed, words.open, () => {
      if (state.typed.trim()) {
        actions.openGraph(state.typed);
        input.value = '';
      }
    });
    open.disabled = !hint.notebook;
    input.addEventListener('input', () => {
      state.typed = input.value;
    });
    input.addEventListener('keydown', event => {
      if (event.key === 'Enter') {
        open.click();
      }
    });
    return element('div', 'kgnb-panel-line kgnb-panel-item', {}, input, open);
  }

  /** The classes and properties of a graph, each a button that puts a query into the notebook. */
  private holdings(one: Connection): HTMLElement[] {
    const { state, words, actions, hint } = this;
    const listed = (key: string, title: string, held: readonly Holding[], open: boolean): HTMLElement =>
      section(
        `${key} ${one.name}`,
        title,
        open,
        state.opened,
        items(
          held.map(each => {
            const name = oneLine(each.name);
            const ask = button('kgnb-panel-held', words.insertQuery(name), () => actions.insert(each.query));
            ask.append(
              element('span', 'kgnb-panel-name', {}, name),
              element('span', 'kgnb-panel-quiet', {}, grouped(String(each.count)))
            );
            ask.disabled = !hint.notebook;
            return element('li', '', {}, ask);
          })
        )
      );
    if (!one.holds) {
      return one.reading
        ? [element('div', 'kgnb-panel-quiet', {}, words.asking)]
        : [lineToInsert(`%kg schema ${one.name}`, words.insert, words.drawSchema, actions, words, hint.notebook)];
    }
    const { classes, properties } = one.holds;
    return [
      listed('classes', words.classes(one.classes ?? classes.length), classes, one.current),
      listed('properties', words.properties(one.properties ?? properties.length), properties, false)
    ];
  }

  private connection(one: Connection): HTMLElement {
    const { state, words, actions } = this;
    const name = oneLine(one.name);
    const health = state.health.get(one.name);
    const facts = [one.triples === null ? '' : words.triples(one.triples)].filter(Boolean);
    const check = pressable(words.checkGraph(name), words.check, () => actions.check(one.name));
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
      this.health(health),
      ...this.holdings(one)
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
    const facts = ran
      ? Object.entries(ran.counts).map(([name, n]) => `${formatNumber(n ?? NaN)} ${oneLine(name)}`)
      : [];
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
