import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { httpServer } from '@assay/node/http/server';
import { pipeline } from '@assay/node/http/pipeline';
import { JSON_TYPE, whole } from '@assay/node/http/reply';
import { problem } from '@assay/node/http/problem';
import { route, type Route } from '@assay/node/http/route';
import { mcpRoute, type McpRouteParts } from '@assay/node/mcp/mcp-route';
import { callTool, mcpClient, REVISIONS } from './mcp-client.ts';

/** Serves one route until the test ends; the address. */
async function serving(t: TestContext, mcp: Route, logged: string[]): Promise<string> {
  const served = pipeline([mcp], {
    requestId: () => 'x',
    now: () => performance.now() / 1000,
    onError: (error) => void logged.push(String(error)),
  });
  const server = await httpServer('node', served);
  const listening = await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => listening.close());
  return `http://127.0.0.1:${listening.port}`;
}

test('tools: what a handler throws is logged, and no client sees it', async (t) => {
  const logged: string[] = [];
  const mcp = mcpRoute({
    routes: [
      route('GET', '/indices', () => {
        throw new Error('password hunter2 at /secret/path');
      }),
      // Another shape than the interface promises.
      route('GET', '/arena', () => whole(JSON_TYPE, '{"open":"hunter2"}')),
      route('GET', '/board', () => whole(JSON_TYPE, 'hunter2')),
    ],
    publicUrl: null,
    now: () => 1_790_000_000,
    elapsed: () => performance.now() / 1000,
    onError: (failure) => void logged.push(JSON.stringify(failure)),
  });
  const base = await serving(t, mcp, logged);
  for (const revision of REVISIONS) {
    logged.length = 0;
    const client = await mcpClient(t, base, revision);
    const seen: string[] = [];
    for (const [name, given] of [
      ['list_indices', {}],
      ['arena', {}],
      ['base_rate', { symbol: 'BTC' }],
      ['get_index', { ticker: 'X' }],
    ] as const) {
      const { isError, text } = await callTool(client, name, given);
      assert.equal(isError, true, name);
      seen.push(text);
    }
    for (const ask of [
      () => client.readResource({ uri: 'assay://indices' }),
      () => client.listResources(),
    ]) {
      await assert.rejects(ask, (error: Error) => seen.push(error.message) > 0);
    }
    assert.match(seen[0] ?? '', /^internal: The service failed/);
    assert.match(seen[1] ?? '', /^malformed: /);
    assert.doesNotMatch(seen.join('\n'), /hunter2|secret|\n\s+at /);
    assert.ok(logged.some((line) => line.includes('hunter2')));
    await client.close();
  }
});

/** A route of the protocol over some routes. */
function mcpOver(
  routes: readonly Route[],
  logged: string[],
  change: Partial<McpRouteParts> = {},
): Route {
  return mcpRoute({
    routes,
    publicUrl: null,
    now: () => 1_790_000_000,
    elapsed: () => performance.now() / 1000,
    onError: (failure) => void logged.push(JSON.stringify(failure)),
    ...change,
  });
}

test('resources: what is not there, what is halted, what is refused and what failed are told apart', async (t) => {
  const logged: string[] = [];
  const mcp = mcpOver(
    [
      route('GET', '/indices', () => {
        throw new Error('hunter2');
      }),
      route('GET', '/indices/:ticker', (request) =>
        problem(request, request.params['ticker'] === 'gone' ? 'not_found' : 'halted', {
          headers: [['retry-after', '30']],
        }),
      ),
      route('GET', '/indices/:ticker/report', (request) => problem(request, 'rate_limited')),
    ],
    logged,
  );
  const base = await serving(t, mcp, logged);
  for (const revision of REVISIONS) {
    const client = await mcpClient(t, base, revision);
    for (const [uri, code, text, name] of [
      ['assay://index/gone', [-32_002, -32_602], /not_found: /, undefined],
      ['assay://index/a', [-32_603], /^.*halted: .*Try again after 30 s\./, 'halted'],
      ['assay://bundle/a/2026-07-25', [-32_603], /rate_limited: /, 'rate_limited'],
      ['assay://indices', [-32_603], /internal: The service failed/, 'internal'],
      ['assay://log/checkpoint', [-32_603], /status 404: /, 'status 404'],
    ] as const) {
      await assert.rejects(client.readResource({ uri }), (error: Error) => {
        const { code: found, data } = error as { code?: number; data?: { code?: string } };
        assert.ok((code as readonly unknown[]).includes(found), `${uri}: ${String(found)}`);
        assert.match(error.message, text);
        assert.equal(data?.code, name, uri);
        return true;
      });
    }
  }
  // What failed in this service is logged, and what it answered is not.
  assert.equal(logged.length, 2);
  assert.ok(logged.every((line) => line.includes('hunter2')));
});

test('route: nothing that a client writes is in the log, and there are so many lines a minute', async (t) => {
  const logged: string[] = [];
  const base = await serving(t, mcpOver([], logged), logged);
  const post = async (body: string, more: Readonly<Record<string, string>> = {}): Promise<void> => {
    const accept = 'application/json, text/event-stream';
    const headers = { 'content-type': 'application/json', accept, ...more };
    await (await fetch(`${base}/mcp`, { method: 'POST', headers, body })).text();
  };
  for (let i = 0; i < 15; i += 1) {
    await post('{"hunter2');
    await post(JSON.stringify({ jsonrpc: '2.0', id: 'hunter2', result: 'hunter2' }));
    await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hunter2' }));
    await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }), {
      'mcp-protocol-version': 'hunter2',
      'mcp-method': 'hunter2',
    });
  }
  assert.ok(logged.length > 0 && logged.length <= 20, `${logged.length} lines`);
  assert.doesNotMatch(logged.join('\n'), /hunter2/);
  assert.ok(logged.every((line) => /^\{"of":"message","code":"[A-Za-z0-9-]+"/.test(line)));
});

test('route: a library that could not be loaded is loaded with the next request', async (t) => {
  const logged: string[] = [];
  let loads = 0;
  const mcp = mcpOver([], logged, {
    library: () => {
      loads += 1;
      if (loads === 1) return Promise.reject(new Error('EMFILE'));
      return import('@modelcontextprotocol/server');
    },
  });
  const base = await serving(t, mcp, logged);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const ask = async (): Promise<number> =>
    (await fetch(`${base}/mcp`, { method: 'POST', headers, body })).status;
  assert.deepEqual([await ask(), await ask(), await ask(), loads], [500, 200, 200, 2]);
});
