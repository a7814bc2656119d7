import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commitmentOf } from '@assay/core/hash/commitment';
import type { HashHex } from '@assay/core/hash/hash';
import type { DateText } from '@assay/core/time/time';
import { reportsOf } from '@assay/core/view/reports';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { FileOpenings, MemoryOpenings, type Openings } from '@assay/node/data/openings';
import { SOME_HASH } from '../../core/fixture/fixture.ts';
import { closesWorld, HIDDEN_RULE, WEEKS } from '../fixture/closes-world.ts';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

const SALT = new Uint8Array(32).fill(9);
const VALUE = -7n;
const COMMITMENT = commitmentOf(nodeSha256, SALT, VALUE);

async function folder(t: { after(done: () => Promise<void>): void }): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'assay-openings-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return join(path, 'openings');
}

test('openings: what was put is there, in memory and on disk', async (t) => {
  const path = await folder(t);
  const all: Openings[] = [new MemoryOpenings(), await FileOpenings.open(path, nodeSha256)];
  for (const openings of all) {
    assert.equal(openings.get(COMMITMENT), undefined);
    await openings.put(COMMITMENT, { value: VALUE, salt: SALT });
    assert.deepEqual(openings.get(COMMITMENT), { value: VALUE, salt: SALT });
    assert.equal(openings.get(SOME_HASH), undefined);
  }
  const again = await FileOpenings.open(path, nodeSha256);
  assert.equal(again.get(COMMITMENT)?.value, VALUE);
  assert.deepEqual(Buffer.from(again.get(COMMITMENT)?.salt ?? ''), Buffer.from(SALT));
});

test('openings: only their owner may read them', async (t) => {
  const path = await folder(t);
  const openings = await FileOpenings.open(path, nodeSha256);
  await openings.put(COMMITMENT, { value: VALUE, salt: SALT });
  assert.equal((await stat(path)).mode & 0o077, 0);
  assert.equal((await stat(join(path, COMMITMENT))).mode & 0o077, 0);
  assert.deepEqual(await readdir(path), [COMMITMENT]);
});

test('openings: a file that opens nothing is said at once', async (t) => {
  const path = await folder(t);
  await FileOpenings.open(path, nodeSha256);
  await writeFile(join(path, SOME_HASH), `${'00'.repeat(40)}\n`);
  await assert.rejects(FileOpenings.open(path, nodeSha256), { code: 'ledger_corrupt' });
  await writeFile(join(path, SOME_HASH), 'x');
  await assert.rejects(FileOpenings.open(path, nodeSha256), { code: 'ledger_corrupt' });
});

test('openings: one is durable before an entry names its commitment', async (t) => {
  const kept = new MemoryOpenings();
  let fail = true;
  const world = await closesWorld(await temporaryFolder(t), {
    openings: {
      get: kept.get,
      put: (commitment, opening) =>
        fail ? Promise.reject(new Error('EIO')) : kept.put(commitment, opening),
    },
  });
  const [period, release, , level] = WEEKS[0] as (typeof WEEKS)[number];
  world.shown.hidden[period] = level;
  world.at(release);
  const size = world.ledger.nextSeq;
  await assert.rejects(world.round(HIDDEN_RULE, period), /EIO/);
  assert.equal(world.ledger.nextSeq, size, 'nothing names what may be lost');
  fail = false;
  const { report } = await world.round(HIDDEN_RULE, period);
  assert.equal(kept.get(report?.commitment as HashHex)?.value, BigInt(level));
});

test('openings: a round that lacks one says which, and prints no z against other levels', async (t) => {
  const kept = new MemoryOpenings();
  const lost = new Set<HashHex>();
  const world = await closesWorld(await temporaryFolder(t), {
    openings: {
      get: (commitment) => (lost.has(commitment) ? undefined : kept.get(commitment)),
      put: kept.put,
    },
  });
  for (const i of [0, 1, 2]) await world.week(i);
  const [period, release, , level] = WEEKS[3] as (typeof WEEKS)[number];
  world.shown.hidden[period] = level;
  world.at(release);
  const final = reportsOf(world.ledger.tip, HIDDEN_RULE.ticker, '2026-07-11' as DateText).at(-1);
  lost.add(final?.report.commitment as HashHex);
  const size = world.ledger.nextSeq;
  await assert.rejects(world.round(HIDDEN_RULE, period), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'not_found');
    assert.ok(error.message.includes(final?.report.commitment ?? 'none'));
    assert.equal(error.message.includes('98765432'), false);
    return true;
  });
  assert.equal(world.ledger.nextSeq, size);
  lost.clear();
  assert.notEqual((await world.round(HIDDEN_RULE, period)).report?.z, null);
});
