import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAt, ruleOf, said } from '../network.ts';

test('bls site: the typed-in months, each vintage from its release on, the same from all', async () => {
  assert.deepEqual(await said('cpi', 1, '2026-06-01', '2026-07-13T23:00:00Z'), [
    'bls-api not_published',
    'bls-flat-file not_published',
    'dbnomics not_published',
  ]);
  const cpi = ['bls-api ok -4', 'bls-flat-file ok -4', 'dbnomics ok -4'];
  assert.deepEqual(await said('cpi', 1, '2026-06-01', '2026-07-14T12:30:00Z'), cpi);
  const unemp = ['bls-api ok 46', 'bls-api-keyless ok 46', 'dbnomics ok 46'];
  assert.deepEqual(await said('unemp', 1, '2025-11-01', '2025-12-16T13:30:00Z'), unemp);
});

test('bls site: the month that was never published, and the one after it', async () => {
  const none = (mirror: string): readonly string[] => [
    'bls-api no_source',
    `${mirror} no_source`,
    'dbnomics no_source',
  ];
  const time = '2025-12-18T13:30:00Z';
  assert.deepEqual(await said('unemp', 1, '2025-10-01', time), none('bls-api-keyless'));
  for (const month of ['2025-10-01', '2025-11-01']) {
    assert.deepEqual(await said('cpi', 1, month, time), none('bls-flat-file'));
  }
  const [api, flat, copy] = await readAt(ruleOf('cpi', 1), '2025-10-01', time);
  const text = (read: typeof api): string => Buffer.from(read?.pages[0]?.bytes ?? []).toString();
  assert.match(text(api), /"periodName":"October","value":"-","footnotes":\[\{"code":"X"/);
  assert.match(text(flat), /CUSR0000SA0 +\t2025\tM10\t +-\tX\r\n/);
  assert.match(text(copy), /"NA"/);
});

test('bls site: invented months go on from the typed-in ones, at their releases', async () => {
  for (const [name, version, month, before, time] of [
    ['jobs', 1, '2025-12-01', '2026-01-09T13:29:59Z', '2026-01-09T13:30:00Z'],
    ['unemp', 2, '2026-07-01', '2026-08-07T12:29:59Z', '2026-08-07T12:30:00Z'],
    ['cpi', 2, '2026-07-01', '2026-08-12T12:29:59Z', '2026-08-12T12:30:00Z'],
    ['corecpi', 2, '2027-01-01', '2027-02-13T13:29:59Z', '2027-02-13T13:30:00Z'],
  ] as const) {
    const early = await said(name, version, month, before);
    for (const each of early) assert.match(each, / not_published$/, `${name} ${each}`);
    const values = (await said(name, version, month, time)).map((each) =>
      each.split(' ').slice(1).join(),
    );
    assert.match(values[0] ?? '', /^ok,-?\d+$/);
    assert.equal(new Set(values).size, 1, `${name} ${values.join(' ')}`);
  }
});

test('bls site: years, footnotes and the newest month as the bureau marks them', async () => {
  const [api] = await readAt(ruleOf('jobs', 1), '2025-12-01', '2026-01-10T00:00:00Z');
  const root = JSON.parse(Buffer.from(api?.pages[0]?.bytes ?? []).toString()) as {
    Results: { series: { data: { year: string; latest?: string; footnotes: object[] }[] }[] };
  };
  const data = root.Results.series[0]?.data ?? [];
  assert.equal(data.length, 24, 'the year and the one before');
  assert.deepEqual(
    data.slice(0, 3).map(({ latest, footnotes }) => [latest, footnotes]),
    [
      ['true', [{ code: 'P', text: 'preliminary' }]],
      [undefined, [{ code: 'P', text: 'preliminary' }]],
      [undefined, [{}]],
    ],
  );
});
