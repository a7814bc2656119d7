import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FindingCode } from '@assay/verifier/verdict/finding';
import { Random } from '../../core/terminal/random.ts';
import { arenaRoundLog, RICH_WEEK, roundOf } from '../fixture/arena-rounds.ts';
import { Forge } from '../fixture/forge.ts';
import { walked, withMisdeeds } from '../fixture/kept-checks.ts';
import { chain } from '../fixture/published.ts';

const KINDS = ['round/1', 'forecast/1', 'freeze/1', 'unseal/1', 'grade/1'];
const log = await arenaRoundLog();
const { origin } = log;

test('arena kept: interrupted before every entry, the check says what one says that never was', async () => {
  const seen = new Set<FindingCode>();
  for (let seed = 1; seed <= 8; seed += 1) {
    const forged = withMisdeeds(log, KINDS, new Random(seed), seed === 1 ? 0 : 3);
    // The third seed of each four may open too few of what is sealed.
    const parts = { ...forged, origin, openings: seed % 4 === 3 ? 3 : 100 };
    const whole = await walked(parts, () => false);
    assert.deepEqual(await walked(parts, () => true), whole, `seed ${seed}`);
    for (const { code } of whole.findings) seen.add(code);
    if (seed > 1) continue;
    assert.deepEqual(whole.findings, []);
    assert.equal(whole.tally.openings, 6);
  }
  assert.ok(seen.size > 5, [...seen].join());
});

test('arena kept: what was opened before an interruption counts for the limit behind it', async () => {
  for (const openings of [0, 1, 2, 3, 5]) {
    const parts = { ...log, openings };
    const whole = await walked(parts, () => false);
    assert.deepEqual(await walked(parts, (seq) => seq % 3 === 0), whole);
    assert.ok(whole.tally.openings <= openings);
    assert.ok(whole.not_checked.some(({ what }) => /^the points of \d+ rounds/.test(what)));
  }
});

test('arena kept: grades in parts are made once, and the rest of them is known behind an interruption', async () => {
  const forge = new Forge(log);
  const { draft, seq } = forge.newest(
    ({ kind, body }) => kind === 'grade/1' && body['round'] === roundOf(RICH_WEEK),
  );
  const parts = [0, 1].map((part) => ({
    ...draft,
    body: { ...structuredClone(draft.body), part, parts: 2 },
  }));
  forge.drafts.splice(seq, 1, ...parts);
  const made = { ...log, entries: chain(forge.drafts as never) };
  // A round that may not be opened is counted once, whatever parts its grades have.
  const shut = { ...made, openings: 0 };
  assert.deepEqual(await walked(shut, () => true), await walked(shut, () => false));
  const whole = await walked(made, () => false);
  assert.deepEqual(await walked(made, () => true), whole);
  assert.deepEqual(
    whole.findings.slice(0, 2).map(({ code, place }) => `${code} ${place}`),
    [`grade_differs entry ${seq}/parts`, `grade_differs entry ${seq + 1}/`],
  );
  assert.equal(whole.tally.openings, 6);
});
