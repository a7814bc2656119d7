import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ViewWrite } from '@assay/core/view/view';
import { TemporaryRows } from '@assay/node/ledger/store/temporary-rows';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

/** With the folder for temporary files set to `folder`. */
async function within<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    return await run();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

test('temporary rows: each place has its own rows, and nothing is left of them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-test-'));
  try {
    await within(folder, async () => {
      const rows = new TemporaryRows(nodeSha256);
      const [first, second] = [await rows.make(), await rows.make()];
      const writes: ViewWrite[] = [
        { table: 'b', key: '1', value: 1 },
        { table: 'a', key: '2', value: { x: [1] } },
        // A table that no view lists.
        { table: 'stamped', key: '3', value: null },
      ];
      first.write(writes);
      assert.equal(second.get('b', '1'), undefined);
      assert.equal((await readdir(folder)).length, 2);
      const all: ViewWrite[] = [];
      for await (const each of first.all()) all.push(each);
      assert.deepEqual(all, [writes[1], writes[0], writes[2]]);
      await rows.drop();
      assert.deepEqual(await readdir(folder), []);
      await rows.drop();
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('temporary rows: where no folder can be made, the fault says so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-test-'));
  try {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await within(file, async () => {
      const rows = new TemporaryRows(nodeSha256);
      await assert.rejects(rows.make(), { code: 'storage_failed' });
      await rows.drop();
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
