/**
 * What the kernel says of its session (`kgnb/magics/panel.py`), and the agents' stages as they are documented.
 */

import {
  listOf,
  number,
  numberOrNull,
  numbers,
  object,
  orNull,
  shape,
  text,
  textOrNull,
  truth,
  versionOne
} from './json';
import documented from './stages.json';
import { trans } from './wording';

export const PANEL_TARGET = 'kgnb.panel';

/** A class or a property: its name, its uses, a cell that queries its instances, and how deep it lies in a tree. */
const readHolding = shape({
  iri: text,
  name: text,
  count: number,
  query: text,
  depth: (value): number => numberOrNull(value) ?? 0
});
export const readHoldings = listOf(readHolding);
export type Holding = ReturnType<typeof readHolding>;

const readConnection = shape({
  name: text,
  origin: text,
  remote: truth,
  current: truth,
  triples: numberOrNull,
  classes: numberOrNull,
  properties: numberOrNull,
  reading: truth, // whether the kernel is still looking at what is in it
  queries: listOf(text), // cells of this notebook, the latest first
  holds: orNull(shape({ classes: listOf(readHolding), properties: listOf(readHolding) }))
});
export type Connection = ReturnType<typeof readConnection>;

const readStage = shape({ name: text, state: text, counts: numbers, seconds: numberOrNull, error: textOrNull });
export type StageState = ReturnType<typeof readStage>;

const readAgent = shape({
  name: text,
  stages: listOf(readStage),
  /** Questions that wait for a person, with the line that shows them. */
  reviews: listOf(shape({ line: text, waiting: number }))
});
export type AgentState = ReturnType<typeof readAgent>;

/** The progress of a step: done, total if known, and unit. */
const readProgress = shape({ done: number, total: numberOrNull, unit: text });
export type Progress = ReturnType<typeof readProgress>;

const readRunLine = shape({
  number,
  agent: text,
  state: text,
  step: text,
  working: truth,
  progress: orNull(readProgress),
  steps: number,
  calls: number,
  tokens: number,
  usd: numberOrNull,
  limit: numberOrNull, // the budget in US dollars, if there is one
  seconds: number
});
export type RunLine = ReturnType<typeof readRunLine>;

const readSaved = shape({ folder: text, name: text });
export type SavedRun = ReturnType<typeof readSaved>;

const readDocumentedStage = shape({ name: text, line: text, help: text });
export type DocumentedStage = ReturnType<typeof readDocumentedStage>;

const readDocumented = shape({
  agent: text,
  title: text,
  start: orNull(readDocumentedStage),
  stages: listOf(readDocumentedStage)
});
export type DocumentedAgent = ReturnType<typeof readDocumented>;

const readAll = shape({
  model: text,
  connections: listOf(readConnection),
  agents: listOf(readAgent),
  /** Agents that other packages export, described by the kernel as `stages.json` describes ours. */
  described: listOf(readDocumented),
  runs: listOf(readRunLine),
  /** Null where the answer leaves them out, as while a run is watched: the earlier ones are still valid. */
  saved: orNull(listOf(readSaved))
});
export type PanelData = ReturnType<typeof readAll>;

export const readHealth = shape({ answers: truth, milliseconds: number, reason: text });
export type Health = ReturnType<typeof readHealth>;

/** The four agents with their stages in order, in the words of the magics' help (a test compares them). */
export const AGENTS: readonly DocumentedAgent[] = documented;

export const NOTHING: PanelData = { model: '', connections: [], agents: [], described: [], runs: [], saved: [] };

/** The state of an agent in this notebook, if it has run. */
export function agentState(data: PanelData, agent: DocumentedAgent): AgentState | undefined {
  return data.agents.find(one => one.name === agent.agent);
}

export function agentTitle(agent: DocumentedAgent): string {
  return trans.__(agent.title);
}

export function readPanel(value: unknown): PanelData {
  versionOne(object(value, 'the answer'));
  return readAll(value, 'the answer');
}
