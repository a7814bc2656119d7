import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleHash } from '@assay/core/rule/rule';
import { DEVELOPMENT_INDICES, developmentNetwork } from '@assay/node/dev/development-indices';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { NETWORK } from './network.ts';

test('development indices: eleven, typed-in figures under one version and invented ones under the next', () => {
  assert.deepEqual(
    NETWORK.indices.map(({ rules }) =>
      rules.map(({ display, title, applies_from: from }) => {
        return `${display} ${title.split(/[:,]/)[0]} ${from}`;
      }),
    ),
    [
      ['LAYOFFS SAMPLE 2015-01-03', 'LAYOFFS SYNTHETIC 2026-08-01'],
      ...['MINTS', 'TRENCHES', 'GIGS', 'WAGE', 'YESNO', 'MODELS'].map((name) => [
        `${name} SYNTHETIC 2026-04-18`,
      ]),
      ['jobs SYNTHETIC 2025-12-01'],
      ...['unemp', 'cpi', 'corecpi'].map((name) => [
        `${name} SAMPLE 2024-01-01`,
        `${name} SYNTHETIC 2026-07-01`,
      ]),
    ],
  );
});

test('development indices: every host that a rule asks is there, and no real one', () => {
  const asked = NETWORK.indices
    .flatMap(({ rules }) => rules)
    .flatMap(({ providers }) => providers)
    .map(({ request }) => /^https:\/\/([^/?]+)/.exec(request.url)?.[1] ?? '');
  assert.deepEqual([...new Set(asked)].sort(), [...NETWORK.sites.keys()].sort());
  for (const host of asked) assert.match(host, /\.(sample|synthetic)\.invalid$/);
});

test('development indices: typed-in and invented figures never share a host', () => {
  for (const { rules } of NETWORK.indices) {
    for (const { title, providers } of rules) {
      const kind = title.startsWith('SAMPLE') ? '.sample.invalid' : '.synthetic.invalid';
      for (const { request } of providers) assert.ok(request.url.includes(kind));
    }
  }
});

test('development indices: some of them, and none that is not there', async () => {
  const { indices } = await developmentNetwork(nodeSha256, ['cpi', 'GIGS']);
  assert.deepEqual(
    indices.map(({ rules }) => rules[0]?.display),
    ['cpi', 'GIGS'],
  );
  await assert.rejects(developmentNetwork(nodeSha256, ['CLOSE']), TypeError);
  assert.equal(DEVELOPMENT_INDICES.length, 11);
  const again = await developmentNetwork(nodeSha256, ['cpi']);
  const hashes = (rules: readonly { readonly ticker: string }[]): string[] =>
    rules.map((rule) => ruleHash(nodeSha256, rule as never));
  assert.deepEqual(hashes(again.indices[0]?.rules ?? []), hashes(indices[0]?.rules ?? []));
});
