/**
 * Runs in the panel: what goes on now, what has run in this notebook, what is saved.
 */

import { element, icon } from './dom';
import { oneLine } from './escaping';
import type { PanelData, Progress, RunLine, SavedRun } from './panel-data';
import { AGENTS, agentTitle } from './panel-data';
import type { PanelActions } from './panel-parts';
import { figures, items, pressable } from './panel-parts';
import { stateIcon, stateName } from './run-lines';
import type { Words } from './words';
import { formatMoney, formatNumber, formatSeconds } from './wording';

/** What runs at this moment, or null. */
export function drawRunning(data: PanelData, actions: PanelActions, words: Words): HTMLElement | null {
  const working = data.runs.filter(run => run.working).map(run => drawRunLine(run, actions, words));
  return working.length > 0 ? items(working) : null;
}

/** What has run in this notebook, the latest first, then what is saved. */
export function drawRuns(data: PanelData, actions: PanelActions, words: Words): HTMLElement[] {
  const live = [...data.runs].reverse().filter(run => !run.working);
  const saved = data.saved ?? [];
  return [
    live.length > 0
      ? items(live.map(run => drawRunLine(run, actions, words)))
      : element('p', 'kgnb-panel-quiet', {}, data.runs.length > 0 ? words.firstRun : words.noRun),
    ...(saved.length > 0
      ? [element('h4', 'kgnb-panel-sub', {}, words.savedRuns), items(saved.map(run => drawSaved(run, actions, words)))]
      : [])
  ];
}

/** "1. Ontology matching": numbered as ``%run_view --list`` does. */
export function runTitle(run: RunLine, words: Words): string {
  const known = AGENTS.find(agent => agent.agent === run.agent);
  return `${run.number}. ${known ? agentTitle(known, words) : oneLine(run.agent).replaceAll('_', ' ')}`;
}

function drawRunLine(run: RunLine, actions: PanelActions, words: Words): HTMLElement {
  const title = runTitle(run, words);
  const open = pressable(words.openRun(title), words.open, () => actions.openRun({ number: run.number }, title));
  const stop = run.working ? pressable(words.stopRun, words.stop, () => actions.stop(), 'kgnb-panel-stop') : null;
  return element(
    'li',
    `kgnb-panel-item kgnb-panel-run${run.working ? ' kgnb-panel-working' : ''}`,
    {},
    element('div', 'kgnb-panel-line', {}, element('span', 'kgnb-panel-name', { title }, title), stop ? null : open),
    // Two buttons leave the title no room in a narrow panel.
    element(
      'div',
      'kgnb-panel-line',
      {},
      drawState(run, words),
      stop ? element('span', 'kgnb-panel-buttons', {}, stop, open) : null
    ),
    run.working && run.progress ? drawProgress(run.progress, oneLine(run.step), words) : null,
    figures(costs(run, words))
  );
}

function drawState(run: RunLine, words: Words): HTMLElement {
  const step = oneLine(run.step);
  // Between two cells a run is neither under way nor over.
  const [mark, said] = run.working
    ? [stateIcon('running'), step]
    : run.state === 'running'
      ? [null, words.paused(step)]
      : [stateIcon(run.state), stateName(run.state, words)];
  return element('div', 'kgnb-panel-state', {}, mark ? icon(mark) : null, said);
}

/** What a run has taken so far: the columns are the same for every run, so that they can be compared. */
function costs(run: RunLine, words: Words): (readonly [string, string])[] {
  const asked = run.calls > 0;
  const usd = run.usd === null ? words.unknown : formatMoney(run.usd);
  const money = run.limit === null ? usd : words.ofLimit(usd, formatMoney(run.limit));
  return [
    [words.callsColumn, formatNumber(run.calls)],
    [words.tokensTitle, formatNumber(run.tokens)],
    [words.costTitle, asked ? money : formatMoney(0)],
    [words.timeTitle, formatSeconds(run.seconds)]
  ];
}

function drawProgress(progress: Progress, step: string, words: Words): HTMLElement {
  const { done, total } = progress;
  const unit = oneLine(progress.unit);
  const known = total !== null && total > 0;
  const share = known ? Math.min(1, done / total) : 0;
  const filled = element('div', 'kgnb-panel-bar-filled');
  filled.style.width = `${share * 100}%`;
  const bar = element(
    'div',
    `kgnb-panel-bar${known ? '' : ' kgnb-panel-bar-unknown'}`,
    {
      role: 'progressbar',
      'aria-label': words.progressOf(step),
      ...(known ? { 'aria-valuemin': 0, 'aria-valuemax': total, 'aria-valuenow': Math.min(done, total) } : {})
    },
    filled
  );
  const said = known ? words.doneOf(done, total, unit) : done > 0 ? words.doneSoFar(done, unit) : '';
  return element('div', '', {}, bar, said ? element('div', 'kgnb-panel-quiet', {}, said) : null);
}

function drawSaved(run: SavedRun, actions: PanelActions, words: Words): HTMLElement {
  const name = oneLine(run.name);
  const open = pressable(words.openRun(name), words.open, () => actions.openRun({ folder: run.folder }, name));
  return element(
    'li',
    'kgnb-panel-item',
    {},
    element('div', 'kgnb-panel-line', {}, element('span', 'kgnb-panel-name', { title: name }, name), open)
  );
}
