import { expect, test } from 'vitest';
import { withoutWidget } from '../src/left-over';

const WIDGET = 'application/vnd.jupyter.widget-view+json';
const TABLE = 'application/vnd.kgnb.table+json';

test('of a widget that is lost, the result beside it is left', () => {
  expect(withoutWidget({ [WIDGET]: { model_id: 'a' }, [TABLE]: { rows: [] }, 'text/plain': 'x' })).toEqual({
    [TABLE]: { rows: [] },
    'text/plain': 'x'
  });
});

test("what is no widget, and other packages' widgets, stay as they are", () => {
  expect(withoutWidget({ [TABLE]: { rows: [] } })).toBeNull();
  expect(withoutWidget({ [WIDGET]: { model_id: 'a' }, 'text/plain': 'IntSlider()' })).toBeNull();
});
