import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatRule } from '@assay/core/rule/rule';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import type { MirrorReader } from '@assay/node/mirror/served-log';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { hostsOfRule, hostsOfRules } from '@assay/node/recounter/rule-hosts';
import { CLAIMS_RULE } from '../fixture/round-fixture.ts';

function readerOf(answers: Readonly<Record<string, unknown>>): MirrorReader {
  return {
    get: async (path) => {
      const body = answers[path];
      if (body === undefined) return { status: 404, body: new Uint8Array() };
      return {
        status: 200,
        body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      };
    },
  };
}

function requests(...urls: readonly (readonly [string, ...string[]])[]) {
  const [provider] = CLAIMS_RULE.providers;
  assert.ok(provider !== undefined);
  const providers = urls.map(([url, ...follow]) => ({
    ...provider,
    request: { ...provider.request, url, follow },
  }));
  return { providers };
}

test('rule hosts: what requests name and redirects may lead to, as source_hosts has it', () => {
  const hosts = hostsOfRule(
    requests(
      ['https://A.example/x?y', 'b.example', 'c.example:8443'],
      ['https://a.example'],
      ['http://d.example:81/', 'e.example'],
      ['https://{secret:HOST}.example/'],
      ['https://user@f.example/'],
    ),
  );
  assert.deepEqual(hosts, [
    'a.example',
    'b.example',
    'c.example:8443',
    'http://d.example:81',
    'http://e.example',
  ]);
});

test('rule hosts: of every rule in force, with the indices that name them', async () => {
  const canonical = parseUtf8(formatRule(CLAIMS_RULE));
  const named = await hostsOfRules(
    readerOf({
      '/v1/indices': [{ ticker: 'Claims' }, { ticker: 'Other' }],
      '/v1/indices/Claims/rule': { canonical },
      '/v1/indices/Other/rule': { canonical },
    }),
    nodeSha256,
  );
  const hosts = [...hostsOfRule(CLAIMS_RULE)].sort();
  assert.ok(hosts.length > 0);
  assert.deepEqual(
    named,
    hosts.map((host) => ({ host, indices: ['Claims', 'Other'] })),
  );
});

test('rule hosts: a service that says something else', async () => {
  const list = [{ ticker: 'Claims' }];
  for (const [answers, code] of [
    [{}, 'unreachable'],
    [{ '/v1/indices': list }, 'unreachable'],
    [{ '/v1/indices': '{' }, 'malformed'],
    [{ '/v1/indices': { ticker: 'Claims' } }, 'malformed'],
    [{ '/v1/indices': [{ ticker: '../x' }] }, 'malformed'],
    [{ '/v1/indices': Array(257).fill(list[0]) }, 'malformed'],
    [{ '/v1/indices': list, '/v1/indices/Claims/rule': {} }, 'malformed'],
    [{ '/v1/indices': list, '/v1/indices/Claims/rule': { canonical: '{}' } }, 'malformed'],
  ] as const) {
    await assert.rejects(
      hostsOfRules(readerOf(answers), nodeSha256),
      { code },
      JSON.stringify(answers).slice(0, 90),
    );
  }
});
