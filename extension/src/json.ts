/**
 * Reading JSON that someone else wrote: what is missing gets a plain value, what is wrong is named.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

/** The data is malformed; the message says where. */
export class ShapeError extends Error {}

export function object(value: unknown, where: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ShapeError(`${where} is not an object`);
  }
  return value as JsonObject;
}

export function list(value: unknown, where: string): readonly unknown[] {
  if (value === undefined || value === null) {
    return [];
  }
  if (!Array.isArray(value)) {
    throw new ShapeError(`${where} is not a list`);
  }
  return value;
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function number(value: unknown): number {
  return numberOrNull(value) ?? 0;
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

export function truth(value: unknown): boolean {
  return value === true;
}

export function numbers(value: unknown, where: string): Readonly<Partial<Record<string, number>>> {
  const entries = Object.entries(object(value ?? {}, where));
  return Object.fromEntries(entries.flatMap(([key, n]) => (typeof n === 'number' ? [[key, n]] : [])));
}

export type Reader<Value> = (value: unknown, where: string) => Value;

type Fields = Readonly<Record<string, Reader<unknown>>>;
type Optional<F extends Fields> = { [Key in keyof F]: undefined extends ReturnType<F[Key]> ? Key : never }[keyof F];
type Read<F extends Fields> = { readonly [Key in Exclude<keyof F, Optional<F>>]: ReturnType<F[Key]> } & {
  readonly [Key in Optional<F>]?: ReturnType<F[Key]>;
};

/** Reads an object, each field by its reader: one declaration for the type and the check. */
export function shape<F extends Fields>(fields: F): Reader<Read<F>> {
  return (value, where) => {
    const data = object(value, where);
    const read = Object.entries(fields).map(([name, reader]) => [name, reader(data[name], `${where}.${name}`)]);
    return Object.fromEntries(read) as Read<F>;
  };
}

/** Reads an object written as a list of its fields in this order; further items are ignored. */
export function row<F extends Fields>(fields: F): Reader<Read<F>> {
  const named = shape(fields);
  return (value, where) => {
    const given = list(value, where);
    return named(Object.fromEntries(Object.keys(fields).map((name, at) => [name, given[at]])), where);
  };
}

export function listOf<Value>(reader: Reader<Value>): Reader<readonly Value[]> {
  return (value, where) => list(value, where).map((item, at) => reader(item, `${where}[${at}]`));
}

export function orNull<Value>(reader: Reader<Value>): Reader<Value | null> {
  return (value, where) => (value === null || value === undefined ? null : reader(value, where));
}

/** Fails unless the data is of version 1. */
export function versionOne(data: JsonObject): void {
  if (data.version !== 1) {
    throw new ShapeError(`it has version ${JSON.stringify(data.version)}, this extension reads version 1`);
  }
}
