import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { INDEX_NAME } from '@assay/core/answer/routes';
import { printable } from '@assay/verifier/verdict/printable';
import { TEXT_TYPE } from '../http/reply.ts';
import { jsonOf } from '../call/api-caller.ts';
import { bundleOf, checkedBundle, getBundleTool } from './bundle-tool.ts';
import { getIndexTool, listIndicesTool } from './index-tools.ts';
import type { Tool, ToolArguments, ToolFailure, ToolParts } from './tool.ts';
import { failed, partsUntil, refused, thrownFailure } from './tool-call.ts';
import { inputSchema } from './tool-schema.ts';

/** The library, which is loaded when the first request comes. */
export type McpLibrary = typeof import('@modelcontextprotocol/server');

const JSON_TYPE = 'application/json';

/** What may change with the next entry of the log, and a file that proves one number under one checkpoint. */
const SOON = { ttlMs: 2000, cacheScope: 'public' } as const;
const FILE = { ttlMs: 60_000, cacheScope: 'public' } as const;

/** The largest bundle that is sent as text to a client of this protocol. */
const MAX_BUNDLE = 4 * 1024 * 1024;
/** The longest title of an index that a list passes on. */
const MAX_TITLE = 200;

const decoder = new TextDecoder();

/** The codes under which a resource is not there. Under all others it may be there, and was not given. */
const MISSING: ReadonlySet<string> = new Set(['not_found', 'no_report', 'not_listed']);

const NO_RESOURCE = failed('not_found', 'There is no such resource.');
const TOO_LARGE = failed(
  'too_large',
  'The file is too large to be sent here: get it with `assay bundle`.',
);

/** Why a resource is not given, on its way to the client. */
class ResourceFailure extends Error {
  readonly failure: ToolFailure;

  constructor(failure: ToolFailure) {
    super(failure.code);
    this.failure = failure;
  }
}

interface TextContent {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

/** The list of indexes, each index, the file that proves a number, and the newest checkpoint. */
export function registerResources(
  library: McpLibrary,
  server: McpServer,
  parts: ToolParts,
  onError: (error: unknown) => void,
): void {
  const { ResourceTemplate, ResourceNotFoundError, ProtocolError, INTERNAL_ERROR } = library;
  // What is thrown is told to the client, so that nothing else than the failures of this file may be.
  const guarded = async <T>(uri: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ResourceFailure)) onError(error);
      const { code, text } =
        error instanceof ResourceFailure ? error.failure : thrownFailure(error);
      if (MISSING.has(code)) throw new ResourceNotFoundError(uri, `${uri}: ${text}`);
      throw new ProtocolError(INTERNAL_ERROR, text, { uri, code });
    }
  };
  const answer = async (
    uri: string,
    tool: Tool,
    given: ToolArguments,
    { mcpReq: { signal } }: ServerContext,
  ): Promise<TextContent> => {
    const checked = inputSchema(tool.input)['~standard'].validate(given);
    if (checked.issues !== undefined) throw new ResourceFailure(NO_RESOURCE);
    const answered = await tool.run(checked.value, partsUntil(parts, signal));
    if (!answered.ok) throw new ResourceFailure(answered);
    return { uri, mimeType: JSON_TYPE, text: JSON.stringify(answered.content) };
  };

  server.registerResource(
    'indices',
    'assay://indices',
    { title: 'Every index', mimeType: JSON_TYPE, cacheHint: SOON },
    (uri, ctx) =>
      guarded(uri.href, async () => ({
        contents: [await answer(uri.href, listIndicesTool, { view: 'light' }, ctx)],
      })),
  );
  server.registerResource(
    'checkpoint',
    'assay://log/checkpoint',
    {
      title: 'The newest checkpoint of the log',
      description: 'A signed note (C2SP tlog-checkpoint). Its signature is not checked here.',
      mimeType: 'text/plain',
      cacheHint: SOON,
    },
    (uri, { mcpReq: { signal } }) =>
      guarded(uri.href, async () => {
        const found = await parts.api.call({ method: 'GET', target: '/checkpoint', signal });
        if (found.status !== 200) throw new ResourceFailure(await refused(found));
        const { body } = found;
        return { contents: [{ uri: uri.href, mimeType: TEXT_TYPE, text: decoder.decode(body) }] };
      }),
  );
  server.registerResource(
    'index',
    new ResourceTemplate('assay://index/{ticker}', {
      list: () =>
        guarded('assay://index', async () => ({
          resources: (await tickersOf(parts)).map(({ ticker, title }) => ({
            uri: `assay://index/${encodeURIComponent(ticker)}`,
            name: ticker,
            title,
            mimeType: JSON_TYPE,
          })),
        })),
    }),
    { title: 'One index', mimeType: JSON_TYPE, cacheHint: SOON },
    (uri, { ticker }, ctx) =>
      guarded(uri.href, async () => ({
        contents: [await answer(uri.href, getIndexTool, { ticker: decoded(ticker) }, ctx)],
      })),
  );
  server.registerResource(
    'bundle',
    new ResourceTemplate('assay://bundle/{ticker}/{period}', { list: undefined }),
    {
      title: 'The file that proves a number offline',
      description: 'Keep it as it is and check it with `assay verify FILE --key KEY`.',
      mimeType: JSON_TYPE,
      cacheHint: FILE,
    },
    (uri, { ticker, period }, { mcpReq: { signal } }) =>
      guarded(uri.href, async () => {
        const given = { ticker: decoded(ticker), period: decoded(period) };
        return { contents: [await bundleText(uri.href, given, partsUntil(parts, signal))] };
      }),
  );
}

async function bundleText(
  uri: string,
  given: ToolArguments,
  parts: ToolParts,
): Promise<TextContent> {
  const asked = inputSchema(getBundleTool.input)['~standard'].validate(given);
  if (asked.issues !== undefined) throw new ResourceFailure(NO_RESOURCE);
  const made = await bundleOf(asked.value, parts);
  if ('error' in made) throw new ResourceFailure(made.error);
  if (made.bytes.length > MAX_BUNDLE) throw new ResourceFailure(TOO_LARGE);
  const checked = await checkedBundle(made, parts);
  if ('error' in checked) throw new ResourceFailure(checked.error);
  return { uri, mimeType: JSON_TYPE, text: decoder.decode(made.bytes) };
}

/** A variable of an address as it was meant; what is not valid percent-encoding stays, and names nothing. */
function decoded(value: string | string[] | undefined): string {
  const text = typeof value === 'string' ? value : '';
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function tickersOf({
  api,
}: ToolParts): Promise<readonly { readonly ticker: string; readonly title: string }[]> {
  const list = jsonOf(await api.call({ method: 'GET', target: '/v1/indices?view=light' }));
  if (!Array.isArray(list)) return [];
  return (list as { ticker?: unknown; title?: unknown }[]).flatMap(({ ticker, title }) =>
    typeof ticker === 'string' && INDEX_NAME.test(ticker) && typeof title === 'string'
      ? [{ ticker, title: printable(title.slice(0, MAX_TITLE)) }]
      : [],
  );
}
