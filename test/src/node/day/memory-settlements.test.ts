import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySettlements } from '@assay/node/day/memory-settlements';

test('memory settlements: what was put is there as it was, and nothing from outside', async () => {
  const files = new MemorySettlements();
  assert.equal(await files.read('latest.json'), undefined);
  const bytes = Buffer.from('one');
  await files.put('2026-07-30/LAYOFFS.json', bytes);
  bytes.fill(0);
  const read = await files.read('2026-07-30/LAYOFFS.json');
  assert.equal(String(Buffer.from(read ?? [])), 'one');
  read?.fill(0);
  assert.equal(String(Buffer.from((await files.read('2026-07-30/LAYOFFS.json')) ?? [])), 'one');
  await assert.rejects(files.read('../secret.json'), { code: 'bad_path' });
  await assert.rejects(files.put('/secret.json', bytes), { code: 'bad_path' });
});
