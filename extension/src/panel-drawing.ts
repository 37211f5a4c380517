/**
 * Draws the panel: what runs, what waits for a person, connections, agents as ordered stages, runs.
 */

import { button, freshId, h, icon } from './dom';
import { oneLine, formatMoney, formatNumber, formatSeconds, grouped } from './wording';
import type {
  Connection,
  DocumentedAgent,
  DocumentedStage,
  Health,
  Holding,
  PanelData,
  Progress,
  RunLine,
  SavedRun,
  StageState
} from './panel-data';
import { AGENTS, agentState, agentTitle } from './panel-data';
import { stateIcon, stateName } from './run-lines';
import { trans } from './words';

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

/** What runs at this moment, or null. */
export function drawRunning(data: PanelData, actions: PanelActions): HTMLElement | null {
  const working = data.runs.filter(run => run.working).map(run => drawRunLine(run, actions));
  return working.length > 0 ? items(working) : null;
}

/** What has run in this notebook, the latest first, then what is saved. */
export function drawRuns(data: PanelData, actions: PanelActions): HTMLElement[] {
  const live = [...data.runs].reverse().filter(run => !run.working);
  const saved = data.saved ?? [];
  return [
    live.length > 0
      ? items(live.map(run => drawRunLine(run, actions)))
      : h(
          'p.kgnb-panel-quiet',
          data.runs.length > 0
            ? trans.__('The first run is under way.')
            : trans.__('Nothing has run in this notebook yet.')
        ),
    ...(saved.length > 0
      ? [h('h4.kgnb-panel-sub', trans.__('Saved')), items(saved.map(run => drawSaved(run, actions)))]
      : [])
  ];
}

/** "1. Ontology matching": numbered as ``%run_view --list`` does. */
export function runTitle(run: RunLine): string {
  const known = AGENTS.find(agent => agent.agent === run.agent);
  return `${run.number}. ${known ? agentTitle(known) : oneLine(run.agent).replaceAll('_', ' ')}`;
}

function drawRunLine(run: RunLine, actions: PanelActions): HTMLElement {
  const title = runTitle(run);
  const open = pressable(trans.__('Open the run %1', title), trans.__('Open'), () =>
    actions.openRun({ number: run.number }, title)
  );
  const stop = run.working
    ? pressable(trans.__('Stop this run'), trans.__('Stop'), () => actions.stop(), 'kgnb-panel-stop')
    : null;
  return h(
    `li.kgnb-panel-item.kgnb-panel-run${run.working ? '.kgnb-panel-working' : ''}`,
    h('div.kgnb-panel-line', h('span.kgnb-panel-name', { title }, title), stop ? null : open),
    h('div.kgnb-panel-line', drawState(run), stop ? h('span.kgnb-panel-buttons', stop, open) : null),
    run.working && run.progress ? drawProgress(run.progress, oneLine(run.step)) : null,
    figures(costs(run))
  );
}

function drawState(run: RunLine): HTMLElement {
  const step = oneLine(run.step);
  // Between two cells a run is neither under way nor over.
  const [mark, said] = run.working
    ? [stateIcon('running'), step]
    : run.state === 'running'
      ? [null, trans.__('up to %1', step)]
      : [stateIcon(run.state), stateName(run.state)];
  return h('div.kgnb-panel-state', mark ? icon(mark) : null, said);
}

/** What a run has taken so far: the columns are the same for every run, so that they can be compared. */
function costs(run: RunLine): (readonly [string, string])[] {
  const asked = run.calls > 0;
  const usd = run.usd === null ? trans.__('not known') : formatMoney(run.usd);
  const money = run.limit === null ? usd : trans.__('%1 of %2', usd, formatMoney(run.limit));
  return [
    [trans.__('Calls'), formatNumber(run.calls)],
    [trans.__('Tokens'), formatNumber(run.tokens)],
    [trans.__('Cost'), asked ? money : formatMoney(0)],
    [trans.__('Time'), formatSeconds(run.seconds)]
  ];
}

function drawProgress(progress: Progress, step: string): HTMLElement {
  const { done, total } = progress;
  const unit = oneLine(progress.unit);
  const known = total !== null && total > 0;
  const share = known ? Math.min(1, done / total) : 0;
  const filled = h('div.kgnb-panel-bar-filled');
  filled.style.width = `${share * 100}%`;
  const bar = h(
    `div.kgnb-panel-bar${known ? '' : '.kgnb-panel-bar-unknown'}`,
    {
      role: 'progressbar',
      'aria-label': trans.__('Progress of %1', step),
      ...(known ? { 'aria-valuemin': 0, 'aria-valuemax': total, 'aria-valuenow': Math.min(done, total) } : {})
    },
    filled
  );
  const said = known
    ? trans.__('%1 of %2 %3', done, total, unit).trim()
    : done > 0
      ? trans.__('%1 %2 so far', done, unit)
      : '';
  return h('div', bar, said ? h('div.kgnb-panel-quiet', said) : null);
}

function drawSaved(run: SavedRun, actions: PanelActions): HTMLElement {
  const name = oneLine(run.name);
  const open = pressable(trans.__('Open the run %1', name), trans.__('Open'), () =>
    actions.openRun({ folder: run.folder }, name)
  );
  return h('li.kgnb-panel-item', h('div.kgnb-panel-line', h('span.kgnb-panel-name', { title: name }, name), open));
}

/** What a person can do from the panel. */
export interface PanelActions {
  /** Writes a line into a new cell, and leaves it to be run. */
  insert(line: string): void;
  /** Opens a file or data set, or connects to a service, by a cell that stays in the notebook. */
  openGraph(source: string): void;
  /** Shows a queue: runs its cell, a new one where the notebook has none. */
  review(line: string): void;
  check(connection: string): void;
  /** Begins a notebook. */
  begin(): void;
  /** Loads kgnb in the notebook. */
  load(): void;
  openRun(which: WhichRun, title: string): void;
  stop(): void;
}

/** What is said above all else, and what a person can do about it: begin a notebook, load kgnb in the one in front. */
export interface Hint {
  readonly said: string;
  readonly remedy: 'begin' | 'load' | null;
  /** Whether there is a notebook to write into. */
  readonly notebook: boolean;
}

/** A run of this notebook by its number, or a saved one by its folder. */
export type WhichRun = { readonly number: number } | { readonly folder: string };

export function pressable(name: string, said: string, press: () => void, className = ''): HTMLButtonElement {
  return button(`kgnb-panel-button ${className}`.trim(), name, press, said);
}

export function items(children: readonly HTMLElement[], tag: 'ol' | 'ul' = 'ul'): HTMLElement {
  return h(`${tag}.kgnb-panel-list`, ...children);
}

/** A sentence, and a button that puts a line into the notebook. */
export function lineToInsert(
  source: string,
  action: string,
  said: string,
  actions: PanelActions,
  notebook: boolean
): HTMLElement {
  const insert = insertButton(source, action, actions, notebook);
  return h('div.kgnb-panel-line.kgnb-panel-item', h('span.kgnb-panel-name', said), insert);
}

/** Puts a line into the notebook; cannot be pressed where there is none. */
export function insertButton(
  source: string,
  said: string,
  actions: PanelActions,
  notebook: boolean
): HTMLButtonElement {
  const insert = pressable(trans.__('Insert a cell: %1', source), said, () => actions.insert(source));
  insert.disabled = !notebook;
  return insert;
}

/** Figures side by side, each under its heading. */
export function figures(pairs: readonly (readonly [string, string])[]): HTMLElement {
  const shown = pairs.map(([heading, value]) => h('div', h('dt', heading), h('dd', value)));
  return h('dl.kgnb-panel-figures', ...shown);
}

/** A part that folds; it opens by itself as soon as there is something in it, and then as a person wants it. */
export function section(
  key: string,
  title: string,
  open: boolean,
  opened: Map<string, boolean>,
  ...content: readonly (HTMLElement | null)[]
): HTMLElement {
  const body = h('div.kgnb-panel-content', { id: freshId('part') }, ...content);
  const shown = opened.get(key) ?? open;
  const head = h(
    'button.kgnb-panel-head',
    { type: 'button', 'aria-expanded': String(shown), 'aria-controls': body.id, 'data-kgnb-key': key },
    icon('right'),
    title
  );
  body.hidden = !shown;
  head.addEventListener('click', () => {
    const now = body.hidden;
    body.hidden = !now;
    head.setAttribute('aria-expanded', String(now));
    opened.set(key, now);
  });
  return h('section.kgnb-panel-section', h('h3', head), body);
}
