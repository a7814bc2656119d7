import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpServer } from '@assay/node/http/server';
import { pipeline } from '@assay/node/http/pipeline';
import { JSON_TYPE, whole } from '@assay/node/http/reply';
import { route } from '@assay/node/http/route';
import { mcpRoute } from '@assay/node/mcp/mcp-route';
import { callTool, mcpClient, REVISIONS } from './mcp-client.ts';

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
    onError: (error) => void logged.push(String(error)),
  });
  const served = pipeline([mcp], {
    requestId: () => 'x',
    now: () => performance.now() / 1000,
    onError: (error) => void logged.push(String(error)),
  });
  const server = await httpServer('node', served);
  const listening = await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => listening.close());
  for (const revision of REVISIONS) {
    logged.length = 0;
    const client = await mcpClient(t, `http://127.0.0.1:${listening.port}`, revision);
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
    assert.match(seen[0] ?? '', /^internal: The tool failed/);
    assert.match(seen[1] ?? '', /^malformed: /);
    assert.doesNotMatch(seen.join('\n'), /hunter2|secret|\n\s+at /);
    assert.ok(logged.some((line) => line.includes('hunter2')));
    await client.close();
  }
});
