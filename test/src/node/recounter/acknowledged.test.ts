import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAcknowledged } from '@assay/node/recounter/acknowledged';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

test('acknowledged: a hash a line, none without a file, and nothing else', async (t) => {
  const path = join(await temporaryFolder(t), 'acknowledged');
  assert.deepEqual(await readAcknowledged(path), new Set());
  await writeFile(path, `${'ab'.repeat(32)}\n\n${'cd'.repeat(32)}\n`);
  assert.deepEqual(await readAcknowledged(path), new Set(['ab'.repeat(32), 'cd'.repeat(32)]));
  await writeFile(path, `${'ab'.repeat(31)}\n`);
  await assert.rejects(readAcknowledged(path), { code: 'malformed' });
});
