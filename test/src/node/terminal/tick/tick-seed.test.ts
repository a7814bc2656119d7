import assert from 'node:assert/strict';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { openTickSeed } from '@assay/node/terminal/tick/tick-seed';
import { temporaryFolder } from '../../ledger/ledger-fixture.ts';

test('tick seed: made once, for its owner alone, and the same from then on', async (t) => {
  const path = join(await temporaryFolder(t), 'tick-seed');
  const seed = await openTickSeed(path, true);
  assert.equal(seed.length, 32);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal(await readFile(path, 'utf8'), `${formatHex(seed)}\n`);
  assert.deepEqual(await openTickSeed(path, true), seed);
  assert.deepEqual(await openTickSeed(path, false), seed);
});

test('tick seed: never another one for a log that has ticks', async (t) => {
  const path = join(await temporaryFolder(t), 'tick-seed');
  await assert.rejects(openTickSeed(path, false), { code: 'key_missing' });
  await writeFile(path, 'abc\n');
  await chmod(path, 0o600);
  await assert.rejects(openTickSeed(path, true), { code: 'malformed' });
});
