/**
 * Draws the panel: what runs, what waits for a person, connections, agents as ordered stages, runs.
 */

import { button, freshId, h, icon } from './dom';
import { formatMoney, formatNumber, formatSeconds, grouped, oneLine, trans } from './wording';
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
import { stateIcon, stateName } from './run-tree';

export interface PanelState {
  /** Parts that the user folded or unfolded. */
  readonly opened: Map<string, boolean>;
  /** The health of connections; null while one is checked. */
  readonly health: Map<string, Health | null>;
  /** The text in the field that opens a graph. */
  typed: string;
  /** What is searched for among the classes or properties of a graph, and what the kernel found; by the part's key. */
  readonly searches: Map<string, Search>;
}

/** A search among classes or properties; null until the kernel has answered. */
export interface Search {
  readonly text: string;
  readonly found: readonly Holding[] | null;
}

export type TermKind = 'classes' | 'properties';

const MOST_FOUND = 1000; // classes or properties that the kernel lists at once
const SEARCHED_FROM = 8; // classes or properties: fewer are read faster than a search is typed

/** The line that opens a source: an endpoint by its URL, anything else as a file or data set. */
export function lineToOpen(source: string): string {
  const name = source.trim().replace(/["\n\r]/g, '');
  const service = /^https?:/.test(name) && !/\.(ttl|nt|nq|trig|rdf|owl|xml|jsonld|json|n3|zip|hdt)(\.gz)?$/i.test(name);
  return `%kg ${service ? 'connect' : 'open'} ${/\s/.test(name) ? `"${name}"` : name}`;
}

/** The actions of the panel. */
export interface PanelActions {
  /** Writes a line into a new cell without running it. */
  insert(line: string): void;
  /** Opens a file or data set, or connects to an endpoint, with a cell that stays in the notebook. */
  openGraph(source: string): void;
  /** Shows a review queue by running its cell, or a new one. */
  review(line: string): void;
  check(connection: string): void;
  /** Lists the classes, as a tree, or the properties of a graph whose labels hold a text. */
  search(connection: string, kind: TermKind, text: string): void;
  /** Shows the page of an entity. */
  openEntity(iri: string): void;
  begin(): void;
  load(): void;
  openRun(which: WhichRun, title: string): void;
  stop(): void;
}

/** The message at the top and its remedy: a new notebook, or loading kgnb in the one in front. */
export interface Hint {
  readonly said: string;
  readonly remedy: 'begin' | 'load' | null;
  /** Whether there is a notebook to write into. */
  readonly notebook: boolean;
}

/** A run of this notebook by its number, or a saved one by its folder. */
export type WhichRun = { readonly number: number } | { readonly folder: string };

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
    const { data } = this;
    const working = data.runs.filter(run => run.working);
    const agents = [...AGENTS, ...data.described].map(agent => ({ agent, known: agentState(data, agent) }));
    const reviews = agents.flatMap(({ agent, known }) =>
      (known?.reviews ?? []).map(queue => this.review(agent, queue.line, queue.waiting))
    );
    const any = data.runs.length + (data.saved?.length ?? 0) > 0;
    return h(
      'div.kgnb-panel-body',
      ...this.said(),
      working.length > 0 ? this.part('running', trans.__('Running now'), true, this.runs(working)) : null,
      reviews.length > 0 ? this.part('reviews', trans.__('Waiting for you'), true, items(reviews)) : null,
      this.part('connections', trans.__('Connections'), true, ...this.connections()),
      ...agents.map(({ agent, known }) => {
        const ran = known?.stages ?? [];
        return this.part(agent.agent, agentTitle(agent), ran.length > 0, this.stages(agent, ran));
      }),
      this.part('runs', trans.__('Runs'), any, ...this.allRuns())
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

  private review(agent: DocumentedAgent, written: string, waiting: number): HTMLElement {
    const line = oneLine(written);
    const name = trans.__('Answer what waits: %1', line);
    return h(
      'li.kgnb-panel-item',
      row(
        agentTitle(agent),
        pressable(name, trans.__('Open'), () => this.actions.review(written))
      ),
      h('div.kgnb-panel-waiting', trans._n('{n} question waits', '{n} questions wait', waiting)),
      h('code.kgnb-panel-code', line)
    );
  }

  /** A foldable part; open by default once it has content, then as the user left it. */
  private part(key: string, title: string, open: boolean, ...content: readonly (HTMLElement | null)[]): HTMLElement {
    const { opened } = this.state;
    const body = h('div.kgnb-panel-content', { id: freshId('part') }, ...content);
    const head = h(
      'button.kgnb-panel-head',
      { type: 'button', 'aria-controls': body.id, 'data-kgnb-key': key },
      icon('right'),
      title
    );
    const show = (now: boolean): void => {
      body.hidden = !now;
      head.setAttribute('aria-expanded', String(now));
    };
    show(opened.get(key) ?? open);
    head.addEventListener('click', () => {
      opened.set(key, body.hidden);
      show(body.hidden);
    });
    return h('section.kgnb-panel-section', h('h3', head), body);
  }

  /** Inserts a line into the notebook; disabled without one. */
  private insertButton(line: string, said: string): HTMLButtonElement {
    const disabled = !this.hint.notebook;
    return pressable(trans.__('Insert a cell: %1', line), said, () => this.actions.insert(line), { disabled });
  }

  // ---------------------------------------------------------------------------------------- connections

  private connections(): HTMLElement[] {
    const { connections, model } = this.data;
    const none = row(trans.__('No graph is open.'), this.insertButton('%kg open huts:graph', trans.__('Open one')));
    none.classList.add('kgnb-panel-item');
    return [
      connections.length > 0 ? items(connections.map(one => this.connection(one))) : none,
      this.opener(),
      ...(model ? [h('p.kgnb-panel-quiet', trans.__('Model: %1', oneLine(model)))] : [])
    ];
  }

  private opener(): HTMLElement {
    const { state, actions, hint } = this;
    const name = trans.__('A file, huts:graph or https://…/sparql');
    const press = (): void => {
      if (state.typed.trim()) {
        actions.openGraph(state.typed);
        input.value = '';
      }
    };
    const disabled = !hint.notebook;
    const input = h('input.kgnb-panel-input', {
      ...{ type: 'text', 'aria-label': name, placeholder: name, title: name, value: state.typed, disabled },
      'data-kgnb-key': 'open-graph',
      input: () => {
        state.typed = input.value;
      },
      keydown: event => {
        if ((event as KeyboardEvent).key === 'Enter') {
          press();
        }
      }
    });
    const open = pressable(trans.__('Open this graph'), trans.__('Open'), press, { disabled });
    return h('div.kgnb-panel-line.kgnb-panel-item', input, open);
  }

  private connection(one: Connection): HTMLElement {
    const name = oneLine(one.name);
    const ask = trans.__('Check whether %1 answers', name);
    const check = pressable(ask, trans.__('Check'), () => this.actions.check(one.name));
    return h(
      'li.kgnb-panel-item.kgnb-panel-strong',
      row(name, one.current ? h('span.kgnb-panel-mark', trans.__('in use')) : null, check),
      h('div.kgnb-panel-quiet', oneLine(one.origin)),
      one.triples === null ? null : h('div.kgnb-panel-quiet', trans._n('{n} triple', '{n} triples', one.triples)),
      this.health(this.state.health.get(one.name)),
      ...this.holdings(one),
      ...this.queries(one)
    );
  }

  /** The latest queries of a graph, each a button that inserts its cell again. */
  private queries({ name, queries }: Connection): HTMLElement[] {
    if (queries.length === 0) {
      return [];
    }
    const disabled = !this.hint.notebook;
    const lines = queries.map(cell => {
      const query = oneLine(cell.slice(cell.indexOf('\n') + 1));
      const label = h('span.kgnb-panel-name.kgnb-panel-code', query);
      const insert = (): void => this.actions.insert(cell);
      return h(
        'li.kgnb-panel-term',
        button('kgnb-panel-held.kgnb-panel-query', trans.__('Insert again: %1', query), insert, { disabled }, label)
      );
    });
    return [
      this.part(`queries ${name}`, trans._n('{n} last query', '{n} last queries', lines.length), false, items(lines))
    ];
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
              ? ['good', trans.__('answers in under 1 ms')]
              : ['good', trans.__('answers in %1', formatSeconds(health.milliseconds / 1000))];
    return h(`div.kgnb-panel-health.kgnb-panel-${tone}`, { role: 'status' }, said);
  }

  private holdings({ name, holds, reading, current, ...one }: Connection): HTMLElement[] {
    if (!holds) {
      const look = row(trans.__('What is in it?'), this.insertButton(`%kg schema ${name}`, trans.__('Insert')));
      look.classList.add('kgnb-panel-item');
      return [reading ? h('div.kgnb-panel-quiet', trans.__('asking …')) : look];
    }
    const { classes, properties } = holds;
    const [many, more] = [one.classes ?? classes.length, one.properties ?? properties.length];
    const [titled, also] = [
      trans._n('{n} class', '{n} classes', many),
      trans._n('{n} property', '{n} properties', more)
    ];
    return [
      this.part(`classes ${name}`, titled, current, ...this.terms(name, 'classes', many, classes)),
      this.part(`properties ${name}`, also, false, ...this.terms(name, 'properties', more, properties))
    ];
  }

  /** The most frequent ones (classes as a tree), or those that a person searches for. */
  private terms(graph: string, kind: TermKind, total: number, frequent: readonly Holding[]): HTMLElement[] {
    const key = `${kind} ${graph}`;
    const search = this.state.searches.get(key);
    const name = kind === 'classes' ? trans.__('Find a class') : trans.__('Find a property');
    const input = h('input.kgnb-panel-input', {
      ...{ type: 'search', 'aria-label': name, placeholder: name, value: search?.text ?? '' },
      'data-kgnb-key': `search ${key}`,
      input: () => this.actions.search(graph, kind, input.value)
    });
    const shown = search?.found ?? frequent;
    const all = (): void => this.actions.search(graph, kind, input.value);
    const more =
      !search && total > frequent.length
        ? [pressable(trans.__('List all %1', total), trans.__('List all %1', total), all)]
        : [];
    const [none, many] = [
      trans.__('None is called so.'),
      trans.__('The first %1 only: search for others.', grouped(String(MOST_FOUND)))
    ];
    const said = search?.found?.length === 0 ? none : shown.length >= MOST_FOUND ? many : '';
    const note = said ? [h('p.kgnb-panel-quiet', { role: 'status' }, said)] : [];
    const field = total > SEARCHED_FROM ? [h('div.kgnb-panel-line.kgnb-panel-item', input, ...more)] : [];
    return [...field, ...note, items(shown.map(one => this.holding(one)))];
  }

  /** A class or a property: a button that inserts a query into the notebook, and one that opens its page. */
  private holding({ iri, name, count, query, depth }: Holding): HTMLElement {
    const shown = oneLine(name);
    const what = trans.__('Insert a query for %1', shown);
    const counted = count > 0 ? h('span.kgnb-panel-quiet', grouped(String(count))) : null; // an ontology alone has none
    const insert = (): void => this.actions.insert(query);
    const disabled = !this.hint.notebook;
    const label = h('span.kgnb-panel-name', shown);
    const page = trans.__('Show the page of %1', shown);
    const line = h(
      'li.kgnb-panel-term',
      button('kgnb-panel-held', what, insert, { disabled, title: shown }, label, counted),
      iri ? button('kgnb-panel-page', page, () => this.actions.openEntity(iri), icon('right')) : null
    );
    line.style.paddingLeft = `${Math.min(depth, 12) * 12}px`;
    return line;
  }

  // ---------------------------------------------------------------------------------------- agents

  private stages(agent: DocumentedAgent, ran: readonly StageState[]): HTMLElement {
    const stages = [...(agent.start ? [agent.start] : []), ...agent.stages];
    const stateOf = (name: string): StageState | undefined => ran.find(one => one.name === name);
    return h('ol.kgnb-panel-list', ...stages.map(stage => this.stage(stage, stateOf(stage.name))));
  }

  private stage(stage: DocumentedStage, ran: StageState | undefined): HTMLElement {
    const facts = ran
      ? Object.entries(ran.counts).map(([name, n]) => `${formatNumber(n ?? NaN)} ${oneLine(name)}`)
      : [];
    if (ran && ran.seconds !== null) {
      facts.push(formatSeconds(ran.seconds));
    }
    // A line does not break between a number and what it counts.
    const said = facts.join(' · ').replace(/(\d) /g, '$1\u00a0');
    const outdated = ran?.state === 'outdated';
    const name = ran ? (outdated ? trans.__('to be run again') : stateName(ran.state)) : '';
    const mark = ran && !outdated ? stateIcon(ran.state) : null;
    const insert = this.insertButton(stage.line, trans.__('Insert'));
    return h(
      'li.kgnb-panel-item.kgnb-panel-strong.kgnb-panel-stage',
      h(
        'div.kgnb-panel-line',
        mark ? icon(mark) : h('span.kgnb-panel-dot'),
        h('span.kgnb-panel-name', stage.name),
        name ? h('span.kgnb-panel-quiet', name) : null,
        insert
      ),
      h('div.kgnb-panel-help', trans.__(stage.help)),
      said ? h('div.kgnb-panel-quiet', said) : null,
      ran?.error ? h('div.kgnb-panel-bad', oneLine(ran.error.split('\n')[0] ?? '')) : null
    );
  }

  // ---------------------------------------------------------------------------------------- runs

  /** The runs of this notebook, latest first, then the saved ones. */
  private allRuns(): HTMLElement[] {
    const { runs, saved } = this.data;
    const over = runs.filter(run => !run.working).reverse();
    const none =
      runs.length > 0 ? trans.__('The first run is under way.') : trans.__('Nothing has run in this notebook yet.');
    return [
      over.length > 0 ? this.runs(over) : h('p.kgnb-panel-quiet', none),
      ...(saved && saved.length > 0 ? [h('h4.kgnb-panel-sub', trans.__('Saved')), this.savedRuns(saved)] : [])
    ];
  }

  private savedRuns(saved: readonly SavedRun[]): HTMLElement {
    return items(
      saved.map(({ folder, name }) =>
        h('li.kgnb-panel-item', row(oneLine(name), this.openButton({ folder }, oneLine(name))))
      )
    );
  }

  private openButton(which: WhichRun, title: string): HTMLButtonElement {
    return pressable(trans.__('Open the run %1', title), trans.__('Open'), () => this.actions.openRun(which, title));
  }

  private runs(runs: readonly RunLine[]): HTMLElement {
    return items(runs.map(run => this.run(run)));
  }

  private run(run: RunLine): HTMLElement {
    const title = runTitle(run);
    const open = this.openButton({ number: run.number }, title);
    const stop = pressable(trans.__('Stop this run'), trans.__('Stop'), () => this.actions.stop());
    stop.classList.add('kgnb-panel-stop');
    // Two buttons leave no room for the title in a narrow panel.
    return h(
      `li.kgnb-panel-item.kgnb-panel-strong.kgnb-panel-run${run.working ? '.kgnb-panel-working' : ''}`,
      row(title, run.working ? null : open),
      h('div.kgnb-panel-line', drawState(run), run.working ? h('span.kgnb-panel-buttons', stop, open) : null),
      run.working && run.progress ? drawProgress(run.progress, oneLine(run.step)) : null,
      h('dl.kgnb-panel-figures', ...costs(run).map(([heading, value]) => h('div', h('dt', heading), h('dd', value))))
    );
  }
}

/** "1. Ontology matching": numbered as ``%run_view --list`` does. */
function runTitle(run: RunLine): string {
  const known = AGENTS.find(agent => agent.agent === run.agent);
  return `${run.number}. ${known ? agentTitle(known) : oneLine(run.agent).replaceAll('_', ' ')}`;
}

function drawState(run: RunLine): HTMLElement {
  const step = oneLine(run.step);
  // Between two cells a run is neither running nor finished.
  const [mark, said] = run.working
    ? [stateIcon('running'), step]
    : run.state === 'running'
      ? [null, trans.__('up to %1', step)]
      : [stateIcon(run.state), stateName(run.state)];
  return h('div.kgnb-panel-state', mark ? icon(mark) : null, said);
}

/** The costs of a run so far, in the same columns for every run. */
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

function row(name: string, ...right: readonly (HTMLElement | null)[]): HTMLElement {
  return h('div.kgnb-panel-line', h('span.kgnb-panel-name', { title: name }, name), ...right);
}

function pressable(name: string, said: string, press: () => void, attributes = {}): HTMLButtonElement {
  return button('kgnb-panel-button', name, press, attributes, said);
}

function items(children: readonly HTMLElement[]): HTMLElement {
  return h('ul.kgnb-panel-list', ...children);
}
