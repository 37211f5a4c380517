/** How a result asks for the page of an entity: by an event, for it knows no kernel. */

/** What a click on an entity dispatches; `preventDefault` says that its page is shown. */
export const SHOW_ENTITY = 'kgnb:show-entity';

/** Asks whoever listens for the page of an entity; false if nobody does. */
export function askForPage(from: EventTarget, iri: string): boolean {
  const asked = new CustomEvent(SHOW_ENTITY, { bubbles: true, cancelable: true, detail: { iri } });
  return !from.dispatchEvent(asked);
}

/** The IRI that such an event asks for. */
export function iriOf(event: Event): string | null {
  const detail: unknown = event instanceof CustomEvent ? event.detail : null;
  const iri = typeof detail === 'object' && detail !== null && 'iri' in detail ? detail.iri : null;
  return typeof iri === 'string' && iri.length <= 4000 ? iri : null;
}
