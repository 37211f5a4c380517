/**
 * What the kernel says of its session (`kgnb/magics/panel.py`), and the agents' stages as they are documented.
 */

import type { JsonObject } from './json';
import { list, number, numberOrNull, object, text, textOrNull, versionOne } from './json';
import documented from './stages.json';
import type { Words } from './words';

export const PANEL_TARGET = 'kgnb.panel';

/** A class or a property: its name, how often it is used, and a cell that asks for what is in it. */
export interface Holding {
  readonly name: string;
  readonly count: number;
  readonly query: string;
}

export interface Connection {
  readonly name: string;
  readonly origin: string;
  readonly remote: boolean;
  readonly current: boolean;
  readonly triples: number | null;
  readonly classes: number | null;
  readonly properties: number | null;
  /** Whether the kernel is still looking at what is in it. */
  readonly reading: boolean;
  readonly holds: { readonly classes: readonly Holding[]; readonly properties: readonly Holding[] } | null;
}

export interface StageState {
  readonly name: string;
  readonly state: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly seconds: number | null;
  readonly error: string | null;
}

/** Questions that wait for a person, and the line that shows them. */
export interface ReviewQueue {
  readonly line: string;
  readonly waiting: number;
}

export interface AgentState {
  readonly name: string;
  readonly stages: readonly StageState[];
  readonly reviews: readonly ReviewQueue[];
}

/** How far a step is: so many of how many, where that is known, and of what. */
export interface Progress {
  readonly done: number;
  readonly total: number | null;
  readonly unit: string;
}

export interface RunLine {
  readonly number: number;
  readonly agent: string;
  readonly state: string;
  readonly step: string;
  readonly working: boolean;
  readonly progress: Progress | null;
  readonly steps: number;
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number | null;
  /** The budget in US dollars, if there is one. */
  readonly limit: number | null;
  readonly seconds: number;
}

export interface SavedRun {
  readonly folder: string;
  readonly name: string;
}

export interface PanelData {
  readonly model: string;
  readonly connections: readonly Connection[];
  readonly agents: readonly AgentState[];
  /** Agents that other packages export, described by the kernel as `stages.json` describes ours. */
  readonly described: readonly DocumentedAgent[];
  readonly runs: readonly RunLine[];
  /** Null where the answer leaves them out, as it does while a run is watched: those known before still hold. */
  readonly saved: readonly SavedRun[] | null;
}

export interface Health {
  readonly answers: boolean;
  readonly milliseconds: number;
  readonly reason: string;
}

export interface DocumentedStage {
  readonly name: string;
  readonly line: string;
  readonly help: string;
}

export interface DocumentedAgent {
  readonly agent: string;
  readonly title: string;
  readonly start: DocumentedStage | null;
  readonly stages: readonly DocumentedStage[];
}

/** The four agents with their stages in order: the words of the magics' own help, held to it by a test. */
export const AGENTS: readonly DocumentedAgent[] = documented;

export const NOTHING: PanelData = { model: '', connections: [], agents: [], described: [], runs: [], saved: [] };

/** How far an agent has come in this notebook, if anything of it has run. */
export function agentState(data: PanelData, agent: DocumentedAgent): AgentState | undefined {
  return data.agents.find(one => one.name === agent.agent);
}

export function agentTitle(agent: DocumentedAgent, words: Pick<Words, 'template'>): string {
  return words.template(agent.title);
}

function readDocumented(one: JsonObject): DocumentedStage {
  return { name: text(one.name), line: text(one.line), help: text(one.help) };
}

/** Reads the state; throws a ShapeError that says what is wrong with it. */
export function readPanel(data: JsonObject): PanelData {
  versionOne(data);
  const objects = (name: string): JsonObject[] =>
    list(data[name], name).map((item, at) => object(item, `${name}[${at}]`));
  return {
    model: text(data.model),
    connections: objects('connections').map(one => ({
      name: text(one.name),
      origin: text(one.origin),
      remote: one.remote === true,
      current: one.current === true,
      triples: numberOrNull(one.triples),
      classes: numberOrNull(one.classes),
      properties: numberOrNull(one.properties),
      reading: one.reading === true,
      holds: readHoldings(one.holds)
    })),
    agents: objects('agents').map(one => ({
      name: text(one.name),
      reviews: list(one.reviews, 'reviews').map(item => {
        const queue = object(item, 'a queue');
        return { line: text(queue.line), waiting: number(queue.waiting) };
      }),
      stages: list(one.stages, 'stages').map(item => readStage(object(item, 'a stage')))
    })),
    described: (data.described === undefined ? [] : objects('described')).map(one => ({
      agent: text(one.agent),
      title: text(one.title),
      start: readDocumented(object(one.start, 'a start')),
      stages: list(one.stages, 'stages').map(item => readDocumented(object(item, 'a stage')))
    })),
    runs: objects('runs').map(one => ({
      number: number(one.number),
      agent: text(one.agent),
      state: text(one.state),
      step: text(one.step),
      working: one.working === true,
      progress: readProgress(one.progress),
      steps: number(one.steps),
      calls: number(one.calls),
      tokens: number(one.tokens),
      usd: numberOrNull(one.usd),
      limit: numberOrNull(one.limit),
      seconds: number(one.seconds)
    })),
    saved:
      data.saved === undefined
        ? null
        : objects('saved').map(one => ({ folder: text(one.folder), name: text(one.name) }))
  };
}

function readHoldings(value: unknown): Connection['holds'] {
  if (value === null || value === undefined) {
    return null;
  }
  const held = object(value, 'holds');
  const some = (name: string): Holding[] =>
    list(held[name], name).map(item => {
      const one = object(item, name);
      return { name: text(one.name), count: number(one.count), query: text(one.query) };
    });
  return { classes: some('classes'), properties: some('properties') };
}

function readProgress(value: unknown): Progress | null {
  if (value === null || value === undefined) {
    return null;
  }
  const told = object(value, 'progress');
  return { done: number(told.done), total: numberOrNull(told.total), unit: text(told.unit) };
}

function readStage(stage: JsonObject): StageState {
  const counts = Object.entries(object(stage.counts ?? {}, 'counts'));
  return {
    name: text(stage.name),
    state: text(stage.state),
    counts: Object.fromEntries(counts.flatMap(([key, n]) => (typeof n === 'number' ? [[key, n]] : []))),
    seconds: numberOrNull(stage.seconds),
    error: textOrNull(stage.error)
  };
}

export function readHealth(data: JsonObject): Health {
  return { answers: data.answers === true, milliseconds: number(data.milliseconds), reason: text(data.reason) };
}
