/**
 * Draws a table: sort, filter, pages, rows that open, IRIs that can be copied. All of it works by keyboard.
 */

import type { Cell, Column, Row, TableData, Sorting } from './table-data';
import {
  atLeast,
  cellText,
  fullText,
  hasDecimals,
  isNumeric,
  filterRows,
  nextSorting,
  pageOf,
  searchTexts,
  sortRows
} from './table-data';
import type { Pair } from './dom';
import { button, choice, copy, definitions, drawIri, fold, freshId, h, held, icon, save, searchField } from './dom';
import type { FileKind } from './table-files';
import { fileOf, MEDIA_TYPES } from './table-files';
import { oneLine, trans, visible } from './wording';
import { DEFAULTS, ROWS } from './preferences';

const FILTER_FROM = 6; // rows: fewer are read faster than a search is typed

/** The user's changes to a table; they survive a redraw with new data. */
export interface TableState {
  search: string;
  sorting: Sorting | null;
  page: number;
  size: number;
  opened: Set<number>;
  /** The columns that a person has hidden, by their place. */
  hidden: Set<number>;
  /** The least share a row must have in the first column of shares; 0: all rows. */
  least: number;
}

export function newTableState(size = DEFAULTS.rowsPerPage): TableState {
  return { search: '', sorting: null, page: 0, size, opened: new Set(), hidden: new Set(), least: 0 };
}

export function drawTable(data: TableData, state: TableState): HTMLElement {
  return new TableDrawing(data, state).root;
}

class TableDrawing {
  readonly root: HTMLElement;
  private readonly searchTexts: readonly string[];
  private readonly body = h('tbody');
  private readonly footer = h('div.kgnb-footer');
  private readonly status = h('span.kgnb-status', { role: 'status' });
  private readonly titles: HTMLTableCellElement[] = [];
  private readonly hasDetails: boolean;
  private readonly decimals: readonly boolean[];
  /** The first column of shares, or -1. */
  private readonly shares: number;

  constructor(
    private readonly data: TableData,
    private readonly state: TableState
  ) {
    this.searchTexts = searchTexts(data);
    this.decimals = data.columns.map((_, at) => hasDecimals(data.rows.map(row => row.cells[at] ?? null)));
    this.shares = data.columns.findIndex(column => column.kind === 'percent');
    this.hasDetails = data.rows.some(row => row.details.length > 0);
    const captionId = freshId('caption');
    const caption = oneLine(data.caption);
    const table = h(
      'table.kgnb-grid',
      caption ? { 'aria-labelledby': captionId } : { 'aria-label': trans.__('Table') },
      h('thead', this.drawTitles()),
      this.body
    );
    this.root = h(
      'div.kgnb-table',
      this.drawHeader(caption, captionId),
      h('div.kgnb-scroll', { tabindex: 0, role: 'region', 'aria-label': caption || trans.__('Table') }, table),
      this.footer,
      ...this.notes()
    );
    this.refresh();
  }

  private drawHeader(caption: string, captionId: string): HTMLElement | null {
    const searchable = this.data.rows.length >= FILTER_FROM;
    if (!caption && this.data.rows.length === 0) {
      return null;
    }
    const search = searchField(trans.__('Filter rows'), this.state.search, text => {
      this.state.search = text;
      this.state.page = 0;
      this.refresh();
    });
    return h(
      'div.kgnb-header',
      h('span.kgnb-caption', { id: captionId }, caption),
      h('span.kgnb-space'),
      ...(searchable ? [search, this.drawLeast(), this.drawColumns()] : []),
      this.data.rows.length > 1 && this.data.columns.some(column => isNumeric(column.kind))
        ? this.drawCharting()
        : null,
      this.data.rows.length > 0 ? this.drawSaving() : null
    );
  }

  /** The rows a person sees, over all pages. */
  private found(): number[] {
    const { state, data } = this;
    const matching = filterRows(this.searchTexts, state.search);
    return sortRows(data, atLeast(data, matching, this.shares, state.least), state.sorting);
  }

  /** A field that leaves out rows below a share, where a column holds shares, such as a confidence. */
  private drawLeast(): HTMLElement | null {
    const column = this.data.columns[this.shares];
    if (!column) {
      return null;
    }
    const name = trans.__('%1 at least', oneLine(column.title));
    const input = h('input.kgnb-least', {
      ...{ type: 'number', min: 0, max: 100, step: 5, 'aria-label': `${name}, %`, value: this.state.least * 100 },
      input: () => {
        this.state.least = Math.min(100, Math.max(0, Number(input.value) || 0)) / 100;
        this.state.page = 0;
        this.refresh();
      }
    });
    return h('label.kgnb-size-label', name, input, '%');
  }

  /** The choice of columns, folded. */
  private drawColumns(): HTMLElement | null {
    const { data, state } = this;
    if (data.columns.length < 3) {
      return null;
    }
    const boxes = data.columns.map((column, at) => {
      const box = h('input', { type: 'checkbox', checked: !state.hidden.has(at) });
      box.addEventListener('change', () => {
        state.hidden[box.checked ? 'delete' : 'add'](at);
        this.refresh();
      });
      return h('label', box, oneLine(column.title));
    });
    return menu(trans.__('Columns'), boxes);
  }

  /** A button that writes the cell which draws these rows: its chart is saved with the notebook, as any output. */
  private drawCharting(): HTMLElement {
    const press = (): void => {
      const prompt = made.closest('.jp-OutputArea-child')?.querySelector('.jp-OutputPrompt')?.textContent ?? '';
      const number = /\d+/.exec(prompt)?.[0];
      const source = number ? `_${number}.plot()` : '';
      const asked = new CustomEvent('kgnb:insert-cell', { cancelable: true, detail: { source } });
      said.textContent = document.dispatchEvent(asked)
        ? trans.__('Put the result into a variable, then call its plot().')
        : trans.__('Run the new cell below.');
    };
    const said = h('span.kgnb-aside', { 'aria-live': 'polite' });
    const made = button('kgnb-button.kgnb-chart', trans.__('Draw these rows as a chart'), press, trans.__('Chart'));
    return h('span', made, said);
  }

  /** What leads out of the notebook: the rows found, as a file or on the clipboard. */
  private drawSaving(): HTMLElement {
    const { data, state } = this;
    const text = (kind: FileKind): string => {
      const columns = data.columns.map((_, at) => at).filter(at => !state.hidden.has(at));
      return fileOf(kind, data, this.found(), columns);
    };
    const said = h('span.kgnb-aside', { 'aria-live': 'polite' });
    const files = (['csv', 'tsv', 'json'] as const).map(kind => {
      const name = kind.toUpperCase();
      const press = (): void =>
        save(new Blob([text(kind)], { type: `${MEDIA_TYPES[kind]};charset=utf-8` }), `table.${kind}`);
      return button(`kgnb-button.kgnb-save-${kind}`, trans.__('Save these rows as %1', name), press, name);
    });
    const tell = (_: boolean, words: string): void => {
      said.textContent = words;
    };
    const take = (): void => copy(text('tsv'), tell);
    const copying = button('kgnb-button.kgnb-save-copy', trans.__('Copy these rows'), take, trans.__('Copy'));
    const cut = data.total > data.rows.length ? [h('div.kgnb-aside', trans.__('The rows shown here, not all.'))] : [];
    return menu(trans.__('Save'), [h('div.kgnb-menu-line', ...files, copying, said), ...cut]);
  }

  private drawTitles(): HTMLTableRowElement {
    const row = h('tr');
    if (this.hasDetails) {
      row.append(h('th.kgnb-opener', { scope: 'col' }, h('span.kgnb-unseen', trans.__('Show details'))));
    }
    this.data.columns.forEach((column, at) => {
      const title = oneLine(column.title);
      const click = (): void => {
        this.state.sorting = nextSorting(this.state.sorting, at);
        this.state.page = 0;
        this.refresh();
      };
      const sort = h('button.kgnb-sort', { type: 'button', title: trans.__('Sort by %1', title), click }, title);
      const cell = h(`th.${numericClass(column)}`, { scope: 'col' }, sort);
      this.titles.push(cell);
      row.append(cell);
    });
    return row;
  }

  private refresh(): void {
    const { state, data } = this;
    const found = this.found();
    const page = pageOf(found, state.page, state.size);
    state.page = page.page;
    this.titles.forEach((title, at) => {
      this.markSorted(title, at);
      title.hidden = state.hidden.has(at);
    });
    this.body.replaceChildren(...page.rows.flatMap(at => this.drawRow(at)));
    if (!state.sorting) {
      this.markGroups(page.rows);
    }
    if (found.length === 0) {
      const said = state.search
        ? trans.__('Nothing matches “%1”.', visible(state.search))
        : state.least > 0
          ? trans.__('No row reaches %1.', cellText(state.least, 'percent'))
          : trans.__('No rows.');
      const width = data.columns.length + Number(this.hasDetails);
      this.body.append(h('tr', h('td.kgnb-empty', { colspan: Math.max(1, width) }, said)));
    }
    this.drawFooter(found.length, page);
  }

  private markSorted(title: HTMLTableCellElement, at: number): void {
    const { sorting } = this.state;
    const sorted = sorting?.column === at ? (sorting.descending ? 'descending' : 'ascending') : 'none';
    title.setAttribute('aria-sort', sorted);
    title.querySelector('.kgnb-icon')?.remove();
    title.firstElementChild?.append(icon(sorted === 'none' ? 'either' : sorted === 'ascending' ? 'up' : 'down'));
  }

  private markGroups(rows: readonly number[]): void {
    const lines = this.body.querySelectorAll('.kgnb-row');
    rows.forEach((row, at) => {
      const group = this.data.rows[row]?.group;
      const before = this.data.rows[rows[at - 1] ?? -1];
      lines[at]?.classList.toggle('kgnb-new-group', before !== undefined && before.group !== group);
    });
  }

  private drawRow(at: number): HTMLTableRowElement[] {
    const row = this.data.rows[at];
    if (!row) {
      return [];
    }
    const cells = row.cells.map((cell, column) => this.drawCell(cell, column));
    const className = row.group === 'summary' ? 'kgnb-row kgnb-summary' : 'kgnb-row';
    if (row.details.length === 0) {
      return [h(`tr.${className}`, this.hasDetails ? h('td.kgnb-opener') : null, ...cells)];
    }
    const details = this.drawDetails(row, freshId('details'));
    const turn = (): void => show(!this.state.opened.has(at));
    const opener = button('kgnb-button.kgnb-open', '', turn, { 'aria-controls': details.id }, icon('right'));
    const line = h('tr.kgnb-row', h('td.kgnb-opener', opener), ...cells);
    const show = (open: boolean): void => {
      this.state.opened[open ? 'add' : 'delete'](at);
      details.hidden = !open;
      line.classList.toggle('kgnb-opened', open);
      opener.setAttribute('aria-expanded', String(open));
      opener.title = open ? trans.__('Hide details') : trans.__('Show details');
      opener.setAttribute('aria-label', opener.title);
    };
    show(this.state.opened.has(at));
    return [line, details];
  }

  private drawCell(cell: Cell, at: number): HTMLTableCellElement {
    const column = this.data.columns[at];
    const kind = column?.kind ?? 'text';
    const made = h(`td.${column ? numericClass(column) : ''}`, { hidden: this.state.hidden.has(at) });
    if (cell !== null && typeof cell === 'object' && 'iri' in cell) {
      made.append(held(cellText(cell, kind), drawIri(cell)));
    } else if (typeof cell === 'number' && (kind === 'percent' || column?.key === this.data.bar)) {
      made.append(bar(cell), h('span.kgnb-figure', cellText(cell, kind, this.decimals[at])));
    } else {
      const text = cellText(cell, kind, this.decimals[at]);
      made.append(held(text, text));
      made.classList.toggle('kgnb-date', DATE.test(text));
      const full = fullText(cell);
      if (full) {
        made.title = visible(full);
      }
    }
    return made;
  }

  private drawDetails(row: Row, id: string): HTMLTableRowElement {
    const pairs = row.details.map(([heading, said]): Pair => [oneLine(heading), visible(said)]);
    return h('tr.kgnb-detail-row', { id }, h('td'), h('td', { colspan: this.data.columns.length }, definitions(pairs)));
  }

  private drawFooter(found: number, { page, pages }: { page: number; pages: number }): void {
    const { data, state } = this;
    const from = found === 0 ? 0 : page * state.size + 1;
    const to = Math.min(found, (page + 1) * state.size);
    this.status.textContent =
      pages > 1 ? trans.__('%1–%2 of %3', from, to, found) : trans._n('{n} row', '{n} rows', found);
    const smallest = ROWS[0] ?? 0;
    this.footer.hidden = data.rows.length <= smallest && !state.search && state.least === 0;
    const turn = (step: number, name: string, picture: 'left' | 'right'): HTMLButtonElement => {
      const press = (): void => {
        state.page += step;
        this.refresh();
        this.footer.querySelector<HTMLButtonElement>(`.kgnb-page-${picture}`)?.focus();
      };
      const disabled = page + step < 0 || page + step >= pages;
      return button(`kgnb-button.kgnb-page-${picture}`, name, press, { disabled }, icon(picture));
    };
    const turning =
      pages > 1 ? [turn(-1, trans.__('Previous page'), 'left'), turn(1, trans.__('Next page'), 'right')] : [];
    this.footer.replaceChildren(this.status, ...turning, ...this.drawSizes());
  }

  private drawSizes(): HTMLElement[] {
    const { data, state } = this;
    if (data.rows.length <= (ROWS[0] ?? 0)) {
      return [];
    }
    const show = (size: string): void => {
      state.size = Number(size);
      state.page = 0;
      this.refresh();
      this.footer.querySelector('select')?.focus();
    };
    const options = ROWS.map(size => [String(size), String(size)] as const);
    const sizes = choice('kgnb-sizes', trans.__('Rows per page'), options, String(state.size), show);
    return [h('label.kgnb-size-label', trans.__('Rows per page'), sizes)];
  }

  private notes(): HTMLElement[] {
    const { data } = this;
    const cut =
      data.total > data.rows.length ? [trans.__('The first %1 of %2 rows.', data.rows.length, data.total)] : [];
    const lines = (notes: readonly string[]): HTMLElement[] => notes.map(note => h('div.kgnb-note', visible(note)));
    return [...lines([...cut, ...data.notes]), ...fold(trans.__('In figures'), lines(data.facts))];
  }
}

const DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.+\-Z]*)?$/;

/** What is folded behind a button, over what is below it. */
function menu(title: string, content: readonly HTMLElement[]): HTMLElement {
  const summary = h('summary', title, icon('down'));
  const shown = h('details.kgnb-menu', summary, h('div.kgnb-menu-body', ...content));
  const left = ({ relatedTarget }: FocusEvent): boolean =>
    relatedTarget instanceof Node && !shown.contains(relatedTarget);
  shown.addEventListener('focusout', event => {
    shown.open &&= !left(event);
  });
  shown.addEventListener('keydown', event => {
    if (event.key === 'Escape' && shown.open) {
      event.stopPropagation();
      shown.open = false;
      summary.focus();
    }
  });
  return shown;
}

function bar(share: number): HTMLElement {
  const filled = h('span.kgnb-bar-filled');
  filled.style.width = `${Math.min(100, Math.max(0, share * 100))}%`;
  return h('span.kgnb-bar', { 'aria-hidden': 'true' }, filled);
}

function numericClass(column: Column): string {
  return isNumeric(column.kind) ? 'kgnb-number' : '';
}
