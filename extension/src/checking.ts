/**
 * Looks through an RDF file as it is edited and says, at the end of a line, what no reader of RDF would take there.
 * The kernel is not asked: `%kg open` has the last word.
 */

import type { Language } from '@codemirror/language';
import { StringStream } from '@codemirror/language';
import type { EditorState, Extension } from '@codemirror/state';
import { StateField } from '@codemirror/state';
import type { DecorationSet } from '@codemirror/view';
import { Decoration, EditorView, WidgetType } from '@codemirror/view';
import { h } from './dom';
import { turtleMode } from './turtle-mode';
import { trans } from './wording';

/** What is wrong, and where it begins; lines and columns are counted from 0. */
export interface Fault {
  readonly line: number;
  readonly column: number;
  readonly said: string;
}

const MOST_LETTERS = 2_000_000; // longer files are not looked through while one types
const MOST_FAULTS = 50;

type Place = 'subject' | 'verb' | 'object' | 'end';

/** A bracket that is open, and what may follow when it is closed. */
interface Bracket {
  readonly mark: string;
  readonly after: Place;
}

const CLOSED_BY: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' };

/** The grammar of Turtle and TriG, token by token; RDF 1.2's triple terms are left to the kernel. */
class Statements {
  readonly faults: Fault[] = [];
  private expected: Place = 'subject';
  private open: Bracket[] = [];
  private directive: string[] = []; // what is still to come of @prefix, PREFIX, @base, BASE
  private before = '';
  private alone = false; // [...] as a subject, which needs nothing said of it
  private semicolon = false; // a further property may follow, and need not
  private lost = false; // behind a fault, until the statement ends
  private readonly declared = new Set<string>();

  /** With `quads`, the name of a graph may follow an object. */
  constructor(private readonly quads: boolean) {}

  take(kind: string, text: string, line: number, column: number): void {
    const said = kind === 'comment' ? null : this.follow(kind, text);
    if (kind !== 'comment') {
      this.before = kind;
    }
    if (said === null || this.lost) {
      return;
    }
    this.faults.push({ line, column, said });
    this.lost = true;
  }

  finish(line: number, column: number): void {
    if (!this.lost && (this.expected !== 'subject' || this.open.length > 0 || this.directive.length > 0)) {
      const mark = this.open.at(-1)?.mark;
      const said = mark
        ? trans.__('%1 is not closed', mark)
        : trans.__('the last statement does not end with a full stop');
      this.faults.push({ line, column, said });
    }
  }

  /** Null if the token can stand here, else what is wrong. */
  private follow(kind: string, text: string): string | null {
    if (this.lost) {
      if (text === '.' && kind === 'separator') {
        [this.lost, this.expected, this.open, this.directive] = [false, 'subject', [], []];
        [this.alone, this.semicolon] = [false, false];
      }
      return null;
    }
    if (this.directive.length > 0) {
      return this.declare(text);
    }
    switch (kind) {
      case 'keyword':
        return this.keyword(text);
      case 'string':
        return this.literal();
      case 'string.special':
        return this.before === 'string' ? null : trans.__('a language belongs behind a text');
      case 'operator':
        this.expected = 'object';
        return this.before === 'string' ? null : trans.__('a datatype belongs behind a text');
      case 'variableName.standard':
        return this.verb(text);
      case 'propertyName':
        return this.name(text);
      default:
        return /^[+\-.\d]/.test(text) && text !== '.' ? this.literal() : this.mark(text);
    }
  }

  private keyword(text: string): string | null {
    const word = text.toLowerCase();
    if (word === 'true' || word === 'false') {
      return this.literal();
    }
    if (word === 'graph' && this.expected === 'subject' && this.open.length === 0) {
      return null;
    }
    if (this.expected !== 'subject' || this.open.length > 0) {
      return this.unexpected(text);
    }
    const parts: Readonly<Record<string, string[]>> = {
      prefix: ['name:', '<IRI>'],
      base: ['<IRI>'],
      version: ['text']
    };
    const bare = word.replace('@', '');
    this.directive = [...(parts[bare] ?? []), ...(bare === word ? [] : ['.'])];
    return null;
  }

  private declare(text: string): string | null {
    const wanted = this.directive.shift() ?? '';
    const fits =
      wanted === 'name:'
        ? /^[^<:]*:$/.test(text)
        : wanted === '<IRI>'
          ? text.startsWith('<')
          : wanted === 'text' || text === wanted;
    if (wanted === 'name:') {
      this.declared.add(text);
    }
    return fits ? null : trans.__('expected here: %1', wanted);
  }

  private name(text: string): string | null {
    const prefix = /^[^<:]*:/.exec(text)?.[0];
    if (prefix !== undefined && prefix !== '_:' && !this.declared.has(prefix)) {
      this.declared.add(prefix); // said once
      return trans.__('the prefix %1 is not declared', prefix);
    }
    if (this.expected === 'verb') {
      return this.verb(text);
    }
    if (this.expected === 'end') {
      return this.quads ? null : this.unexpected(text);
    }
    this.done();
    return null;
  }

  private verb(text: string): string | null {
    if (this.expected !== 'verb') {
      return this.unexpected(text);
    }
    [this.expected, this.alone, this.semicolon] = ['object', false, false];
    return null;
  }

  private literal(): string | null {
    if (this.expected === 'object') {
      this.done();
      return null;
    }
    return this.expected === 'end' ? this.unexpected('') : trans.__('a text or number can only be an object');
  }

  /** A subject or an object is complete. */
  private done(): void {
    this.expected = this.expected === 'subject' ? 'verb' : this.open.at(-1)?.mark === '(' ? 'object' : 'end';
  }

  private mark(text: string): string | null {
    const top = this.open.at(-1);
    const complete = this.expected === 'end' || this.semicolon;
    const ended = complete || (this.expected === 'verb' && this.alone);
    if (text === '.' && ended && (top === undefined || top.mark === '{')) {
      [this.expected, this.alone, this.semicolon] = ['subject', false, false];
      return null;
    }
    if (text === ';' && complete) {
      [this.expected, this.semicolon] = ['verb', true];
      return null;
    }
    if (text === ',' && this.expected === 'end') {
      this.expected = 'object';
      return null;
    }
    if (text === '[' || text === '(') {
      return this.begin(text);
    }
    if (text === '{' && top === undefined && (this.expected === 'subject' || this.expected === 'verb')) {
      this.open.push({ mark: text, after: 'subject' });
      this.expected = 'subject';
      return null;
    }
    if (top && text === CLOSED_BY[top.mark] && this.closes(top.mark)) {
      this.open.pop();
      [this.expected, this.semicolon] = [top.after, false];
      this.alone = top.mark === '[' && top.after === 'verb';
      return null;
    }
    return this.unexpected(text);
  }

  private begin(mark: string): string | null {
    if (this.expected !== 'subject' && this.expected !== 'object') {
      return this.unexpected(mark);
    }
    const after = this.expected === 'subject' ? 'verb' : this.open.at(-1)?.mark === '(' ? 'object' : 'end';
    this.open.push({ mark, after });
    [this.expected, this.semicolon] = [mark === '[' ? 'verb' : 'object', false];
    return null;
  }

  private closes(mark: string): boolean {
    const { expected } = this;
    return mark === '('
      ? expected === 'object'
      : mark === '['
        ? expected === 'end' || expected === 'verb'
        : expected !== 'object';
  }

  private unexpected(text: string): string {
    if (this.expected === 'end' && !'.;,])}'.includes(text)) {
      return trans.__('a full stop, semicolon or comma is missing before this');
    }
    if (this.expected === 'verb') {
      return trans.__('a property is expected here');
    }
    return this.expected === 'object'
      ? trans.__('an object is missing before this')
      : trans.__('this cannot stand here');
  }
}

/** What is wrong with a text in Turtle or TriG, or N-Quads; one fault a statement. */
export function faultsInTurtle(text: string, quads = false): Fault[] {
  if (/<<|\{\||~/.test(text.replace(/<[^<>\s]*>|"(?:[^"\\\n]|\\.)*"|#.*/g, ''))) {
    return [];
  }
  const statements = new Statements(quads);
  const state = turtleMode.startState?.(2) ?? { quote: null, depth: 0, begun: false };
  const lines = text.split('\n');
  lines.forEach((content, line) => {
    const stream = new StringStream(content.replace(/\r$/, ''), 2, 2);
    while (!stream.eol()) {
      const inside = state.quote !== null;
      stream.start = stream.pos;
      const kind = turtleMode.token(stream, state);
      if (kind !== null && !inside) {
        statements.take(kind, stream.current(), line, stream.start);
      }
    }
  });
  statements.finish(lines.length - 1, 0);
  return statements.faults.slice(0, MOST_FAULTS);
}

/** The place where the browser's own reader of XML stops. A file that begins otherwise is another format. */
export function faultsInXml(text: string): Fault[] {
  if (!/^\uFEFF?\s*</.test(text)) {
    return [];
  }
  const said = new DOMParser().parseFromString(text, 'application/xml').querySelector('parsererror')?.textContent;
  const place = /(\d+)\D+?(\d+)\s*:\s*([^\n]*)/.exec(said ?? '');
  return said
    ? [
        fault(
          Number(place?.[1] ?? 1),
          Number(place?.[2] ?? 1),
          (place?.[3] ?? said).replace(/Below is a rendering.*/s, '')
        )
      ]
    : [];
}

/** The first place that the grammar of a language does not take. */
export function faultsInTree({ parser }: Language, text: string): Fault[] {
  const places: number[] = [];
  parser.parse(text).iterate({
    enter: node => {
      if (node.type.isError) {
        places.push(node.from);
      }
    }
  });
  const [at] = places;
  if (at === undefined || !text.trim()) {
    return [];
  }
  const before = text.slice(0, at).split('\n');
  return [fault(before.length, (before.at(-1)?.length ?? 0) + 1, trans.__('this cannot stand here'))];
}

/** A fault from a place that is counted from 1. */
function fault(line: number, column: number, said: string): Fault {
  return { line: Math.max(0, line - 1), column: Math.max(0, column - 1), said };
}

class Remark extends WidgetType {
  constructor(private readonly said: string) {
    super();
  }

  override eq(other: Remark): boolean {
    return other.said === this.said;
  }

  toDOM(): HTMLElement {
    return h('span.kgnb-fault-said', this.said);
  }
}

/** Marks what is wrong in an editor, and says it at the end of its line. */
export function checked(faultsIn: (text: string) => Fault[]): Extension {
  const marks = (state: EditorState): DecorationSet => {
    const { doc } = state;
    const found = doc.length > MOST_LETTERS ? [] : faultsIn(doc.toString());
    return Decoration.set(
      found.flatMap(({ line, column, said }) => {
        const { from, to } = doc.line(Math.min(line + 1, doc.lines));
        const start = Math.min(from + column, to);
        const under = start < to ? [Decoration.mark({ class: 'kgnb-fault' }).range(start, to)] : [];
        return [...under, Decoration.widget({ widget: new Remark(said), side: 1 }).range(to)];
      }),
      true
    );
  };
  return StateField.define<DecorationSet>({
    create: marks,
    update: (before, { docChanged, state }) => (docChanged ? marks(state) : before),
    provide: field => EditorView.decorations.from(field)
  });
}
