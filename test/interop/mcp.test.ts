import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
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
import { NOT_MET } from './mcp-not-met.ts';
import { type McpPeers, mcpPeers, registrySchema } from './mcp-peers.ts';

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

/** How many checks pass at least, so that a run which was cut short is none. */
const LEAST = { '2025-11-25': 61, '2026-07-28': 153 } as const;

/** Runs the suite in a folder of its own, which `read` may look at; what it printed, and whether all went well. */
async function suite<T = undefined>(
  args: readonly string[],
  read: (folder: string) => Promise<T> = async () => undefined as T,
): Promise<{ readonly ok: boolean; readonly out: string; readonly found: T }> {
  const { node, conformance } = peers as McpPeers;
  const folder = await mkdtemp(join(tmpdir(), 'assay-mcp-'));
  try {
    const options = { cwd: folder, timeout: 240_000, maxBuffer: 64 * 1024 * 1024 };
    const ended = await run(node, [conformance, 'server', ...args], options).then(
      ({ stdout }) => ({ ok: true, out: stdout }),
      ({ stdout = '', stderr = '' }: { stdout?: string; stderr?: string }) => ({
        ok: false,
        out: stdout + stderr,
      }),
    );
    return { ...ended, found: await read(folder) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface SuiteCheck {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** What the suite wrote with `-o results`: each scenario with its checks. */
async function writtenChecks(folder: string): Promise<ReadonlyMap<string, readonly SuiteCheck[]>> {
  const results = join(folder, 'results');
  const checks = new Map<string, readonly SuiteCheck[]>();
  for (const name of (await readdir(results)).sort()) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1];
    assert.ok(scenario !== undefined, name);
    const text = await readFile(join(results, name, 'checks.json'), 'utf8');
    checks.set(scenario, JSON.parse(text) as SuiteCheck[]);
  }
  return checks;
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
        const args = ['--url', `${base}/mcp`, '--requirements', revision, '-o', 'results'];
        const { out, found } = await suite(args, writtenChecks);
        const started = [...out.matchAll(/^=== Running scenario: (\S+) ===$/gm)];
        assert.deepEqual(
          new Set(found.keys()),
          new Set(started.map(([, name]) => name)),
          out.slice(-2000),
        );
        const all = [...found].flatMap(([scenario, checks]) =>
          checks.map(({ id, status, errorMessage }) => ({ scenario, id, status, errorMessage })),
        );
        const passed = all.filter(({ status }) => status === 'SUCCESS');
        const rest = all.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO');
        t.diagnostic(`${revision}: ${passed.length} passed, ${rest.length} not met`);
        assert.ok(passed.length >= LEAST[revision], out.slice(-4000));
        assert.deepEqual(
          [...new Set(rest.map(({ scenario, id }) => `${scenario} ${id}`))].sort(),
          NOT_MET[revision]
            .flatMap(({ checks }) => Object.entries(checks))
            .flatMap(([scenario, ids]) => ids.map((id) => `${scenario} ${id}`))
            .sort(),
          JSON.stringify(rest),
        );
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

/** Of the schema as the registry published it on 2025-12-11. */
const SCHEMA_SHA256 = '3fba09590c99f61735d234822279f4223fab9e300c0a81e81c91ab62a4114de0';

test('mcp: server.json fits the schema of the registry', async (t) => {
  const schema = await registrySchema();
  if ('missing' in schema) {
    t.skip(`${schema.missing}; server-json.test.ts has its rules`);
    return;
  }
  assert.equal(createHash('sha256').update(schema).digest('hex'), SCHEMA_SHA256);
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  const fits = ajv.compile(JSON.parse(new TextDecoder().decode(schema)) as object);
  const text = await readFile(join(ROOT, 'samples', 'mcp', 'server.json'), 'utf8');
  const sample = JSON.parse(text) as object;
  assert.ok(fits(sample), JSON.stringify(fits.errors));
  for (const change of [
    { name: 'assay' },
    { description: 'x'.repeat(101) },
    { version: undefined },
    { websiteUrl: 'not a uri' },
    { remotes: [{ type: 'http', url: 'https://index.example.org/mcp' }] },
    { remotes: [{ type: 'streamable-http' }] },
  ]) {
    const changed = JSON.parse(JSON.stringify({ ...sample, ...change })) as object;
    assert.equal(fits(changed), false, JSON.stringify(change));
  }
});
