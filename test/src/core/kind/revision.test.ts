import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRevision } from '@assay/core/kind/revision';
import { formatDate } from '@assay/core/time/time';
import type { WireObject, WireValue } from '@assay/core/wire/wire';
import { vectors } from '../fixture/fixture.ts';

const GOOD = (
  vectors<readonly { readonly entry: { readonly kind: string; readonly body: WireObject } }[]>(
    'entry/entries',
  ).find(({ entry }) => entry.kind === 'revision/1') as {
    readonly entry: { readonly body: WireObject };
  }
).entry.body;

function rows(count: number): WireValue {
  return Array.from({ length: count }, (_, i) => ({ period: formatDate(i), value: '1' }));
}

test('revision: each period once, ascending, at most a thousand', () => {
  assert.deepEqual(parseRevision(GOOD, 'body'), GOOD);
  assert.equal(parseRevision({ ...GOOD, rows: rows(1000) }, 'body').rows.length, 1000);
  const [first, second] = GOOD['rows'] as readonly WireValue[];
  const cases: readonly (readonly [string, WireObject])[] = [
    ['body.rows', { rows: [] }],
    ['body.rows', { rows: rows(1001) }],
    ['body.rows[1].period', { rows: [second as WireValue, first as WireValue] }],
    ['body.rows[1].period', { rows: [first as WireValue, first as WireValue] }],
    ['body.rows[0].value', { rows: [{ period: '2026-07-11', value: 1 }] }],
    ['body.ticker', { ticker: 'jobs' }],
    ['body.rule', { rule: '' }],
    ['body.read_for', { read_for: null }],
    ['body', { more: 1 }],
  ];
  for (const [at, change] of cases) {
    assert.throws(
      () => parseRevision({ ...GOOD, ...change }, 'body'),
      { code: 'malformed', at },
      at,
    );
  }
});
