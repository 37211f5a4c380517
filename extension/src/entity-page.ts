/**
 * The page of an entity in the main area: what a graph says of it, what refers to it, and a picture. A click on an entity
 * in a result asks for it by an event, so that nothing leads out of JupyterLab unasked.
 */

import { button, drawIri, h } from './dom';
import { drawGraph, newGraphState } from './graph';
import { readGraph } from './graph-data';
import { object, shape, text } from './json';
import { drawTable, newTableState } from './table';
import { readTable } from './table-data';
import { linkTarget, oneLine, trans } from './wording';

const readHead = shape({ iri: text, label: text, kind: text, graph: text });

/** What the kernel says of an entity (`kgnb/magics/entity_page.py`). */
export function drawEntityPage(value: unknown, insert: (line: string) => void): HTMLElement {
  const page = object(value, 'the page');
  const head = readHead(value, 'the page');
  const label = oneLine(head.label);
  const kind = head.kind
    ? trans.__('%1, in the graph %2', oneLine(head.kind), oneLine(head.graph))
    : oneLine(head.graph);
  const query = (): void =>
    insert(`%%sparql ${head.graph}\nSELECT ?property ?value WHERE { <${head.iri}> ?property ?value }`);
  return h(
    'div.kgnb-entity',
    h('h2.kgnb-entity-title', label),
    h('div.kgnb-aside', kind),
    h(
      'div.kgnb-entity-line',
      drawIri({ iri: head.iri, label: head.iri }),
      ...openAddress(head.iri),
      button('kgnb-button', trans.__('Insert a query for %1', label), query, trans.__('Insert a query'))
    ),
    part(trans.__('What is said of it'), drawTable(readTable(page.facts), newTableState(25))),
    part(trans.__('What refers to it'), drawTable(readTable(page.uses), newTableState(10))),
    part(trans.__('Picture'), drawGraph(readGraph(page.picture), newGraphState()))
  );
}

/** A link that leaves JupyterLab, and says so. */
export function openAddress(iri: string): HTMLElement[] {
  const target = linkTarget(iri);
  return target === null
    ? []
    : [
        h('a.kgnb-button', { href: target, target: '_blank', rel: 'noopener noreferrer' }, trans.__('Open the address'))
      ];
}

function part(title: string, drawn: HTMLElement): HTMLElement {
  return h('section', h('h3', title), drawn);
}
