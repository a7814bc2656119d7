import type { Freshness, Operation } from '../http/operation.ts';
import type { JsonSchema } from './json-schema.ts';

/** A header object of the document, or a reference to one. */
export interface OpenApiHeader {
  readonly $ref?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
  readonly example?: string;
}

const text: JsonSchema = { type: 'string' };

/** Headers by the name that a client sees; `always` is said where each such answer has one. */
export const HEADERS: Readonly<Record<string, OpenApiHeader>> = {
  'X-Request-Id': {
    description: 'Names this request in the logs of the service. Quote it when something is wrong.',
    required: true,
    schema: text,
    example: '0b4f6f0e-6f0e-4b53-9d8b-8f4a6d1f2c11',
  },
  'RateLimit-Policy': {
    description:
      'The quota (draft-ietf-httpapi-ratelimit-headers): `q` requests in `w` seconds for each client address (IPv6: each /64). The log routes have a larger one of their own.',
    schema: text,
    example: '"default";q=120;w=60',
  },
  RateLimit: {
    description:
      'What is left of it: `r` requests, and `t` seconds until it is whole again. Absent where a shared cache answers.',
    schema: text,
    example: '"default";r=119;t=60',
  },
  'Retry-After': {
    description: 'Seconds to wait.',
    required: true,
    schema: text,
    example: '12',
  },
  ETag: {
    description: 'Strong. Send it back as `If-None-Match` to get 304 while nothing has changed.',
    required: true,
    schema: text,
    example: '"Sn1H2cA9oTRmVxkqj0bE4w"',
  },
  'Cache-Control': {
    description: 'How long the answer holds.',
    required: true,
    schema: text,
    example: 'public, no-cache',
  },
  'Assay-Log-Size': {
    description: 'Entries of the log that the folded answer stands for.',
    required: true,
    schema: text,
    example: '165',
  },
};

export function headerRefs(names: readonly string[]): Record<string, OpenApiHeader> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` } as const]),
  );
}

/** Headers of every answer. */
export const EVERY = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'] as const;

/** The headers of an operation's success answers. */
export function successHeaders({ basis, freshness, headers = [] }: Operation): object {
  const validators: Readonly<Record<Freshness, readonly string[]>> = {
    etag: ['ETag', 'Cache-Control'],
    immutable: ['Cache-Control'],
    revalidate: ['Cache-Control'],
    none: ['Cache-Control'],
  };
  const own = headers.map(({ name, description, example, always }) => [
    name,
    { description, required: always, schema: text, example },
  ]);
  return {
    ...headerRefs([
      ...EVERY,
      ...validators[freshness],
      ...(basis === 'folded' && freshness === 'etag' ? ['Assay-Log-Size'] : []),
    ]),
    ...Object.fromEntries(own),
  };
}
