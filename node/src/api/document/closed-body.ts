import { innerSchemas, type JsonSchema, resolveSchema, type SchemaTable } from './json-schema.ts';

const PREFIX = '#/components/schemas/';

/** The names of all schemas that `roots` lead to. */
export function namesUnder(table: SchemaTable, roots: readonly JsonSchema[]): Set<string> {
  const names = new Set<string>();
  const walk = (schema: JsonSchema): void => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.slice(PREFIX.length);
      if (names.has(name)) return;
      names.add(name);
    }
    for (const inner of innerSchemas(resolveSchema(table, schema))) walk(inner);
  };
  for (const root of roots) walk(root);
  return names;
}

/**
 * The schema of a request body as the service takes it: a member that it does not describe is refused. A schema that
 * answers have too (`shared`) stays loose, and its closed twin is put into the table with `Body` after its name.
 */
export function closedBody(
  table: Record<string, JsonSchema>,
  body: JsonSchema,
  shared: ReadonlySet<string>,
): JsonSchema {
  const close = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each) => close(each));
    if (typeof value !== 'object' || value === null) return value;
    const made = Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        key === '$ref' ? closeRef(each as string) : KEPT.has(key) ? each : close(each),
      ]),
    );
    const isOpen = (made as JsonSchema).properties !== undefined && 'type' in made;
    return isOpen ? { ...made, additionalProperties: false } : made;
  };
  const closeRef = (ref: string): string => {
    const name = ref.slice(PREFIX.length);
    const twin = shared.has(name) ? `${name}Body` : name;
    if (!done.has(twin)) {
      done.add(twin);
      table[twin] = close(table[name]) as JsonSchema;
    }
    return PREFIX + twin;
  };
  const done = new Set<string>();
  return close(body) as JsonSchema;
}

/** What holds values, not schemas. */
const KEPT = new Set(['examples', 'example', 'const', 'enum', 'default', 'required']);
