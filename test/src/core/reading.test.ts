import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPages } from '@assay/core/reading';
import type { Provider } from '@assay/core/rule/rule';
import { parseDate } from '@assay/core/time';
import { formatUtf8 } from '@assay/core/utf8';
import { layoffsRule } from './fixture.ts';

test('reading: an answer other than 200 is bad_status, whatever it holds', () => {
  const rule = layoffsRule();
  const provider = rule.providers[1] as Provider;
  const bytes = formatUtf8('week_ending,series,claims\n2026-07-25,SA,218000\n');
  const read = (...statuses: number[]): unknown =>
    readPages(
      rule,
      provider,
      statuses.map((status) => ({ status, bytes })),
      parseDate('2026-07-25'),
    );
  assert.deepEqual(read(200), { outcome: 'ok', value: 218_000n });
  assert.deepEqual(read(404), { outcome: 'bad_status', detail: 'HTTP 404' });
  assert.deepEqual(read(200, 503), { outcome: 'bad_status', detail: 'HTTP 503' });
  assert.deepEqual(read(206), { outcome: 'bad_status', detail: 'HTTP 206' });
  assert.equal((read() as { outcome: string }).outcome, 'malformed');
});
