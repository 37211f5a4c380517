import { expect, it, vi } from 'vitest';

const QUESTION = { id: 'q1', kind: 'class', side: 'source', name: 'Hut', iri: 'http://huts.example/Hut' };

interface IWidget {
  default: { render: (given: { model: object; el: HTMLElement }) => void };
}

it('says so when the kernel does not take an answer', async () => {
  // @ts-expect-error: plain JavaScript that anywidget loads by itself
  const widget = (await import('../../kgnb/widgets/review.js')) as IWidget;
  vi.useFakeTimers();
  const view = { question: QUESTION, candidates: [], chosen: -1, decided: 0, skipped: 0, total: 1, said: '', hint: '' };
  const model = { get: (): object => view, send: vi.fn(), on: vi.fn(), off: vi.fn() };
  const el = document.createElement('div');
  widget.default.render({ model, el });
  const said = (): string | null | undefined => el.querySelector('[role=status]')?.textContent;
  const skip = (): void => el.querySelector<HTMLButtonElement>('[data-action=skip]')?.click();
  skip();
  expect(model.send).toHaveBeenCalledWith({ action: 'skip', choice: -1, question: 'q1' });
  (model.on.mock.calls[0]?.[1] as () => void)(); // the kernel's answer is drawn
  vi.advanceTimersByTime(60_000);
  expect(said()).toBe('');
  skip();
  vi.advanceTimersByTime(60_000);
  expect(said()).toContain('run the cell again');
});
