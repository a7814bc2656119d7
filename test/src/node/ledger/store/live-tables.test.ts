import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { liveTables } from '@assay/node/ledger/store/live-tables';
import { databaseWithTables } from '../table-fixture.ts';

test('live tables: those of the manifest are those on the disk, with their sizes', async (t) => {
  const folder = await databaseWithTables(t);
  const found = (await liveTables(folder))?.toSorted((a, b) => a.number - b.number) ?? [];
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ldb')).sort();
  assert.ok(names.length > 0);
  assert.deepEqual(
    found.map(({ number }) => `${String(number).padStart(6, '0')}.ldb`),
    names,
  );
  for (const [i, name] of names.entries()) {
    assert.equal(found[i]?.size, (await stat(join(folder, name))).size);
  }
});

test('live tables: a manifest that is damaged is for LevelDB to refuse', async (t) => {
  const folder = await databaseWithTables(t);
  const manifest = join(folder, (await readFile(join(folder, 'CURRENT'), 'latin1')).trim());
  const bytes = await readFile(manifest);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 4;
  await writeFile(manifest, bytes);
  assert.equal(await liveTables(folder), undefined);
  assert.equal(await liveTables(join(folder, 'nowhere')), undefined);
});
