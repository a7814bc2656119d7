import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { leaveTableList, tableName, takeTableList } from '@assay/node/ledger/store/table-list';
import { temporaryFolder } from '../ledger-fixture.ts';

const NUMBERS = Array.from({ length: 70 }, (_, i) => i + 5);

async function tables(folder: string): Promise<void> {
  for (const number of NUMBERS) await writeFile(join(folder, tableName(number)), `table ${number}`);
}

test('table list: it is left once, and names the files that are as they were', async (t) => {
  const folder = await temporaryFolder(t);
  await tables(folder);
  await leaveTableList(folder, [...NUMBERS, 999]);
  const path = (number: number): string => join(folder, tableName(number));
  // Another size, another time, another file with the same bytes and time, and none.
  await writeFile(path(10), 'longer than it was');
  const bytes = await readFile(path(11));
  bytes[0] = (bytes[0] as number) ^ 1;
  await writeFile(path(11), bytes);
  await copyFile(path(12), `${path(12)}.copy`);
  await utimes(`${path(12)}.copy`, new Date(), new Date());
  await rename(`${path(12)}.copy`, path(12));
  await rename(path(13), `${path(13)}.gone`);
  const known = await takeTableList(folder);
  assert.deepEqual(
    [...known.keys()],
    NUMBERS.filter((each) => ![10, 11, 12, 13].includes(each)),
  );
  assert.equal((await takeTableList(folder)).size, 0, 'a process that ends early leaves none');
});

test('table list: a changed list is none, and one of few tables is not left', async (t) => {
  const folder = await temporaryFolder(t);
  await tables(folder);
  await leaveTableList(folder, NUMBERS);
  const text = await readFile(`${folder}.tables`, 'latin1');
  await writeFile(`${folder}.tables`, text.replace(/^6 /m, '7 '));
  assert.equal((await takeTableList(folder)).size, 0);
  await leaveTableList(folder, NUMBERS.slice(0, 20));
  const siblings = await readdir(join(folder, '..'));
  assert.ok(!siblings.some((each) => join(folder, '..', each) === `${folder}.tables`));
});
