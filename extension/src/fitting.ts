/**
 * Which offers fit what was typed, in any case and with or without accents: pure functions, and safe labels.
 */

export interface Item {
  label: string;
  insertText?: string;
}

/** The items whose name or label holds what was typed, that part marked; none twice. Labels come out as safe HTML. */
export function fitting<Offer extends Item>(items: readonly Offer[], query: string): Offer[] {
  const seen = new Set<string>();
  return items.flatMap(item => {
    const insertText = item.insertText ?? item.label;
    const at = plainLetters(item.label).indexOf(plainLetters(query));
    const known = seen.has(insertText);
    seen.add(insertText);
    return at < 0 || known ? [] : [{ ...item, insertText, label: marked(item.label, at, query.length) }];
  });
}

/** Small letters without accents, one for each letter of the text: places in both are the same. */
export function plainLetters(text: string): string {
  return text
    .split('')
    .map(letter => {
      const plain = letter.normalize('NFD').charAt(0).toLowerCase();
      return plain.length === 1 ? plain : letter;
    })
    .join('');
}

function marked(label: string, at: number, length: number): string {
  const found = label.slice(at, at + length);
  return `${escaped(label.slice(0, at))}${found ? `<mark>${escaped(found)}</mark>` : ''}${escaped(label.slice(at + length))}`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, letter => ENTITIES[letter] ?? letter);
}
