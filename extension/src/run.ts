/**
 * A run as `kgnb/run/record.py` writes it (`Record.to_json`), with what `kgnb/results/run_view.py` left out.
 */

import type { JsonObject } from './json';
import { list, number, numberOrNull, object, text, textOrNull, versionOne } from './json';

export const RUN_MIME = 'application/vnd.kgnb.run+json';

export interface Attempt {
  readonly status: number | null;
  readonly error: string;
  readonly seconds: number;
}

export interface Call {
  readonly number: number;
  readonly model: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  readonly usd: number | null;
  readonly seconds: number;
  readonly cached: boolean;
  readonly attempts: readonly Attempt[];
  readonly finish_reason: string;
  readonly request: string;
  readonly error: string | null;
}

export interface Judgement {
  readonly question: string;
  readonly text: string;
  readonly decision: string;
  readonly choice: string | null;
  readonly confidence: number;
  readonly judged_by: string;
  readonly rationale: string;
  /** "model" or "limit" where nobody could answer, else ''. */
  readonly failed: string;
}

export interface Query {
  readonly graph: string;
  readonly query: string;
  readonly rows: number;
  readonly seconds: number;
}

export interface LeftOut {
  readonly calls: number;
  readonly judgements: number;
  readonly unsure: number;
  readonly queries: number;
}

export interface Step {
  readonly number: number;
  readonly name: string;
  readonly state: string;
  readonly note: string;
  readonly counts: Readonly<Partial<Record<string, number>>>;
  readonly seconds: number | null;
  readonly calls: readonly Call[];
  readonly judgements: readonly Judgement[];
  readonly queries: readonly Query[];
  readonly error: string | null;
  /** The id of the notebook cell that made it, or ''. */
  readonly cell?: string;
  readonly left_out?: LeftOut;
}

export interface Totals {
  readonly calls: number;
  readonly cached: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly usd: number | null;
  readonly seconds: number;
  readonly judgements: number;
  readonly unsure: number;
  readonly queries: number;
  readonly retries: number;
}

export interface RunData {
  readonly version: number;
  readonly id: string;
  readonly agent: string;
  readonly state: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, unknown>>;
  readonly versions: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly started: string | null;
  readonly seconds: number | null;
  readonly steps: readonly Step[];
  readonly totals: Totals;
  readonly left_out?: { readonly steps: number };
}

/** Reads a run; throws a ShapeError that says what is wrong with it. */
export function readRun(value: unknown): RunData {
  const data = object(value, 'the run');
  versionOne(data);
  return {
    version: 1,
    id: text(data.id),
    agent: text(data.agent),
    state: text(data.state) || 'running',
    parameters: object(data.parameters ?? {}, 'parameters'),
    data: object(data.data ?? {}, 'data'),
    versions: object(data.versions ?? {}, 'versions'),
    seed: number(data.seed),
    started: textOrNull(data.started),
    seconds: numberOrNull(data.seconds),
    steps: list(data.steps, 'steps').map((step, at) => readStep(object(step, `steps[${at}]`), `steps[${at}]`)),
    totals: readTotals(object(data.totals ?? {}, 'totals')),
    left_out: { steps: number(object(data.left_out ?? {}, 'left_out').steps) }
  };
}

function readStep(step: JsonObject, where: string): Step {
  const objects = (name: string): JsonObject[] =>
    list(step[name], `${where}.${name}`).map((item, at) => object(item, `${where}.${name}[${at}]`));
  const leftOut = object(step.left_out ?? {}, `${where}.left_out`);
  return {
    number: number(step.number),
    name: text(step.name),
    state: text(step.state) || 'running',
    note: text(step.note),
    counts: readCounts(object(step.counts ?? {}, `${where}.counts`)),
    seconds: numberOrNull(step.seconds),
    calls: objects('calls').map(readCall),
    judgements: objects('judgements').map(readJudgement),
    queries: objects('queries').map(readQuery),
    error: textOrNull(step.error),
    ...(typeof step.cell === 'string' ? { cell: step.cell } : {}),
    left_out: {
      calls: number(leftOut.calls),
      judgements: number(leftOut.judgements),
      unsure: number(leftOut.unsure),
      queries: number(leftOut.queries)
    }
  };
}

function readCounts(counts: JsonObject): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).flatMap(([key, n]) => (typeof n === 'number' ? [[key, n]] : [])));
}

function readCall(call: JsonObject): Call {
  return {
    number: number(call.number),
    model: text(call.model),
    prompt_tokens: number(call.prompt_tokens),
    completion_tokens: number(call.completion_tokens),
    cached_tokens: number(call.cached_tokens),
    reasoning_tokens: number(call.reasoning_tokens),
    usd: numberOrNull(call.usd),
    seconds: number(call.seconds),
    cached: call.cached === true,
    attempts: list(call.attempts, 'attempts').map(item => {
      const attempt = object(item, 'an attempt');
      return { status: numberOrNull(attempt.status), error: text(attempt.error), seconds: number(attempt.seconds) };
    }),
    finish_reason: text(call.finish_reason),
    request: text(call.request),
    error: textOrNull(call.error)
  };
}

function readJudgement(judgement: JsonObject): Judgement {
  return {
    question: text(judgement.question),
    text: text(judgement.text),
    decision: text(judgement.decision),
    choice: textOrNull(judgement.choice),
    confidence: number(judgement.confidence),
    judged_by: text(judgement.judged_by),
    rationale: text(judgement.rationale),
    failed: text(judgement.failed)
  };
}

function readQuery(query: JsonObject): Query {
  return {
    graph: text(query.graph),
    query: text(query.query),
    rows: number(query.rows),
    seconds: number(query.seconds)
  };
}

function readTotals(totals: JsonObject): Totals {
  return {
    calls: number(totals.calls),
    cached: number(totals.cached),
    prompt_tokens: number(totals.prompt_tokens),
    completion_tokens: number(totals.completion_tokens),
    usd: numberOrNull(totals.usd),
    seconds: number(totals.seconds),
    judgements: number(totals.judgements),
    unsure: number(totals.unsure),
    queries: number(totals.queries),
    retries: number(totals.retries)
  };
}

/** How far a run has come that waits for its next step: between two cells it is neither under way nor over. */
export function reachedBy(run: RunData): string | null {
  const waits = run.state === 'running' && run.steps.every(step => step.state !== 'running');
  return waits ? (run.steps.at(-1)?.name ?? null) : null;
}
