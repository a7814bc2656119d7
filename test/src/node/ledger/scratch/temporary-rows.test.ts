import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ViewWrite } from '@assay/core/view/view';
import { TemporaryRows } from '@assay/node/ledger/scratch/temporary-rows';
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

test('temporary rows: a place that is being made when all are dropped is removed too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-test-'));
  try {
    await within(folder, async () => {
      const rows = new TemporaryRows(nodeSha256);
      // As at a deadline, which ends a verification while its walk goes on.
      const making = rows.make().catch(() => undefined);
      await rows.drop();
      await making;
      assert.deepEqual(await readdir(folder), []);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('temporary rows: a process that exits leaves none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-test-'));
  try {
    const program = `
      import { TemporaryRows } from '@assay/node/ledger/scratch/temporary-rows';
      import { nodeSha256 } from '@assay/node/platform/node-sha256';
      const rows = await new TemporaryRows(nodeSha256).make();
      rows.write([{ table: 'a', key: '1', value: 1 }]);
      process.exit(7);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: folder },
      stdio: 'inherit',
    });
    assert.deepEqual(await once(child, 'exit'), [7, null]);
    assert.deepEqual(await readdir(folder), []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('temporary rows: many bytes are written before there are many rows', async () => {
  const rows = new TemporaryRows(nodeSha256);
  const place = await rows.make();
  const large = 'x'.repeat(60_000);
  for (let i = 0; i < 69; i += 1) place.write([{ table: 'a', key: `${i}`, value: large }]);
  assert.equal(place.flush(), undefined);
  place.write([{ table: 'a', key: '1', value: 'small' }]);
  assert.equal(place.flush(), undefined, 'a row that is written again counts once');
  place.write(['x', 'y'].map((key) => ({ table: 'a', key, value: large })));
  const flushing = place.flush();
  assert.notEqual(flushing, undefined);
  await flushing;
  assert.equal(place.flush(), undefined);
  assert.equal(place.get('a', '1'), 'small');
  await rows.drop();
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
