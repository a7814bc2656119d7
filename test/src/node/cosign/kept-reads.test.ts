import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import type { Read } from '@assay/core/report/report';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { keptReads } from '@assay/node/cosign/kept-reads';
import { CLAIMS_RULE } from '../fixture/round-fixture.ts';
import { CosignedWorld, RELEASE } from './cosigner-fixture.ts';

type Change = (hash: HashHex, bytes: Uint8Array | undefined) => Uint8Array | undefined;

async function again(
  change: Change = (_, bytes) => bytes,
  alter: (read: Read) => Read = (read) => read,
  own: readonly Read[] = [],
): Promise<readonly string[] | undefined> {
  const world = await CosignedWorld.open();
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  const report = { ...row.report, reads: row.report.reads.map(alter) };
  const reads = await keptReads(CLAIMS_RULE, report, {
    sha256: nodeSha256,
    kept: async (hash) => change(hash, await world.blobs.get(hash)),
    own: own.map((read, i) => ({ ...read, snapshot: report.reads[i]?.snapshot ?? null })),
  });
  return reads?.map(({ provider, outcome, value }) => `${provider} ${outcome} ${value}`);
}

const GOOD = ['sample-claims-csv ok 197000', 'sample-claims-json ok 197000'];

test('kept reads: what the rule gives on the bytes, whatever the report says of them', async () => {
  assert.deepEqual(await again(), GOOD);
  assert.deepEqual(await again(undefined, (read) => ({ ...read, value: '1' })), GOOD);
  const absent = (read: Read): Read => ({ ...read, outcome: 'not_published', value: null });
  assert.deepEqual(await again(undefined, absent), GOOD);
});

test('kept reads: of a source that gave nothing there is no value', async () => {
  const nothing = (read: Read): Read => ({ ...read, snapshot: null });
  assert.deepEqual(await again(undefined, nothing), [
    'sample-claims-csv malformed null',
    'sample-claims-json malformed null',
  ]);
  const down = (read: Read): Read => ({ ...nothing(read), outcome: 'timeout', value: null });
  assert.deepEqual((await again(undefined, down))?.[0], 'sample-claims-csv timeout null');
});

test('kept reads: bytes that are missing, or others, are not run on', async () => {
  assert.equal(await again(() => undefined), undefined);
  let count = 0;
  const first: Change = (_, bytes) => ((count += 1) === 1 ? bytes : undefined);
  assert.equal(await again(first), undefined);
  const flipped: Change = (_, bytes) => bytes?.map((byte, i) => (i === 20 ? byte ^ 1 : byte));
  assert.equal(await again(flipped), undefined);
  // A manifest of what was asked of another provider.
  let record: HashHex | null = null;
  const swapped = (read: Read): Read => ({ ...read, snapshot: (record ??= read.snapshot) });
  assert.equal(await again(undefined, swapped), undefined);
});

test('kept reads: of the very bytes that one has read oneself, no byte is fetched', async () => {
  const own = ['a', 'b'].map((_, i) => ({
    provider: CLAIMS_RULE.providers[i]?.id,
    outcome: 'ok',
    value: '7',
    snapshot: null,
  })) as unknown as readonly Read[];
  const found = await again(() => assert.fail('fetched'), undefined, own);
  assert.deepEqual(found, ['sample-claims-csv ok 7', 'sample-claims-json ok 7']);
});
