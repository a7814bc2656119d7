import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOT_FOUND } from '@assay/node/dev/site/site';
import { usajobsSite } from '@assay/node/dev/site/usajobs-site';
import { readAt, ruleOf, said } from '../network.ts';

test('usajobs site: the same for the same days, always, and more of it later', async () => {
  // Written down once: a demo that is started again must not change its past.
  const at = '2026-07-31T06:00:00Z';
  assert.deepEqual(await said('GIGS', 1, '2026-07-30', at), ['usajobs-joa ok 18']);
  assert.deepEqual(await said('WAGE', 1, '2026-07-30', at), ['usajobs-joa ok 2111']);
  const counts: number[] = [];
  for (const day of ['2026-07-30T06:00:00Z', at, '2026-08-02T06:00:00Z']) {
    const [line = ''] = await said('GIGS', 1, '2026-07-30', day);
    counts.push(Number(line.split(' ').at(-1)));
  }
  assert.ok((counts[0] as number) < (counts[1] as number));
  assert.ok((counts[1] as number) < (counts[2] as number), 'some come in late');
});

test('usajobs site: pages by token, and pay by the hour beside pay by the year', async () => {
  const [read] = await readAt(ruleOf('GIGS', 1), '2026-07-30', '2026-07-31T06:00:00Z');
  assert.ok((read?.pages.length ?? 0) > 1);
  const rows = (read?.pages ?? []).flatMap(
    ({ bytes }) =>
      (
        JSON.parse(Buffer.from(bytes).toString()) as {
          data: { salaryType: string; positionOpenDate: string }[];
        }
      ).data,
  );
  assert.deepEqual([...new Set(rows.map(({ salaryType }) => salaryType))].sort(), [
    'Per Hour',
    'Per Year',
  ]);
  for (const { positionOpenDate: date } of rows)
    assert.ok(date >= '2026-07-24' && date <= '2026-07-30');
});

test('usajobs site: another page, or dates that are none, are not there', () => {
  for (const path of [
    'api/search?q=1',
    'api/historicjoa',
    'api/historicjoa?StartPositionOpenDate=2026-07-01&EndPositionOpenDate=2026-07-02',
    'api/historicjoa?StartPositionOpenDate=01-01-2020&EndPositionOpenDate=01-01-2026',
  ]) {
    assert.equal(
      usajobsSite({ url: `https://a.invalid/${path}` } as never, 1_785_000_000),
      NOT_FOUND,
    );
  }
});
