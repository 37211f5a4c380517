/**
 * A run as `kgnb/run/record.py` writes it (`Record.to_json`), with what `kgnb/results/run_view.py` left out.
 */

import { listOf, number, numberOrNull, numbers, object, shape, text, textOrNull, truth, versionOne } from './json';

export const RUN_MIME = 'application/vnd.kgnb.run+json';

const state = (value: unknown): string => text(value) || 'running';
const settings = (value: unknown, where: string): Readonly<Record<string, unknown>> => object(value ?? {}, where);

const readCall = shape({
  number,
  model: text,
  prompt_tokens: number,
  completion_tokens: number,
  cached_tokens: number,
  reasoning_tokens: number,
  usd: numberOrNull,
  seconds: number,
  cached: truth,
  cached_on: text,
  attempts: listOf(shape({ status: numberOrNull, error: text, seconds: number })),
  finish_reason: text,
  request: text,
  error: textOrNull
});
export type Call = ReturnType<typeof readCall>;

const readJudgement = shape({
  question: text,
  text,
  decision: text,
  choice: textOrNull,
  confidence: number,
  judged_by: text,
  rationale: text,
  failed: text // "model" or "limit" where nobody could answer, else ''
});
export type Judgement = ReturnType<typeof readJudgement>;

const readQuery = shape({ graph: text, query: text, rows: number, seconds: number });
export type Query = ReturnType<typeof readQuery>;

const readLeftOut = shape({ calls: number, judgements: number, unsure: number, queries: number });
export type LeftOut = ReturnType<typeof readLeftOut>;

const readStep = shape({
  number,
  name: text,
  state,
  note: text,
  counts: numbers,
  seconds: numberOrNull,
  calls: listOf(readCall),
  judgements: listOf(readJudgement),
  queries: listOf(readQuery),
  error: textOrNull,
  /** The id of the notebook cell that made it. */
  cell: (value): string | undefined => textOrNull(value) ?? undefined,
  left_out: (value, where): LeftOut | undefined => readLeftOut(value ?? {}, where)
});
export type Step = ReturnType<typeof readStep>;

const readTotals = shape({
  calls: number,
  cached: number,
  cached_on: text,
  prompt_tokens: number,
  completion_tokens: number,
  usd: numberOrNull,
  seconds: number,
  judgements: number,
  unsure: number,
  queries: number,
  retries: number
});
export type Totals = ReturnType<typeof readTotals>;

const readAll = shape({
  version: number,
  id: text,
  agent: text,
  state,
  parameters: settings,
  data: settings,
  versions: settings,
  seed: number,
  started: textOrNull,
  seconds: numberOrNull,
  steps: listOf(readStep),
  totals: (value, where): Totals => readTotals(value ?? {}, where),
  left_out: (value): { readonly steps: number } | undefined => ({
    steps: number(object(value ?? {}, 'left_out').steps)
  })
});
export type RunData = ReturnType<typeof readAll>;

export function readRun(value: unknown): RunData {
  versionOne(object(value, 'the run'));
  return readAll(value, 'the run');
}

/** The last step of a run that waits for its next one: between cells it is neither running nor finished. */
export function reachedBy(run: RunData): string | null {
  const waits = run.state === 'running' && run.steps.every(step => step.state !== 'running');
  return waits ? (run.steps.at(-1)?.name ?? null) : null;
}

/** The start and length of each step as shares of the run's time. */
export function timeline(steps: readonly Step[]): { start: number; length: number }[] {
  const whole = steps.reduce((sum, step) => sum + (step.seconds ?? 0), 0);
  let start = 0;
  return steps.map(step => {
    const length = whole > 0 ? (step.seconds ?? 0) / whole : 0;
    const placed = { start, length };
    start += length;
    return placed;
  });
}
