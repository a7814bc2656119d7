import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { httpServer } from '@assay/node/http/server';
import { pipeline } from '@assay/node/http/pipeline';
import { JSON_TYPE, whole } from '@assay/node/http/reply';
import { route } from '@assay/node/http/route';
import { mcpRoute } from '@assay/node/mcp/mcp-route';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { firstClose, withDemo } from '../src/node/fixture/demo-node.ts';
import { REVISIONS } from '../src/node/mcp/mcp-client.ts';
import { noTransport, TRANSPORTS } from '../src/node/api/world-service.ts';
import { FIXTURES } from './mcp-fixtures.ts';
import { type McpPeers, mcpPeers } from './mcp-peers.ts';

const run = promisify(execFile);
const peers = await mcpPeers();
const missing = 'missing' in peers ? peers.missing : false;

/** What every server of the protocol can do, and so a node without any fixture. */
const APPLICABLE: Readonly<Record<(typeof REVISIONS)[number], readonly string[]>> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'prompts-list',
    'sep-2164-resource-not-found',
    'caching',
    'dns-rebinding-protection',
    'http-header-validation',
    'server-sse-multiple-streams',
    'input-required-result-unsupported-methods',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
    'input-required-result-missing-input-response',
  ],
};

/**
 * What no server without sessions can do, because it never asks the client anything on its own (2025-11-25): sampling,
 * elicitation, log messages, subscriptions, and several streams of one session.
 */
const NO_SESSIONS = [
  'tools-call-with-logging',
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'resources-subscribe',
  'resources-unsubscribe',
  'server-sse-multiple-streams',
];

/** Runs the suite; what it printed, and whether all went well. */
async function suite(
  args: readonly string[],
): Promise<{ readonly ok: boolean; readonly out: string }> {
  const { node, conformance } = peers as McpPeers;
  const folder = await mkdtemp(join(tmpdir(), 'assay-mcp-'));
  try {
    const options = { cwd: folder, timeout: 240_000, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await run(node, [conformance, 'server', ...args], options);
    return { ok: true, out: stdout };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { ok: false, out: stdout + stderr };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

for (const transport of TRANSPORTS) {
  const skip = missing === false ? noTransport(transport) : missing;

  test(
    `mcp over ${transport}: what applies of the conformance suite, on a node`,
    { skip },
    async (t) => {
      await withDemo({ ASSAY_TRANSPORT: transport }, async (base) => {
        await firstClose(base);
        for (const revision of REVISIONS) {
          for (const scenario of APPLICABLE[revision]) {
            const args = [
              '--url',
              `${base}/mcp`,
              '--spec-version',
              revision,
              '--scenario',
              scenario,
            ];
            const { ok, out } = await suite(args);
            assert.ok(ok, `${revision} ${scenario}: ${out.slice(-2000)}`);
            const [, passed] = /Passed: (\d+)\//.exec(out) ?? [];
            t.diagnostic(`${revision} ${scenario}: ${passed ?? 'ran'}`);
          }
        }
      });
    },
  );

  test(
    `mcp over ${transport}: the rest of the suite, with its fixtures mounted`,
    { skip },
    async (t) => {
      const base = await withFixtures(t, transport);
      for (const revision of REVISIONS) {
        const folder = await mkdtemp(join(tmpdir(), 'assay-mcp-'));
        t.after(() => rm(folder, { recursive: true, force: true }));
        const expected = join(folder, 'expected.yaml');
        const list = revision === '2025-11-25' ? NO_SESSIONS : [];
        await writeFile(
          expected,
          `server:${list.length === 0 ? ' []' : ''}\n${list.map((name) => `  - ${name}\n`).join('')}`,
        );
        const args = [
          '--url',
          `${base}/mcp`,
          '--requirements',
          revision,
          '--expected-failures',
          expected,
        ];
        const { ok, out } = await suite(args);
        const summary = out.slice(out.lastIndexOf('=== SUMMARY'));
        t.diagnostic(`${revision}: ${/Total: .*/.exec(summary)?.[0] ?? 'no total'}`);
        assert.ok(ok, summary);
      }
    },
  );
}

/** A server of the protocol with the fixtures beside its own tools, over an empty list of indexes. */
async function withFixtures(
  t: TestContext,
  transport: (typeof TRANSPORTS)[number],
): Promise<string> {
  const mcp = mcpRoute({
    routes: [route('GET', '/indices', () => whole(JSON_TYPE, '[]'))],
    publicUrl: null,
    now: () => Math.floor(Date.now() / 1000),
    elapsed: () => performance.now() / 1000,
    onError: () => undefined,
    extend: FIXTURES,
  });
  const served = pipeline([mcp], {
    requestId: () => 'x',
    now: () => performance.now() / 1000,
    onError: (error: unknown) => t.diagnostic(String(error)),
  } as never);
  const server = await httpServer(transport, served);
  const listening = await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => listening.close());
  return `http://127.0.0.1:${listening.port}`;
}

test('mcp: the inspector lists the tools', { skip: missing }, async () => {
  await withDemo({}, async (base) => {
    const { node, inspector } = peers as McpPeers;
    const args = [
      inspector,
      '--cli',
      `${base}/mcp`,
      '--transport',
      'http',
      '--method',
      'tools/list',
    ];
    const { stdout } = await run(node, args, { timeout: 60_000, maxBuffer: 16 * 1024 * 1024 });
    const { tools } = JSON.parse(stdout) as { tools: { name: string }[] };
    assert.deepEqual(tools.map(({ name }) => name).sort(), [
      'arena',
      'base_rate',
      'get_bundle',
      'get_index',
      'list_indices',
      'submit_forecast',
    ]);
  });
});

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

/** The schema of the registry: a copy beside the shared data, or its own. */
async function registrySchema(): Promise<string | undefined> {
  const shared = process.env['ASSAY_SHARED'] ?? join(ROOT, '..', 'shared');
  const copy = join(shared, 'data', 'mcp', 'server.schema.json');
  const kept = await readFile(copy, 'utf8').catch(() => undefined);
  if (kept !== undefined) return kept;
  return fetch(SCHEMA, { signal: AbortSignal.timeout(10_000) })
    .then((answer) => (answer.ok ? answer.text() : undefined))
    .catch(() => undefined);
}

test('mcp: server.json fits the schema of the registry', async (t) => {
  const text = await registrySchema();
  if (text === undefined) {
    t.skip('the schema of the registry could not be had; server-json.test.ts has its rules');
    return;
  }
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  const check = ajv.compile(JSON.parse(text) as object);
  const sample = await readFile(join(ROOT, 'samples', 'mcp', 'server.json'), 'utf8');
  assert.ok(check(JSON.parse(sample)), JSON.stringify(check.errors));
});
