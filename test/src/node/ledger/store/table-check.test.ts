import assert from 'node:assert/strict';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Level } from 'level';
import type { Fault } from '@assay/core/fault';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { checkTables } from '@assay/node/ledger/store/table-check';
import { databaseWithTables } from '../table-fixture.ts';

async function tableOf(folder: string): Promise<string> {
  const [name] = (await readdir(folder)).filter((each) => each.endsWith('.ldb')).sort();
  return join(folder, name as string);
}

const corrupt = { name: 'Fault', code: 'ledger_corrupt' };

test('table check: over a table with a flipped bit LevelDB is not opened, or goes over the rows', async (t) => {
  const folder = await databaseWithTables(t);
  const path = await tableOf(folder);
  const good = await readFile(path);
  await checkTables(folder);
  const { length } = good;
  const anywhere = Array.from({ length: 30 }, (_, i) => Math.floor((i * length) / 30));
  // Keys and lengths of rows stand at the beginning; index, filter and footer lie at the end.
  const heads = Array.from({ length: 24 }, (_, i) => i);
  const seen = { refused: 0, read: 0 };
  for (const at of [...anywhere, ...heads]) {
    const bytes = Uint8Array.from(good);
    bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
    await writeFile(path, bytes);
    try {
      await checkTables(folder);
    } catch (error) {
      assert.equal((error as Fault).code, 'ledger_corrupt', `byte ${at}`);
      seen.refused += 1;
      continue;
    }
    const level = new Level<Uint8Array, Uint8Array>(folder, {
      keyEncoding: 'view',
      valueEncoding: 'view',
    });
    // An abort of LevelDB would end this process. A key that is another now may hide rows: their sum tells.
    await level.values().all();
    await level.close();
    seen.read += 1;
  }
  assert.ok(seen.refused > 3 && seen.read > 3, JSON.stringify(seen));
});

test('table check: a flipped bit in the lists, the filters or the footer of a table is found', async (t) => {
  const folder = await databaseWithTables(t);
  const path = await tableOf(folder);
  const good = await readFile(path);
  const { length } = good;
  // Between the handles of the footer and its last eight bytes there is padding, which stands for nothing.
  const places = [length - 1, length - 8, length - 48, length - 46];
  for (let at = length - 250; at < length - 48; at += 7) places.push(at);
  for (const at of places) {
    const bytes = Uint8Array.from(good);
    bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
    await writeFile(path, bytes);
    await assert.rejects(checkTables(folder), corrupt, `byte ${at} of ${length}`);
    await assert.rejects(openLevelStore(folder), corrupt, `byte ${at} of ${length}`);
  }
});

test('table check: a table that was cut, emptied or deleted is found', async (t) => {
  const folder = await databaseWithTables(t);
  const path = await tableOf(folder);
  const good = await readFile(path);
  for (const length of [good.length - 1, good.length >> 1, 40, 0]) {
    await writeFile(path, good);
    await truncate(path, length);
    await assert.rejects(checkTables(folder), corrupt, `${length} bytes`);
  }
  await rm(path);
  await assert.rejects(checkTables(folder), corrupt);
});

test('table check: a table that a crash left unfinished belongs to no database', async (t) => {
  const folder = await databaseWithTables(t);
  await writeFile(join(folder, '999999.ldb'), 'half of a table');
  await checkTables(folder);
  await checkTables(join(folder, 'nowhere'));
});
