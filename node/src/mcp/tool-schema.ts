import { z } from 'zod';
import { about, linkText, timeText } from '../api/schema/field.ts';
import type { Operation } from '../http/operation.ts';
import { verification } from './voucher.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** The arguments of a tool: the parameters of its operation, and those of its own. */
export interface ToolInput {
  readonly schema: z.ZodObject;
  /** Those of the path. */
  readonly names: readonly string[];
  /** Those of the query. */
  readonly query: readonly string[];
}

/** A parameter of a query is text, even where its schema shows a number. */
function isNumberText(schema: z.ZodType): boolean {
  return schema.meta()?.['type'] === 'integer';
}

/** The input of a tool that is made of an operation; `own` are arguments that the API does not have. */
export function toolInput({ params, query }: Operation, own: Shape = {}): ToolInput {
  const ofPath = params?.shape ?? {};
  const ofQuery = query === undefined || query === 'ignored' ? {} : query.shape;
  return {
    schema: z.strictObject({ ...ofPath, ...ofQuery, ...own }),
    names: Object.keys(ofPath),
    query: Object.keys(ofQuery),
  };
}

/** Standard Schema (standardschema.dev, version 1) with its JSON Schema, which is what the library takes. */
export interface WireSchema<Value> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'assay';
    readonly types?: { readonly input: unknown; readonly output: Value } | undefined;
    readonly validate: (value: unknown) => Checked<Value>;
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

interface Misfit {
  readonly issues: readonly { readonly message: string; readonly path: PropertyKey[] }[];
}

type Checked<Value> = { readonly value: Value; readonly issues?: undefined } | Misfit;

function wireSchema<Value>(
  json: () => Record<string, unknown>,
  check: (value: unknown) => Checked<Value>,
): WireSchema<Value> {
  let made: Record<string, unknown> | undefined;
  const shown = (): Record<string, unknown> => (made ??= json());
  const jsonSchema = { input: shown, output: shown };
  return { '~standard': { version: 1, vendor: 'assay', validate: check, jsonSchema } };
}

function issuesOf(error: z.ZodError): Misfit {
  return { issues: error.issues.map(({ message, path }) => ({ message, path })) };
}

/** The arguments of a tool as the library takes them. A number is taken for the text of a query that it is. */
export function inputSchema({ schema }: ToolInput): WireSchema<Readonly<Record<string, unknown>>> {
  const texts = Object.entries(schema.shape).filter(([, each]) => isNumberText(each as z.ZodType));
  return wireSchema(
    () => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
    (value) => {
      const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
      const given: Record<string, unknown> = isPlain ? { ...value } : {};
      for (const [name] of texts) {
        const number = given[name];
        if (typeof number === 'number') given[name] = String(number);
      }
      const parsed = schema.safeParse(value === undefined || isPlain ? given : value);
      return parsed.success ? { value: parsed.data } : issuesOf(parsed.error);
    },
  );
}

/** The members that stand beside the payload in every answer. */
export const besidePayload: z.ZodObject = z.looseObject({
  asOf: about(timeText, 'When this was answered, UTC.', '2026-11-23T12:31:00Z'),
  servedFrom: about(
    linkText,
    'The address that was asked.',
    'https://index.example.org/v1/indices/LAYOFFS',
  ),
  proofs: about(
    z.array(
      z.looseObject({
        of: about(z.string(), 'What it proves.', 'LAYOFFS 2026-07-25'),
        url: about(
          linkText,
          'The address of the signed report, or of the entries, that prove it.',
          'https://index.example.org/v1/indices/LAYOFFS/report?period=2026-07-25',
        ),
      }),
    ),
    'Where the proof of each number is.',
  ),
  verification: about(verification, 'What a verifier found.'),
});

/** Members of a schema that only a document needs. */
const DOCUMENT_ONLY = new Set(['x-assay-basis', 'examples', 'id', '$schema']);

function slim(value: unknown, inProperties = false): unknown {
  if (Array.isArray(value)) return value.map((each) => slim(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => inProperties || !DOCUMENT_ONLY.has(key))
      .map(([key, each]) => [key, slim(each, key === 'properties' || key === '$defs')]),
  );
}

/** What a tool answers, as the library takes it: an object, which may get further members in a later release. */
export function outputSchema(payload: z.ZodType): WireSchema<Readonly<Record<string, unknown>>> {
  const json = (): Record<string, unknown> => {
    const both = z.object({ payload, beside: besidePayload });
    const { $defs, properties } = slim(
      z.toJSONSchema(both, { io: 'output', unrepresentable: 'any' }),
    ) as Record<'$defs' | 'properties', Record<string, object>>;
    const { payload: inner, beside } = properties;
    return { ...beside, type: 'object', allOf: [inner], ...($defs === undefined ? {} : { $defs }) };
  };
  return wireSchema(json, (value) => {
    const parsed = besidePayload.safeParse(value);
    if (!parsed.success) return issuesOf(parsed.error);
    const inner = payload.safeParse(value);
    return inner.success
      ? { value: value as Readonly<Record<string, unknown>> }
      : issuesOf(inner.error);
  });
}
