import type { Basis } from '../../http/operation.ts';

/** On each field of an answer: on what it rests. */
export const BASIS_MARK = 'x-assay-basis';

/** What of JSON Schema 2020-12 the document uses. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  deprecated?: boolean;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  minItems?: number;
  maxItems?: number;
  const?: unknown;
  enum?: unknown[];
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema | boolean;
  prefixItems?: JsonSchema[];
  contentMediaType?: string;
  /** What a string holds that is not JSON: the rows of a CSV. */
  contentSchema?: JsonSchema;
  anyOf?: JsonSchema[];
  [BASIS_MARK]?: Basis;
}

export type SchemaTable = Readonly<Record<string, JsonSchema>>;

const PREFIX = '#/components/schemas/';

/** A schema, or what it refers to. */
export function resolveSchema(table: SchemaTable, schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const found = table[schema.$ref.slice(PREFIX.length)];
  if (found === undefined) throw new TypeError(`no schema ${schema.$ref}`);
  return found;
}

/** Where a schema may hold others that describe parts of the same answer. */
export function innerSchemas(schema: JsonSchema): readonly JsonSchema[] {
  return [schema.items, schema.additionalProperties, ...(schema.prefixItems ?? [])]
    .filter((each): each is JsonSchema => typeof each === 'object')
    .concat(schema.anyOf ?? [], Object.values(schema.properties ?? {}));
}

/**
 * Puts its basis on every field under `schema`: the one of the answer, but for what a schema marks
 * for itself. Throws TypeError where a schema of the table would get both.
 */
export function markBasis(table: SchemaTable, schema: JsonSchema, basis: Basis): void {
  const marked = new Map<JsonSchema, Basis>();
  const walk = (at: JsonSchema, outer: Basis): void => {
    const own = at[BASIS_MARK] ?? outer;
    const target = resolveSchema(table, at);
    const before = marked.get(target);
    if (before === own) return;
    if (before !== undefined) throw new TypeError(`both folded and live: ${at.$ref ?? 'a schema'}`);
    marked.set(target, own);
    for (const field of Object.values(target.properties ?? {})) field[BASIS_MARK] ??= own;
    for (const inner of innerSchemas(target)) {
      if (resolveSchema(table, inner) !== target) walk(inner, own);
    }
  };
  walk(schema, basis);
}

/** An example of what fits: the first that is given, or one of the examples of its parts. */
export function exampleOf(table: SchemaTable, schema: JsonSchema): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  const at = resolveSchema(table, schema);
  if (at.examples !== undefined) return at.examples[0];
  if ('const' in at) return at.const;
  const [first] = at.anyOf ?? [];
  if (first !== undefined) return exampleOf(table, first);
  if (at.type === 'array') return typeof at.items === 'object' ? [exampleOf(table, at.items)] : [];
  if (at.type === 'null') return null;
  if (at.type !== 'object') throw new TypeError(`no example of ${JSON.stringify(at)}`);
  return Object.fromEntries(
    Object.entries(at.properties ?? {})
      .filter(([name]) => at.required?.includes(name))
      .map(([name, field]) => [name, exampleOf(table, field)]),
  );
}
