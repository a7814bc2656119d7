import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MemoryViews } from '@assay/core/view/state';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { ScratchRows } from '@assay/node/ledger/scratch/scratch-rows';
import { sealedRows, sumOf } from '@assay/node/ledger/store/sealed-row';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

test('scratch rows: they have the sum of the same rows in memory, and leave nothing behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-scratch-'));
  try {
    const store = await openLevelStore(join(folder, 'ledger'), { sync: false });
    const rows = await ScratchRows.make(nodeSha256, store);
    const model = new MemoryViews();
    for (let i = 0; i < 3000; i += 1) {
      const writes = [
        { table: `t/${i % 7}`, key: String(i % 500), value: i },
        { table: 'all', key: String(i).padStart(5, '0'), value: { i } },
      ];
      rows.write(writes);
      model.write(writes);
      await rows.flush(100);
      assert.equal(rows.get(`t/${i % 7}`, String(i % 500)), i);
    }
    assert.deepEqual([...rows.list('t/3')], [...model.list('t/3')]);
    assert.deepEqual([...rows.descend('all', '00100')], [...model.descend('all', '00100')]);
    assert.deepEqual(await rows.sum(), sumOf(sealedRows(nodeSha256, model)));
    let count = 0;
    for await (const _ of rows.rows()) count += 1;
    assert.equal(count, [...sealedRows(nodeSha256, model)].length);
    await rows.drop();
    await store.close();
    assert.deepEqual(await readdir(folder), ['ledger']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
