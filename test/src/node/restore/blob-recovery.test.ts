import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { lostDisk, restored } from './restore-world.ts';

test('restore: what nobody has is listed, by what names it', async (t) => {
  const { data, copy } = await lostDisk(t);
  const [hash = ''] = await readdir(join(copy, 'blob'));
  await rm(join(copy, 'blob', hash));
  const result = await restored(data, [copy], { unconfirmed: true });
  assert.deepEqual(
    result.lacking.blobs.map((each) => each.hash),
    [hash],
  );
  assert.equal(result.verdict.outcome, 'findings');
});

test('restore: of a source with many wrong blobs the first are named, and the others counted', async (t) => {
  const { data, copy } = await lostDisk(t);
  const hashes = await readdir(join(copy, 'blob'));
  for (const hash of hashes) await writeFile(join(copy, 'blob', hash), 'rot');
  const result = await restored(data, [copy], { unconfirmed: true });
  const lacking = result.lacking.blobs.length;
  // What only a manifest names is not known to be lacking.
  assert.equal(lacking > 5 && lacking <= hashes.length, true, `${lacking} of ${hashes.length}`);
  const [{ faults } = { faults: [] }] = result.sources;
  assert.equal(faults.length, 6);
  assert.equal(faults.at(-1), `and ${lacking - 5} more of the kind`);
  assert.equal(result.verdict.findings >= lacking, true);
});
