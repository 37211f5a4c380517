/**
 * Runs in the panel: what goes on now, what has run in this notebook, what is saved.
 */

import { h, icon } from './dom';
import { oneLine } from './escaping';
import type { PanelData, Progress, RunLine, SavedRun } from './panel-data';
import { AGENTS, agentTitle } from './panel-data';
import type { PanelActions } from './panel-parts';
import { figures, items, pressable } from './panel-parts';
import { stateIcon, stateName } from './run-lines';
import { trans } from './words';
import { formatMoney, formatNumber, formatSeconds } from './wording';

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
