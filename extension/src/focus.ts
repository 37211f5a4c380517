/**
 * Keeping the focus where it is while something is drawn again.
 */

/** Draws, then gives the focus back to the element that stands for the one that had it, by its key or its name. */
export function keepingFocus(root: HTMLElement, draw: () => void): void {
  const before = document.activeElement;
  const held = before instanceof HTMLElement && root.contains(before) ? before : null;
  const place = held instanceof HTMLInputElement ? held.selectionStart : null;
  const found = held ? ['data-kgnb-key', 'aria-label'].map(name => [name, held.getAttribute(name)] as const) : [];
  draw();
  if (!held) {
    return;
  }
  for (const [name, value] of found) {
    const again = value ? root.querySelector<HTMLElement>(`[${name}="${CSS.escape(value)}"]`) : null;
    if (again) {
      again.focus({ preventScroll: true });
      if (again instanceof HTMLInputElement && place !== null) {
        again.setSelectionRange(place, place);
      }
      return;
    }
  }
  root.focus({ preventScroll: true }); // what had it is gone: the keyboard goes on from here, not from the page's top
}
