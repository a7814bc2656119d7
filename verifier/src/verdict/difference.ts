import { parseUtf8 } from '@assay/core/bytes/utf8';

/** The first place where two JSON values differ, with both values as text; undefined where they are equal. */
export interface Difference {
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

export function firstDifference(
  expected: unknown,
  found: unknown,
  path = '',
): Difference | undefined {
  return isSame(expected, found) ? undefined : differenceAt(expected, found, path);
}

/**
 * Whether two values are the same, member by member. It builds nothing, because nearly all values are. Where it returns
 * false they may still have no difference, as where a member that one of them lacks is undefined in the other.
 */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isContainer(a) || !isContainer(b)) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i += 1) if (!isSame(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) {
    if (!Object.hasOwn(b, name) || !isSame(a[name], b[name])) return false;
  }
  return true;
}

function differenceAt(expected: unknown, found: unknown, path: string): Difference | undefined {
  if (Object.is(expected, found)) return undefined;
  if (
    isContainer(expected) &&
    isContainer(found) &&
    Array.isArray(expected) === Array.isArray(found)
  ) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(found)]);
    for (const key of keys) {
      const difference = differenceAt(
        Object.hasOwn(expected, key) ? expected[key] : undefined,
        Object.hasOwn(found, key) ? found[key] : undefined,
        `${path}/${key}`,
      );
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  return { path: path === '' ? '/' : path, expected: show(expected), found: show(found) };
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : (JSON.stringify(value) ?? typeof value);
}

/** Where two bodies differ: a JSON path, or a line of text. */
export function bodyDifference(
  expected: Uint8Array,
  found: Uint8Array,
): { readonly path: string; readonly expected: string; readonly found: string } {
  try {
    const [a, b] = [parseUtf8(expected), parseUtf8(found)];
    if (a.startsWith('{') || a.startsWith('[')) {
      const difference = firstDifference(JSON.parse(a), JSON.parse(b));
      if (difference !== undefined) return difference;
    }
    const lines = b.split('\n');
    const at = a.split('\n').findIndex((line, i) => line !== lines[i]);
    if (at >= 0) {
      return { path: `line ${at + 1}`, expected: a.split('\n')[at] ?? '', found: lines[at] ?? '' };
    }
  } catch {
    // One of them is not UTF-8 text or not JSON, which is reported below.
  }
  return {
    path: '',
    expected: `${expected.length} bytes of the fold`,
    found: `${found.length} other bytes`,
  };
}
