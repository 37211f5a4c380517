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
    answersAtOnce: say('answers at once'),
    answersIn: (time: string) => say('answers in %1', time),
    asking: say('asking …'),
    attempts: say('tries'),
    broken: (reason: string) => say('This result cannot be shown: %1.', reason),
    cached: (n: number) => say('%1 cached', shown(n)),
    cachedOne: say('cached'),
    calls: counted('{n} call', '{n} calls'),
    callsColumn: say('Calls'),
    callsTitle: say('Model calls'),
    cancelled: say('cancelled'),
    category: say('Knowledge graphs'),
    cellGone: say('The cell that made this is in no open notebook.'),
    check: say('Check'),
    checkGraph: (name: string) => say('Check whether %1 answers', name),
    choice: say('choice'),
    chooseTemplate: say('What to begin with'),
    classes: counted('{n} class', '{n} classes'),
    connections: say('Connections'),
    copied: say('Copied'),
    copyText: say('Copy'),
    copyCommand: say('Copy the command'),
    copyIri: say('Copy IRI'),
    costTitle: say('Cost'),
    create: say('Create'),
    done: say('done'),
    doneOf: (done: number, total: number, unit: string) => say('%1 of %2 %3', shown(done), shown(total), unit).trim(),
    doneSoFar: (done: number, unit: string) => say('%1 %2 so far', shown(done), unit),
    enlarge: say('Enlarge'),
    error: say('error'),
    everything: say('Everything'),
    failed: say('failed'),
    failedNumber: (n: number) => say('%1 failed', shown(n)),
    filterRows: say('Filter rows'),
    findNode: say('Find a node'),
    finishReason: say('ended by'),
    firstRun: say('The first run is under way.'),
    firstOf: (n: number, total: number) => say('The first %1 of %2 rows.', shown(n), shown(total)),
    frontEndNewer: (name: string, wanted: string, version: string, command: string) =>
      say('This kgnb is made for %1 up to %2, and this is %3. To mend it: %4', name, wanted, version, command),
    frontEndOlder: (name: string, wanted: string, version: string, command: string) =>
      say('kgnb needs %1 %2 or newer, and this is %3. To mend it: %4', name, wanted, version, command),
    graph: say('graph'),
    graphTitle: say('Graph'),
    hideDetails: say('Hide details'),
    howFound: say('How it was found'),
    inFigures: say('In figures'),
    inUse: say('in use'),
    insert: say('Insert'),
    insertQuery: (name: string) => say('Insert a query for %1', name),
    insertCell: (line: string) => say('Insert a cell: %1', line),
    judgedBy: say('judged by'),
    judgements: counted('{n} judgement', '{n} judgements'),
    judgementsTitle: say('Judgements'),
    leftOut: (n: number) => say('%1 more are in the saved run, not in the notebook.', shown(n)),
    loadHere: say('Load it here'),
    limited: say('stopped at a limit'),
    modelInUse: (name: string) => say('Model: %1', name),
    moreLines: counted('Show {n} more line', 'Show {n} more lines'),
    moreSteps: (n: number) => say('%1 more steps are in the saved run, not in the notebook.', shown(n)),
    needsALook: (n: number) => say('%1 to look at', shown(n)),
    newNotebook: say('New KG notebook'),
    newNotebookCaption: say('A notebook on knowledge graphs that runs as it is'),
    nextPage: say('Next page'),
    noAnswer: (reason: string) => say('does not answer: %1', reason),
    noAnswerFound: say('No answer'),
    noGraph: say('No graph is open.'),
    noKernel: say('This notebook has no kernel. Choose one above it, at the right.'),
    noMatch: (search: string) => say('Nothing matches “%1”.', search),
    noRun: say('Nothing has run in this notebook yet.'),
    notLoaded: say('kgnb is not loaded in this notebook.'),
    noRows: say('No rows.'),
    nodes: counted('{n} node', '{n} nodes'),
    lines: counted('{n} line', '{n} lines'),
    nothingToDraw: say('Nothing to draw.'),
    sameAsList: (nodes: string, lines: string) => say('The same as a list: %1, %2', nodes, lines),
    notAsked: say('not asked yet'),
    notCopied: say('Could not copy'),
    ofLimit: (spent: string, limit: string) => say('%1 of %2', spent, limit),
    open: say('Open'),
    openGraph: say('Open one'),
    openGraphNamed: say('Open this graph'),
    openSource: say('A file, huts:graph or https://…/sparql'),
    drawSchema: say('What is in it?'),
    openNotebook: say('Open a notebook to see its graphs, agents and runs.'),
    openReview: (line: string) => say('Answer what waits: %1', line),
    openRun: (name: string) => say('Open the run %1', name),
    outdated: say('to be run again'),
    packageNewer: (kernel: string, here: string, command: string) =>
      say(
        'This kernel has kgnb %1, Jupyter has kgnb %2. In Jupyter’s environment: %3, then restart it.',
        ...[kernel, here, command]
      ),
    packageOlder: (kernel: string, here: string, command: string) =>
      say(
        'This kernel has kgnb %1, Jupyter has kgnb %2. In the kernel’s environment: %3, then restart the kernel.',
        ...[kernel, here, command]
      ),
    page: (from: number, to: number, of: number) => say('%1–%2 of %3', shown(from), shown(to), shown(of)),
    paused: (step: string) => say('up to %1', step),
    properties: counted('{n} property', '{n} properties'),
    previousPage: say('Previous page'),
    progressOf: (step: string) => say('Progress of %1', step),
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
    runningNow: say('Running now'),
    runs: say('Runs'),
    savedRuns: say('Saved'),
    searchRun: say('Search this run'),
    setting: say('Parameters, data and versions'),
    showAll: say('Show all of it'),
    showLess: say('Show less'),
    showCell: (step: string) => say('Show the cell that made %1', step),
    showDetails: say('Show details'),
    openNeighbours: (nodes: string) => say('Show %1 more around it', nodes),
    savePicture: (format: string) => say('Save as %1', format),
    showKind: (kind: string) => say('Show %1', kind),
    shrink: say('Shrink'),
    showOnly: say('Show only'),
    showMore: (n: number) => say('Show %1 more', shown(n)),
    sortBy: (title: string) => say('Sort by %1', title),
    stepsOf: (title: string) => say('Steps of %1', title),
    stop: say('Stop'),
    stopRun: say('Stop this run'),
    table: say('Table'),
    template: (sentence: string) => (sentence ? say(sentence) : ''),
    timeTitle: say('Time'),
    tokens: (read: string, written: string) => say('%1 tokens in, %2 out', read, written),
    triples: counted('{n} triple', '{n} triples'),
    tokensTitle: say('Tokens'),
    turtleText: say('Turtle'),
    unknown: say('not known'),
    unsure: (n: number) => say('%1 unsure', shown(n)),
    waiting: counted('{n} question waits', '{n} questions wait'),
    waitingTitle: say('Waiting for you'),
    written: (n: number) => say('%1 written', shown(n))
  };
}

export type Words = ReturnType<typeof wordsFrom>;
