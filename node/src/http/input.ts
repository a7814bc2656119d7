import type { z } from 'zod';
import type { Operation, QuerySchema } from './operation.ts';
import { problem } from './problem.ts';
import type { ApiReply, ApiRequest } from './request.ts';

/** One thing that is wrong with a request: a JSON pointer to the parameter, and what was expected. */
interface InputError {
  readonly pointer: string;
  readonly detail: string;
}

type Handler<Query extends QuerySchema> = (
  request: ApiRequest,
  query: z.output<Query>,
) => ApiReply | Promise<ApiReply>;

/** `handle` after the schemas of its operation. What they do not accept never reaches it. */
export function checkedInput<Query extends QuerySchema>(
  operation: Pick<Operation<Query>, 'params' | 'query'>,
  handle: Handler<Query>,
): (request: ApiRequest) => ApiReply | Promise<ApiReply> {
  const read = inputReader(operation);
  return (request) => {
    const input = read(request);
    return 'refused' in input ? input.refused : handle(request, input.query);
  };
}

/** The query that a request asks with, or the problem of one that the schemas do not accept. */
export type ReadInput<Query extends QuerySchema> =
  | { readonly query: z.output<Query> }
  | { readonly refused: ApiReply };

/** What reads the query of a request by the schemas of an operation. */
export function inputReader<Query extends QuerySchema>({
  params,
  query,
}: Pick<Operation<Query>, 'params' | 'query'>): (request: ApiRequest) => ReadInput<Query> {
  const none: ReadInput<Query> = { query: {} as z.output<Query> };
  // The names of a path that is requested again are the same object, which is checked once.
  const fitting = new WeakSet<object>();
  // Most requests have no query, and what a schema makes of none is always the same.
  let ofNoQuery: Given<Query> | undefined;
  return (request) => {
    if (params !== undefined && !fitting.has(request.params)) {
      const named = params.safeParse(request.params);
      if (!named.success) {
        return { refused: problem(request, 'not_found', { detail: detailOf(named.error) }) };
      }
      fitting.add(request.params);
    }
    if (query === 'ignored' || (query === undefined && request.query === '')) return none;
    const text = request.query;
    const given = text === '' ? (ofNoQuery ??= readQuery(query, text)) : readQuery(query, text);
    if (given.errors === undefined) return given;
    const detail = given.errors.map((error) => textOf(error)).join('; ');
    const members = { errors: given.errors };
    return { refused: problem(request, 'bad_request', { detail, members }) };
  };
}

/** An error as text: a pointer to the whole query is empty, and is left out. */
function textOf({ pointer, detail }: InputError): string {
  return pointer === '' ? detail : `${pointer}: ${detail}`;
}

/** What is wrong with the names in a path. */
function detailOf({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => `${path[0] === '*' ? 'path' : String(path[0])}: ${message}`)
    .join('; ');
}

/** The longest query that is parsed, in characters. */
const MAX_QUERY = 2048;
/** The most errors that one answer names. */
const MAX_ERRORS = 10;

type Given<Query extends QuerySchema> =
  | { readonly query: z.output<Query>; readonly errors?: never }
  | { readonly query?: never; readonly errors: readonly InputError[] };

function readQuery<Query extends QuerySchema>(
  schema: Query | undefined,
  text: string,
): Given<Query> {
  if (text.length > MAX_QUERY) {
    return { errors: [{ pointer: '', detail: `the query has over ${MAX_QUERY} characters` }] };
  }
  const given = new Map<string, string>();
  const errors: InputError[] = [];
  const known = schema === undefined ? [] : Object.keys(schema.shape);
  for (const [name, value] of new URLSearchParams(text)) {
    if (!known.includes(name)) {
      const taken =
        known.length === 0 ? 'this path takes none' : `the parameters are ${known.join(', ')}`;
      errors.push({ pointer: pointerTo(name), detail: `no such parameter; ${taken}` });
    } else if (given.has(name)) {
      errors.push({ pointer: pointerTo(name), detail: 'given twice' });
    }
    given.set(name, value);
  }
  const parsed = schema?.safeParse(Object.fromEntries(given));
  for (const { path, message } of parsed?.error?.issues ?? []) {
    const [name] = path;
    errors.push({ pointer: name === undefined ? '' : pointerTo(String(name)), detail: message });
  }
  if (errors.length > 0) return { errors: errors.slice(0, MAX_ERRORS) };
  return { query: (parsed?.data ?? {}) as z.output<Query> };
}

const MAX_NAME = 64;

/** RFC 6901. The client chose the name, so it is cut to keep the answer small. */
function pointerTo(name: string): string {
  return `/${name.slice(0, MAX_NAME).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
