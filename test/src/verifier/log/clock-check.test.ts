import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTime } from '@assay/core/time/time';
import { wire } from '@assay/core/wire/wire';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { CLAIMS_RULE } from '../../node/fixture/round-fixture.ts';
import {
  codesOf,
  folderOf,
  genesisLog,
  judgeFolder,
  judgeSite,
  type Published,
  siteOf,
} from '../fixture/published.ts';

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

/** The first entry of a production log, and a rule whose weeks are released on Thursdays. */
function stopped(): Published {
  const rule = { ...CLAIMS_RULE, network: 'production', applies_from: '2025-12-27' };
  const body = wire({ rule });
  return genesisLog('assay.example/log', {}, [
    { at: '2026-01-01T00:00:00Z', kind: 'rule/1', body },
  ]);
}

test('clock: a live log that has stopped is not complete, and its first line says how old it is', async () => {
  const site = siteOf(stopped());
  const now = AT + 100 * 86_400;
  const judgedAt = (clock: number): Promise<Verdict> =>
    judgeSite(site, { complete: true }, { now: clock });
  const late = await judgedAt(now);
  assert.deepEqual(codesOf(late), ['log_incomplete']);
  const places = late.outcome === 'findings' ? late.findings.map(({ place }) => place) : [];
  assert.deepEqual(places, ['LAYOFFS', 'index entries']);
  assert.equal(late.reservations.stale_days, 100);
  // Without the demand the same is counted beside the yes.
  const open = await judgeSite(site, {}, { now });
  assert.equal(open.outcome, 'verified');
  assert.ok(open.reservations.open_periods > 10);
  assert.ok(open.reservations.missing_indexes > 90);
  const number = { index: 'LAYOFFS' };
  const asked = await judgeSite(site, {}, { now, number });
  const [found] = asked.outcome === 'findings' ? asked.findings : [];
  assert.match(String(found?.found), /^2026-0[34]-[0-9]{2}: no report$/);
  const fresh = await judgedAt(AT + 2 * 86_400);
  assert.equal(fresh.outcome, 'verified');
  assert.equal(fresh.reservations.stale_days, 0);
  // A folder is as old as it is: its age alone is named.
  const copy = await judgeFolder(folderOf(stopped()), { complete: true }, { now });
  assert.equal(copy.outcome, 'verified');
  assert.equal(copy.reservations.stale_days, 100);
});
