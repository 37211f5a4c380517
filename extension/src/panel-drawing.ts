/**
 * Draws the panel: what runs, what waits for a person, connections, agents as ordered stages, runs.
 */

import { button, h, icon } from './dom';
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
import { trans } from './words';
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

export function drawPanel(data: PanelData, state: PanelState, actions: PanelActions, hint: Hint): HTMLElement {
  return new PanelDrawing(data, state, actions, hint).draw();
}

class PanelDrawing {
  constructor(
    private readonly data: PanelData,
    private readonly state: PanelState,
    private readonly actions: PanelActions,
    private readonly hint: Hint
  ) {}

  draw(): HTMLElement {
    const { data, state, actions } = this;
    const running = drawRunning(data, actions);
    const reviews = this.reviews();
    const part = (key: string, title: string, open: boolean, ...content: (HTMLElement | null)[]): HTMLElement =>
      section(key, title, open, state.opened, ...content);
    return h(
      'div.kgnb-panel-body',
      ...this.said(),
      running ? part('running', trans.__('Running now'), true, running) : null,
      reviews.length > 0 ? part('reviews', trans.__('Waiting for you'), true, items(reviews)) : null,
      part('connections', trans.__('Connections'), true, ...this.connections()),
      ...[...AGENTS, ...data.described].map(agent => {
        const ran = agentState(data, agent)?.stages ?? [];
        return part(agent.agent, agentTitle(agent), ran.length > 0, this.stages(agent, ran));
      }),
      part('runs', trans.__('Runs'), data.runs.length + (data.saved?.length ?? 0) > 0, ...drawRuns(data, actions))
    );
  }

  private said(): HTMLElement[] {
    const { hint, actions } = this;
    const remedies = {
      begin: pressable(trans.__('New KG notebook'), trans.__('New KG notebook'), () => actions.begin()),
      load: pressable(trans.__('Load it here'), trans.__('Load it here'), () => actions.load())
    };
    return [
      ...(hint.said ? [h('p.kgnb-panel-hint', { role: 'status' }, oneLine(hint.said))] : []),
      ...(hint.remedy ? [h('div.kgnb-panel-remedy', remedies[hint.remedy])] : [])
    ];
  }

  // ---------------------------------------------------------------------------------------- reviews

  private reviews(): HTMLElement[] {
    const { data, actions } = this;
    return [...AGENTS, ...data.described].flatMap(agent =>
      (agentState(data, agent)?.reviews ?? []).map(queue => {
        const line = oneLine(queue.line);
        const open = pressable(trans.__('Answer what waits: %1', line), trans.__('Open'), () =>
          actions.review(queue.line)
        );
        return h(
          'li.kgnb-panel-item',
          h('div.kgnb-panel-line', h('span.kgnb-panel-name', agentTitle(agent)), open),
          h('div.kgnb-panel-waiting', trans._n('{n} question waits', '{n} questions wait', queue.waiting)),
          h('code.kgnb-panel-code', line)
        );
      })
    );
  }

  // ---------------------------------------------------------------------------------------- connections

  private connections(): HTMLElement[] {
    const { data, actions } = this;
    const model = data.model ? [h('p.kgnb-panel-quiet', trans.__('Model: %1', oneLine(data.model)))] : [];
    if (data.connections.length === 0) {
      return [
        lineToInsert(
          '%kg open huts:graph',
          trans.__('Open one'),
          trans.__('No graph is open.'),
          actions,
          this.hint.notebook
        ),
        this.opener(),
        ...model
      ];
    }
    return [items(data.connections.map(one => this.connection(one))), this.opener(), ...model];
  }

  /** Where a graph is opened by its name. */
  private opener(): HTMLElement {
    const { state, actions, hint } = this;
    const name = trans.__('A file, huts:graph or https://…/sparql');
    const input = h('input.kgnb-panel-input', {
      type: 'text',
      'aria-label': name,
      placeholder: name,
      title: name,
      'data-kgnb-key': 'open-graph'
    });
    input.value = state.typed;
    input.disabled = !hint.notebook;
    const open = pressable(trans.__('Open this graph'), trans.__('Open'), () => {
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
    return h('div.kgnb-panel-line.kgnb-panel-item', input, open);
  }

  /** The classes and properties of a graph, each a button that puts a query into the notebook. */
  private holdings(one: Connection): HTMLElement[] {
    const { state, actions, hint } = this;
    const listed = (key: string, title: string, held: readonly Holding[], open: boolean): HTMLElement =>
      section(
        `${key} ${one.name}`,
        title,
        open,
        state.opened,
        items(
          held.map(each => {
            const name = oneLine(each.name);
            const ask = button('kgnb-panel-held', trans.__('Insert a query for %1', name), () =>
              actions.insert(each.query)
            );
            ask.append(h('span.kgnb-panel-name', name), h('span.kgnb-panel-quiet', grouped(String(each.count))));
            ask.disabled = !hint.notebook;
            return h('li', ask);
          })
        )
      );
    if (!one.holds) {
      return one.reading
        ? [h('div.kgnb-panel-quiet', trans.__('asking …'))]
        : [
            lineToInsert(
              `%kg schema ${one.name}`,
              trans.__('Insert'),
              trans.__('What is in it?'),
              actions,
              hint.notebook
            )
          ];
    }
    const { classes, properties } = one.holds;
    return [
      listed('classes', trans._n('{n} class', '{n} classes', one.classes ?? classes.length), classes, one.current),
      listed(
        'properties',
        trans._n('{n} property', '{n} properties', one.properties ?? properties.length),
        properties,
        false
      )
    ];
  }

  private connection(one: Connection): HTMLElement {
    const { state, actions } = this;
    const name = oneLine(one.name);
    const health = state.health.get(one.name);
    const facts = [one.triples === null ? '' : trans._n('{n} triple', '{n} triples', one.triples)].filter(Boolean);
    const check = pressable(trans.__('Check whether %1 answers', name), trans.__('Check'), () =>
      actions.check(one.name)
    );
    return h(
      'li.kgnb-panel-item',
      h(
        'div.kgnb-panel-line',
        h('span.kgnb-panel-name.kgnb-panel-strong', { title: name }, name),
        one.current ? h('span.kgnb-panel-mark', trans.__('in use')) : null,
        check
      ),
      h('div.kgnb-panel-quiet', oneLine(one.origin)),
      facts.length > 0 ? h('div.kgnb-panel-quiet', facts.join(' · ')) : null,
      this.health(health),
      ...this.holdings(one)
    );
  }

  private health(health: Health | null | undefined): HTMLElement {
    const [tone, said] =
      health === undefined
        ? ['quiet', trans.__('not asked yet')]
        : health === null
          ? ['quiet', trans.__('asking …')]
          : !health.answers
            ? ['bad', trans.__('does not answer: %1', oneLine(health.reason))]
            : health.milliseconds < 1
              ? ['good', trans.__('answers at once')]
              : ['good', trans.__('answers in %1', formatSeconds(health.milliseconds / 1000))];
    return h(`div.kgnb-panel-health.kgnb-panel-${tone}`, { role: 'status' }, said);
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
    const { actions, hint } = this;
    const facts = ran
      ? Object.entries(ran.counts).map(([name, n]) => `${formatNumber(n ?? NaN)} ${oneLine(name)}`)
      : [];
    if (ran && ran.seconds !== null) {
      facts.push(formatSeconds(ran.seconds));
    }
    const outdated = ran?.state === 'outdated';
    const name = ran ? (outdated ? trans.__('to be run again') : stateName(ran.state)) : '';
    const mark = ran && !outdated ? stateIcon(ran.state) : null;
    const insert = insertButton(stage.line, trans.__('Insert'), actions, hint.notebook);
    return h(
      'li.kgnb-panel-item.kgnb-panel-stage',
      h(
        'div.kgnb-panel-line',
        mark ? icon(mark) : h('span.kgnb-panel-dot'),
        h('span.kgnb-panel-name.kgnb-panel-strong', stage.name),
        name ? h('span.kgnb-panel-quiet', name) : null,
        insert
      ),
      h('div.kgnb-panel-help', trans.__(stage.help)),
      facts.length > 0 ? h('div.kgnb-panel-quiet', facts.join(' · ')) : null,
      ran?.error ? h('div.kgnb-panel-bad', oneLine(ran.error.split('\n')[0] ?? '')) : null
    );
  }
}
