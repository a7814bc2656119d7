/** The first place where two JSON values differ, with both values as text; undefined where none do. */
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
  if (Object.is(expected, found)) return undefined;
  if (
    isContainer(expected) &&
    isContainer(found) &&
    Array.isArray(expected) === Array.isArray(found)
  ) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(found)]);
    for (const key of keys) {
      const difference = firstDifference(
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
