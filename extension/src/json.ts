/**
 * Reading JSON that someone else wrote: what is missing gets a plain value, what is wrong is named.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

/** The data is not what it should be; the message says where. */
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

export function number(value: unknown, otherwise = 0): number {
  return typeof value === 'number' ? value : otherwise;
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Fails unless the data is of the one version there is. */
export function versionOne(data: JsonObject): void {
  if (data.version !== 1) {
    throw new ShapeError(`it has version ${JSON.stringify(data.version)}, this extension reads version 1`);
  }
}
