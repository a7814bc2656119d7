import { AsyncLocalStorage } from 'node:async_hooks';
import type { McpHttpHandler, McpServer, ServerOptions } from '@modelcontextprotocol/server';
import { problem } from '../http/problem.ts';
import { JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route, routeTable } from '../http/route.ts';
import type { Clock } from '../platform/clock.ts';
import { postMcp } from '../api/operation/mcp-operation.ts';
import { BundleDesk } from './bundle-desk.ts';
import { FailureLog, type McpFailure } from './failure-log.ts';
import { foreignHost } from './host-check.ts';
import type { McpLibrary } from './resources.ts';
import { routeCaller } from '../call/route-caller.ts';
import type { ToolParts } from './tool.ts';
import { webReply, webRequest } from './web-exchange.ts';

export const MCP_PATH = '/mcp';

export interface McpRouteParts {
  /** The routes that the tools call. */
  readonly routes: readonly Route[];
  readonly publicUrl: string | null;
  readonly now: Clock;
  /** Seconds of a clock without steps. */
  readonly elapsed: Clock;
  /** Receives what failed, a bounded number of times a minute. The client sees nothing of it. */
  readonly onError: (failure: McpFailure) => void;
  /** Counts so many further requests for a client, as `Limiter` does. Without it, nothing counts more than once. */
  readonly charge?: (client: string, requests: number) => number | undefined;
  /** Loads the library. */
  readonly library?: () => Promise<McpLibrary>;
  /** What tests of the protocol need beyond the tools. */
  readonly extend?: McpExtension;
}

/** What a test adds to each server. */
export interface McpExtension {
  readonly register: (server: McpServer, library: McpLibrary) => void;
  readonly serverOptions: ServerOptions;
}

/**
 * The Model Context Protocol over Streamable HTTP, in its revisions from 2025-06-18 on and 2026-07-28, without sessions:
 * each request is answered by itself, so GET and DELETE are answered 405. The library is loaded with the first request.
 */
export function mcpRoute(parts: McpRouteParts): Route {
  const table = routeTable(parts.routes);
  let handler: Promise<McpHttpHandler> | undefined;
  // The library makes a server for each request, and hands it a copy of the request that it was given.
  const current = new AsyncLocalStorage<ApiRequest>();
  const baseOf = (request: ApiRequest): string =>
    parts.publicUrl ?? `http://${request.header('host') ?? 'localhost'}`;

  const failures = new FailureLog(parts.onError, parts.elapsed);
  const bundles = new BundleDesk();
  const { library: loadLibrary = () => import('@modelcontextprotocol/server') } = parts;

  const toolsFor = (from: ApiRequest): ToolParts => ({
    api: routeCaller(table, from, baseOf(from)),
    vouching: { by: 'publisher' },
    now: parts.now,
    bundles,
    signal: from.signal,
    charge: (requests) => parts.charge?.(from.client, requests),
  });

  const load = async (): Promise<McpHttpHandler> => {
    const [library, { toolServer }] = await Promise.all([
      loadLibrary(),
      import('./tool-server.ts'),
    ]);
    const onThrown = (error: unknown): void => failures.answer(error);
    return library.createMcpHandler(
      () => {
        const from = current.getStore();
        if (from === undefined) throw new TypeError('a server without a request');
        const server = toolServer(library, toolsFor(from), onThrown, parts.extend?.serverOptions);
        parts.extend?.register(server, library);
        return server;
      },
      { maxSubscriptions: 1, onerror: (error) => failures.message(error) },
    );
  };

  const loaded = (): Promise<McpHttpHandler> => {
    handler ??= load().catch((error: unknown) => {
      handler = undefined; // the next request tries again
      throw error;
    });
    return handler;
  };

  const handle = async (request: ApiRequest): Promise<ApiReply> => {
    const foreign = foreignHost(request, parts.publicUrl);
    if (foreign !== undefined) {
      return problem(request, 'cross_site', {
        detail:
          foreign === 'host'
            ? 'The Host is none of this service.'
            : 'The Origin is none of this service.',
      });
    }
    const [type = ''] = (request.header('content-type') ?? '').split(';', 1);
    if (type.trim().toLowerCase() !== 'application/json') return problem(request, 'not_json');
    const body = await request.body();
    const refusal = refusalOf(body);
    if (refusal !== undefined) return refusal;
    const { fetch } = await loaded();
    const asked = webRequest(request, baseOf(request), body);
    return webReply(await current.run(request, () => fetch(asked)));
  };
  return route('POST', MCP_PATH, handle, { operation: postMcp });
}

const decoder = new TextDecoder();

/** The answer to what is not handed on: many messages at once, which no revision since 2025-06-18 has, and streams. */
function refusalOf(body: Uint8Array): ApiReply | undefined {
  let message: unknown;
  try {
    message = JSON.parse(decoder.decode(body));
  } catch {
    return undefined; // the library answers it
  }
  if (Array.isArray(message)) return rpcError(null, -32_600, 'Send one message at a time.', 400);
  return undefined;
}

function rpcError(id: unknown, code: number, text: string, status: number): ApiReply {
  const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: text } });
  return whole(JSON_TYPE, body, { status, cacheControl: NO_STORE });
}
