import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { toHashHex } from '@assay/core/hash/hash';
import { type ForecastPrivate, ForecastRows } from '@assay/node/arena/forecast-rows';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

const ROUND = 'layoffs-2026-07-08';
const ROW: ForecastPrivate = {
  of: toHashHex('ab'.repeat(32)),
  handle: 'cd'.repeat(16),
  opening: { salt: '11'.repeat(32), value: '-5' },
  request: { id: '22'.repeat(32), body: '33'.repeat(32), hidden: null },
};
const SEALED: ForecastPrivate = { ...ROW, opening: null };

test('forecast rows: those of a round are there again after a restart, until it is dropped', async (t) => {
  const folder = join(await temporaryFolder(t), 'forecasts');
  const rows = new ForecastRows(folder, { sync: false });
  assert.deepEqual(await rows.rounds(), []);
  assert.deepEqual(await rows.of(ROUND), []);
  await rows.add(ROUND, [ROW]);
  await rows.add(ROUND, [SEALED]);
  await rows.close();
  const again = new ForecastRows(folder);
  assert.deepEqual(await again.of(ROUND), [ROW, SEALED]);
  assert.equal((await stat(join(folder, ROUND))).mode & 0o777, 0o600);
  assert.deepEqual(await again.rounds(), [ROUND]);
  await again.drop(ROUND);
  await again.drop(ROUND);
  assert.deepEqual(await readdir(folder), []);
  assert.deepEqual(await again.of(ROUND), []);
  await again.close();
});

test('forecast rows: what is no row, or no round, is refused', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, ROUND), `${JSON.stringify({ ...ROW, of: 'x' })}\n`);
  const rows = new ForecastRows(folder);
  await assert.rejects(rows.of(ROUND), { code: 'ledger_corrupt' });
  await assert.rejects(rows.of('../secret'), TypeError);
  await writeFile(join(folder, '.layoffs-2026-07-08.tmp'), '');
  assert.deepEqual(await rows.rounds(), [ROUND]);
});

test('forecast rows: what requests are keyed with is made once, for its owner alone', async (t) => {
  const folder = join(await temporaryFolder(t), 'forecasts');
  const key = await new ForecastRows(folder).requestKey();
  assert.equal(key.length, 32);
  assert.deepEqual(await new ForecastRows(folder).requestKey(), key);
  assert.equal((await stat(join(folder, '.request-key'))).mode & 0o777, 0o600);
  assert.deepEqual(await new ForecastRows(folder).rounds(), []);
  await writeFile(join(folder, '.request-key'), 'x');
  assert.notDeepEqual(await new ForecastRows(folder).requestKey(), key);
});
