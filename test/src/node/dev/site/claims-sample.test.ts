import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatDate } from '@assay/core/time/time';
import { readClaimsSample } from '@assay/node/dev/site/claims-sample';
import { sharedPath } from '../../../core/fixture/fixture.ts';
import { SAMPLES } from '../../fixture/round-fixture.ts';

const SAMPLE = join(SAMPLES, 'claims', 'initial-claims.json');

test('claims sample: five vintages, each with its first print last', async () => {
  const vintages = await readClaimsSample(SAMPLE);
  assert.deepEqual(
    vintages.map(({ asOf, weeks }) => {
      const newest = weeks.at(-1);
      return [formatDate(asOf), weeks.length, formatDate(newest?.period ?? 0), newest?.claims];
    }),
    [
      ['2025-05-01', 17, '2025-04-26', 241_000],
      ['2025-09-25', 38, '2025-09-20', 218_000],
      ['2025-12-31', 52, '2025-12-27', 199_000],
      ['2026-07-09', 79, '2026-07-04', 215_000],
      ['2026-07-30', 82, '2026-07-25', 197_000],
    ],
  );
  for (const { weeks } of vintages) {
    for (const [i, { period, claims }] of weeks.entries()) {
      assert.equal((period + 4) % 7, 6, 'a Saturday');
      if (i > 0) assert.equal(period, (weeks[i - 1]?.period ?? 0) + 7);
      assert.ok(claims >= 150_000 && claims <= 300_000 && claims % 1000 === 0);
    }
  }
});

test('claims sample: every figure typed in is the recorded one', async (t) => {
  const path = sharedPath('data/claims/initial_claims_sa_vintages.csv');
  if (path === undefined) return t.skip('../shared is not here');
  const lines = (await readFile(path, 'utf8')).trim().split('\n').slice(1);
  const recorded = new Set(lines);
  let figures = 0;
  for (const { asOf, weeks } of await readClaimsSample(SAMPLE)) {
    for (const { period, claims } of weeks) {
      const line = `${formatDate(asOf)},${formatDate(period)},${claims}`;
      assert.ok(recorded.has(line), line);
      figures += 1;
    }
  }
  assert.equal(figures, 17 + 38 + 52 + 79 + 82);
});

test('claims sample: a file of another form is malformed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-sample-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'sample.json');
  const good = JSON.parse(await readFile(SAMPLE, 'utf8')) as {
    vintages: { as_of: string; first_week: string; claims: number[] }[];
  };
  const [first] = good.vintages;
  assert.ok(first !== undefined);
  const bad: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['no object', '[]'],
    ['another unit', JSON.stringify({ ...good, unit: 'claims' })],
    ['a member too many', JSON.stringify({ ...good, more: 1 })],
    ['no vintage', JSON.stringify({ ...good, vintages: [] })],
    ['no week', JSON.stringify({ ...good, vintages: [{ ...first, claims: [] }] })],
    [
      'a day that is none',
      JSON.stringify({ ...good, vintages: [{ ...first, as_of: '2025-02-30' }] }),
    ],
    ['a fraction', JSON.stringify({ ...good, vintages: [{ ...first, claims: [1.5] }] })],
    ['a figure below one', JSON.stringify({ ...good, vintages: [{ ...first, claims: [0] }] })],
    ['a text for a figure', JSON.stringify({ ...good, vintages: [{ ...first, claims: ['1'] }] })],
  ];
  for (const [name, text] of bad) {
    await writeFile(path, text);
    await assert.rejects(readClaimsSample(path), { name: 'Fault', code: 'malformed' }, name);
  }
});
