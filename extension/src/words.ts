/**
 * Every sentence the front end says, in the language of JupyterLab.
 */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { grouped } from './wording';

type Bundle = Pick<IRenderMime.TranslationBundle, '__' | '_n'>;

/** Used where no translator is at hand: the words as they stand in the source. */
export const UNTRANSLATED: Bundle = {
  __: (message: string, ...values: string[]) => filled(message, values),
  _n: (one: string, many: string, n: number) => (n === 1 ? one : many)
};

function filled(message: string, values: readonly string[]): string {
  return message.replace(/%(\d)/g, (_, at: string) => values[Number(at) - 1] ?? '');
}

// The inferred type is the list of sentences; writing it out would say each twice.
// eslint-disable-next-line @typescript-eslint/explicit-function-return-type
export function wordsFrom(bundle: Bundle) {
  const say = bundle.__.bind(bundle);
  const sayNumber = bundle._n.bind(bundle);
  const counted = (one: string, many: string) => (n: number) =>
    sayNumber(one, many, n).replace('{n}', grouped(String(n)));
  const shown = (n: number): string => grouped(String(n));
  return {
    answered: say('answered'),
    attempts: say('tries'),
    broken: (reason: string) => say('This result cannot be shown: %1.', reason),
    cached: (n: number) => say('%1 cached', shown(n)),
    cachedOne: say('cached'),
    calls: counted('{n} call', '{n} calls'),
    callsTitle: say('Model calls'),
    cancelled: say('cancelled'),
    choice: say('choice'),
    copied: say('Copied'),
    copyIri: say('Copy IRI'),
    costTitle: say('Cost'),
    done: say('done'),
    enlarge: say('Enlarge'),
    error: say('error'),
    failed: say('failed'),
    failedNumber: (n: number) => say('%1 failed', shown(n)),
    filterRows: say('Filter rows'),
    findNode: say('Find a node'),
    finishReason: say('ended by'),
    firstOf: (n: number, total: number) => say('The first %1 of %2 rows.', shown(n), shown(total)),
    graph: say('graph'),
    graphTitle: say('Graph'),
    hideDetails: say('Hide details'),
    judgedBy: say('judged by'),
    judgements: counted('{n} judgement', '{n} judgements'),
    judgementsTitle: say('Judgements'),
    leftOut: (n: number) => say('%1 more are in the saved run, not in the notebook.', shown(n)),
    limited: say('stopped at a limit'),
    moreSteps: (n: number) => say('%1 more steps are in the saved run, not in the notebook.', shown(n)),
    needsALook: (n: number) => say('%1 to look at', shown(n)),
    nextPage: say('Next page'),
    noMatch: (search: string) => say('Nothing matches “%1”.', search),
    noRows: say('No rows.'),
    nodesAndLines: (nodes: number, lines: number) =>
      say('The same as a list: %1 nodes, %2 lines', shown(nodes), shown(lines)),
    notCopied: say('Could not copy'),
    page: (from: number, to: number, of: number) => say('%1–%2 of %3', shown(from), shown(to), shown(of)),
    previousPage: say('Previous page'),
    published: say('published'),
    queries: counted('{n} query', '{n} queries'),
    queriesTitle: say('Graph queries'),
    query: say('query'),
    question: say('question'),
    questionId: say('question id'),
    rawData: say('Data as it came'),
    reason: say('reason'),
    request: say('request'),
    retriesTitle: say('Retries'),
    rows: counted('{n} row', '{n} rows'),
    rowsPerPage: say('Rows per page'),
    run: say('run'),
    running: say('running'),
    scores: say('Scores'),
    searchRun: say('Search this run'),
    setting: say('Parameters, data and versions'),
    showAll: say('Show all of it'),
    showDetails: say('Show details'),
    shrink: say('Shrink'),
    showMore: (n: number) => say('Show %1 more', shown(n)),
    sortBy: (title: string) => say('Sort by %1', title),
    stepsOf: (title: string) => say('Steps of %1', title),
    table: say('Table'),
    timeTitle: say('Time'),
    tokens: (read: string, written: string) => say('%1 tokens in, %2 out', read, written),
    tokensTitle: say('Tokens'),
    unknown: say('not known'),
    unsure: (n: number) => say('%1 unsure', shown(n)),
    written: (n: number) => say('%1 written', shown(n))
  };
}

export type Words = ReturnType<typeof wordsFrom>;
