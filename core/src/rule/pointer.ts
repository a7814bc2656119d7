import { isSourceNumber, type SourceJson, type SourceRecord } from '../source/source-json.ts';
import { type Parse, string } from '../wire/schema.ts';
import type { WorkBudget } from '../work-budget.ts';
import { ReadStopped } from './value.ts';

/** An RFC 6901 JSON Pointer as a rule writes it. */
export const pointer: Parse<string> = string(0, 256, /^(\/([^/~]|~[01])*)*$/);

/** The parsed keys of the pointers that rules use. They are few, and are used for every row. */
const keys = new Map<string, readonly string[]>();
const MAX_POINTERS = 1000;

let lastPath = '';
let lastKeys: readonly string[] = [];

function keysOf(path: string): readonly string[] {
  if (path === lastPath) return lastKeys;
  let found = keys.get(path);
  if (found === undefined) {
    const parts = path.split('/').slice(1);
    found = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    if (keys.size >= MAX_POINTERS) keys.clear();
    keys.set(path, found);
  }
  lastPath = path;
  lastKeys = found;
  return found;
}

/** The value that `path` points at, or `undefined`. */
export function resolve(root: SourceJson, path: string): SourceJson | undefined {
  const parts = keysOf(path);
  if (parts.length === 1 && root instanceof Map) {
    return root.get(parts[0]) as SourceJson | undefined;
  }
  let node: SourceJson | undefined = root;
  for (const key of parts) {
    if (node instanceof Map) {
      node = node.get(key) as SourceJson | undefined;
    } else if (Array.isArray(node) && /^(0|[1-9][0-9]{0,8})$/.test(key)) {
      node = node[Number(key)] as SourceJson | undefined;
    } else {
      return undefined;
    }
  }
  return node;
}

/** The array that `path` points at. */
export function arrayAt(root: SourceJson, path: string): readonly SourceJson[] {
  const found = resolve(root, path);
  if (Array.isArray(found)) return found as readonly SourceJson[];
  throw new ReadStopped('malformed', `no array at ${path}`);
}

/** The text of a string or number. A number keeps the text in which it was written. */
export function scalarText(node: SourceJson | undefined, what: string): string {
  if (typeof node === 'string') return node;
  if (node !== undefined && isSourceNumber(node)) return node.number;
  throw new ReadStopped('malformed', `${what} is no text and no number`);
}

/** Steps to reach one member of a row, besides its text. */
const CELL_STEPS = 64;

/** The text of the string or number at `path` in a row. */
export function cellText(row: SourceRecord, path: string, work: WorkBudget): string {
  const text = scalarText(resolve(row, path), path);
  work.charge(CELL_STEPS + text.length);
  return text;
}

/** Stops with `malformed` for a column that a table lacks, even if the table has no rows. */
export function requireColumn(columns: SourceRecord | null, path: string): void {
  if (columns !== null) scalarText(resolve(columns, path), path);
}
