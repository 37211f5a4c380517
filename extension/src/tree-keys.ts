/**
 * Moving in a tree by keyboard, as the WAI-ARIA tree pattern has it: arrows, Home, End, Enter and Space.
 */

const ITEM = '[role="treeitem"]';

/** Does what a key asks; returns whether the key was one of the tree's. */
export function moveInTree(tree: HTMLElement, event: KeyboardEvent): boolean {
  const item = event.target;
  const plain = !event.altKey && !event.ctrlKey && !event.metaKey;
  // A link or a button inside an item keeps its own keys.
  if (!(item instanceof HTMLElement) || !item.matches(ITEM) || !plain) {
    return false;
  }
  const expanded = item.getAttribute('aria-expanded');
  const seen = seenItems(tree);
  const at = seen.indexOf(item);
  switch (event.key) {
    case 'ArrowDown':
      focusItem(tree, seen[at + 1]);
      return true;
    case 'ArrowUp':
      focusItem(tree, seen[at - 1]);
      return true;
    case 'Home':
      focusItem(tree, seen[0]);
      return true;
    case 'End':
      focusItem(tree, seen[seen.length - 1]);
      return true;
    case 'ArrowRight':
      if (expanded === 'false') {
        toggle(item);
      } else if (expanded === 'true') {
        focusItem(tree, item.querySelector<HTMLElement>(ITEM));
      }
      return true;
    case 'ArrowLeft':
      if (expanded === 'true') {
        toggle(item);
      } else {
        focusItem(tree, item.parentElement?.closest<HTMLElement>(ITEM));
      }
      return true;
    case 'Enter':
    case ' ':
      toggle(item);
      return true;
    default:
      return false;
  }
}

function seenItems(tree: HTMLElement): HTMLElement[] {
  return [...tree.querySelectorAll<HTMLElement>(ITEM)].filter(item => item.parentElement?.closest('[hidden]') === null);
}

function focusItem(tree: HTMLElement, item: HTMLElement | null | undefined): void {
  if (item) {
    tree.querySelectorAll<HTMLElement>(`${ITEM}[tabindex="0"]`).forEach(other => {
      other.tabIndex = -1;
    });
    item.tabIndex = 0;
    item.focus();
  }
}

function toggle(item: HTMLElement): void {
  item.dispatchEvent(new CustomEvent('kgnb-toggle'));
}
