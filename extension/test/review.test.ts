import { expect, it, vi } from 'vitest';

type Row = Record<string, unknown>;

interface IWidget {
  default: { render: (given: { model: object; el: HTMLElement }) => void };
}

const WORDS = { equivalent: 'equivalent', different: 'different' };

function row(id: string, confidence: number, more: Row = {}): Row {
  const candidates = [`${id} one`, `<b>${id}</b> two`];
  const verdict = { decision: 'unsure', by: 'rule', why: '', waits: true };
  return {
    id,
    name: id,
    iri: `http://huts.example/${id}`,
    kind: 'class',
    side: 'source',
    candidates,
    choice: 0,
    confidence,
    ...verdict,
    ...more
  };
}

/** A model whose kernel answers when it is told to. */
class Kernel {
  readonly heard = new Map<string, () => void>();
  readonly send = vi.fn();
  constructor(readonly traits: Record<string, unknown>) {}
  readonly get = (name: string): unknown => this.traits[name];
  readonly set = vi.fn();
  readonly save_changes = vi.fn();
  readonly off = vi.fn();
  readonly on = (name: string, handler: () => void): void => {
    this.heard.set(name, handler);
  };
  answer(traits: Record<string, unknown>): void {
    Object.assign(this.traits, traits);
    this.heard.get('change:view')?.();
  }
}

async function drawn(rows: Row[]): Promise<{ kernel: Kernel; el: HTMLElement }> {
  // @ts-expect-error: plain JavaScript that anywidget loads by itself
  const widget = (await import('../../kgnb/widgets/review.js')) as IWidget;
  const view = {
    said: '',
    nothing: 'Nothing to review.',
    undoable: false,
    changed: 0,
    words: WORDS,
    rejects: true,
    applies: true,
    file: 'mine.jsonl',
    left_out: 0
  };
  const kernel = new Kernel({ rows, decided: {}, view, detail: {}, who: 'Ada' });
  const el = document.createElement('div');
  document.body.append(el);
  widget.default.render({ model: kernel, el });
  return { kernel, el };
}

const names = (el: HTMLElement): string[] =>
  [...el.querySelectorAll('.kgnb-review-open')].map(one => one.textContent.slice(2));

function press(el: HTMLElement, key: string): void {
  el.querySelector('.kgnb-review-scroll')?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
}

it('says so when the kernel does not take an answer', async () => {
  const { kernel, el } = await drawn([row('hut', 0)]);
  vi.useFakeTimers();
  const said = (): string | null | undefined => el.querySelector('[role=status]')?.textContent;
  press(el, 'a');
  expect(kernel.send).toHaveBeenCalledWith({ action: 'equivalent', questions: ['hut'], choices: [0] });
  kernel.answer({});
  vi.advanceTimersByTime(60_000);
  expect(said()).toBe('');
  press(el, 'r');
  vi.advanceTimersByTime(60_000);
  expect(said()).toContain('run the cell again');
  vi.useRealTimers();
});

it('decides many rows at once, each with its own candidate, by keyboard alone', async () => {
  const { kernel, el } = await drawn([row('hut', 0), row('bed', 0), row('path', 0)]);
  press(el, '2');
  press(el, 'ArrowDown');
  press(el, '*');
  press(el, 'a');
  expect(kernel.send).toHaveBeenLastCalledWith({
    action: 'equivalent',
    questions: ['hut', 'bed', 'path'],
    choices: [1, 0, 0]
  });
  expect(el.querySelector('b')).toBeNull();
});

it('filters by confidence, kind and state, and shows what people decided', async () => {
  const sure = { waits: false, decision: 'equivalent' };
  const { kernel, el } = await drawn([
    row('hut', 0),
    row('bed', 0.6, sure),
    row('has bed', 0.95, { ...sure, kind: 'property' })
  ]);
  expect(names(el)).toEqual(['hut']);
  const choose = (label: string, value: string): void => {
    const field = el.querySelector<HTMLSelectElement | HTMLInputElement>(`[aria-label="${label}"]`);
    if (field) {
      field.value = value;
      field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input'));
    }
  };
  choose('Show', 'judge');
  expect(names(el)).toEqual(['bed', 'has bed']);
  choose('to, %', '90');
  expect(names(el)).toEqual(['bed']);
  choose('to, %', '100');
  choose('Kind', 'property');
  expect(names(el)).toEqual(['has bed']);
  choose('Kind', '');
  kernel.answer({ decided: { bed: { decision: 'different', choice: -1, who: 'Ada', when: '2026-01-02T03:04:05Z' } } });
  choose('Show', 'person');
  expect(el.querySelector('.kgnb-review-row')?.textContent).toContain('Ada, 2026-01-02');
});

it('shows both sides beside each other and marks what agrees', async () => {
  const { kernel, el } = await drawn([row('hut', 0)]);
  press(el, 'o');
  expect(kernel.send).toHaveBeenCalledWith({ action: 'open', questions: ['hut'], choices: [0] });
  const lines = [
    ['height', '1528', '1528', 'equal'],
    ['name', 'hut', '<i>x</i>', 'differs']
  ];
  Object.assign(kernel.traits, { detail: { id: 'hut', names: ['hut', 'refuge'], iris: ['a', 'b'], lines } });
  kernel.heard.get('change:detail')?.();
  const shown = [...el.querySelectorAll('.kgnb-review-detail tbody tr')].map(one => one.textContent);
  expect(shown).toEqual(['height15281528= equal', 'namehut<i>x</i>≠ differs']);
});
