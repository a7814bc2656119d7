import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTime } from '@assay/core/time';
import { codesOf, genesisLog, judgeSite, type Published, siteOf } from './published.ts';

const AT = parseTime('2026-01-01T00:00:00Z');
const NAMED = 'that the times of entries are not ahead';

async function judged(log: Published, now: number | undefined) {
  const verdict = await judgeSite(siteOf(log), {}, now === undefined ? {} : { now });
  const named = verdict.not_checked.find(({ what }) => what === NAMED)?.why;
  return { codes: codesOf(verdict), named };
}

test('clock: entries may be two hours ahead of it, and no more', async () => {
  const log = genesisLog('assay.example/log');
  assert.deepEqual(await judged(log, AT - 7200), { codes: [], named: undefined });
  assert.deepEqual((await judged(log, AT - 7201)).codes, ['time_ahead']);
  assert.deepEqual(await judged(log, AT + 1_000_000_000), { codes: [], named: undefined });
});

test('clock: without one, and of a development log, that is named as not checked', async () => {
  const log = genesisLog('assay.example/log');
  assert.deepEqual(await judged(log, undefined), { codes: [], named: 'no clock was given' });
  assert.deepEqual(await judged(genesisLog('development/clock'), AT - 7201), {
    codes: [],
    named: 'a development log may run on a simulated clock',
  });
});
