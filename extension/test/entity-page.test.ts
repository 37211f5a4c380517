// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { drawIri } from '../src/dom';
import { iriOf, SHOW_ENTITY } from '../src/entity-event';
import { drawEntityPage } from '../src/entity-page';

const IRI = 'https://huts.example/id/1';
const table = (...cells: string[]): unknown => ({
  version: 1,
  columns: [{ key: 'value', title: 'Value', kind: 'text' }],
  rows: cells.map(cell => ({ cells: [cell] }))
});

describe('a click on an entity', () => {
  it('shows its page where somebody listens, and is a link elsewhere', () => {
    const drawn = drawIri({ iri: IRI, label: 'Hut' });
    document.body.append(drawn);
    const link = drawn.querySelector('a');
    const click = (init: MouseEventInit = {}): boolean =>
      link?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ...init })) ?? false;
    document.addEventListener('click', event => {
      event.preventDefault(); // jsdom cannot follow a link
    });
    const asked: (string | null)[] = [];
    const listen = (event: Event): void => {
      asked.push(iriOf(event));
      event.preventDefault();
    };
    click();
    expect(asked).toEqual([]);
    document.addEventListener(SHOW_ENTITY, listen);
    click();
    click({ ctrlKey: true });
    document.removeEventListener(SHOW_ENTITY, listen);
    expect(asked).toEqual([IRI]);
  });
});

describe('the page of an entity', () => {
  it('shows what a graph says both ways, and inserts a query', () => {
    const lines: string[] = [];
    const page = {
      ...{ iri: IRI, label: '<b>Hut</b>', kind: 'Building', graph: 'mine' },
      ...{ facts: table('2264'), uses: table('warden'), picture: { version: 1, nodes: [], edges: [], kinds: [] } }
    };
    const drawn = drawEntityPage(page, line => lines.push(line));
    expect(drawn.querySelector('h2')?.textContent).toBe('<b>Hut</b>');
    expect(drawn.textContent).toContain('2264');
    expect(drawn.textContent).toContain('warden');
    drawn.querySelector<HTMLElement>('.kgnb-entity-line > .kgnb-button[type=button]')?.click();
    expect(lines).toEqual([`%%sparql mine\nSELECT ?property ?value WHERE { <${IRI}> ?property ?value }`]);
  });
});
