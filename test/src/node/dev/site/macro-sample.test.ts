import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatDate } from '@assay/core/time/time';
import { readMacroSample } from '@assay/node/dev/site/macro-sample';
import { sharedPath } from '../../../core/fixture/fixture.ts';
import { SAMPLES } from '../../fixture/round-fixture.ts';

const FILES = {
  jobs: 'nonfarm_payrolls_sa_thousands',
  unemp: 'unemployment_rate_sa_pct',
  cpi: 'cpi_u_all_items_sa',
  corecpi: 'cpi_u_core_sa',
} as const;

const path = (name: string): string => join(SAMPLES, 'macro', `${name}.json`);

test('macro samples: the series, and the month that each release printed first', async () => {
  const shown = await Promise.all(
    Object.keys(FILES).map(async (name) => {
      const { series, vintages } = await readMacroSample(path(name));
      return [
        series,
        ...vintages.map(({ released, months }) => {
          const last = months.at(-1);
          return `${formatDate(released)} ${formatDate(last?.period ?? 0)} ${last?.level}`;
        }),
      ];
    }),
  );
  assert.deepEqual(shown, [
    ['CES0000000001', '2025-12-16 2025-11-01 159552'],
    ['LNS14000000', '2025-12-16 2025-11-01 4.6', '2026-07-02 2026-06-01 4.2'],
    ['CUSR0000SA0', '2025-12-18 2025-11-01 325.031', '2026-07-14 2026-06-01 332.568'],
    ['CUSR0000SA0L1E', '2025-12-18 2025-11-01 331.068', '2026-07-14 2026-06-01 336.065'],
  ]);
});

test('macro samples: every figure typed in is the recorded one, and what was not published is null', async (t) => {
  for (const [name, file] of Object.entries(FILES)) {
    const recordedPath = sharedPath(`data/macro/${file}_vintages.csv`);
    if (recordedPath === undefined) return t.skip('../shared is not here');
    const recorded = new Map(
      (await readFile(recordedPath, 'utf8'))
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',') as [string, string, string])
        .map(([asOf, month, value]) => [`${asOf} ${month}`, value] as const),
    );
    const text = JSON.parse(await readFile(path(name), 'utf8')) as {
      vintages: { as_of: string }[];
    };
    const { vintages } = await readMacroSample(path(name));
    for (const [i, { months }] of vintages.entries()) {
      const asOf = text.vintages[i]?.as_of;
      for (const { period, level } of months) {
        const value = recorded.get(`${asOf} ${formatDate(period)}`) ?? '';
        if (level === null) assert.equal(value, '', `${name} ${formatDate(period)}`);
        else assert.equal(Number(level), Number(value === '' ? 'none' : value));
      }
    }
  }
});

test('macro samples: a file of another form is malformed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-macro-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'sample.json');
  const good = JSON.parse(await readFile(path('cpi'), 'utf8')) as { vintages: object[] };
  const change = (fields: object): object => ({
    ...good,
    vintages: [{ ...good.vintages[0], ...fields }],
  });
  for (const bad of [
    [],
    { ...good, more: 1 },
    { ...good, vintages: [] },
    { ...good, series: 'a b' },
    change({ released: '2025-02-30' }),
    change({ first_month: '2024-01-02' }),
    change({ values: [325.031] }),
    change({ values: ['-'] }),
    change({ values: [] }),
  ]) {
    await writeFile(file, JSON.stringify(bad));
    await assert.rejects(readMacroSample(file), { code: 'malformed' }, JSON.stringify(bad));
  }
});
