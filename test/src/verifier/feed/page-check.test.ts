import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import type { ChainRecord } from '@assay/core/feed/record';
import { parseDate, parseTime } from '@assay/core/time/time';
import { keysOf, recordsOf } from '@assay/verifier/feed/page-check';
import {
  accountsOf,
  chained,
  keyOf,
  KNOWN_SLOT,
  lookupOf,
  SETS,
  type Tweaks,
} from '../fixture/chained-log.ts';
import { judgeSite, siteOf } from '../fixture/published.ts';

const keys = ['a', 'b', 'c'].map((each) => each.repeat(64) as HashHex);

test('bits name keys in their order, and none beyond them', () => {
  assert.deepEqual(keysOf(0, keys), []);
  assert.deepEqual(keysOf(5, keys), [keys[0], keys[2]]);
  assert.deepEqual(keysOf(7, keys), keys);
  assert.equal(keysOf(8, keys), undefined);
  assert.equal(keysOf(255, keys), undefined);
  const eight = Array.from({ length: 8 }, (_, i) => String(i).repeat(64) as HashHex);
  assert.deepEqual(keysOf(255, eight), eight);
});

test('the records of a period, oldest kind first', () => {
  const slot = { provisional: 1, settled: null, corrected: 3 } as never;
  assert.deepEqual(recordsOf(slot), [1, 3]);
});

const FINAL = '2026-07-18 final 0';

/** What comes of a chain that was changed, with a log that was. */
async function found(
  change: (log: ReturnType<typeof chained>) => void,
  tweaks: Tweaks = {},
): Promise<readonly string[]> {
  const log = chained(tweaks);
  change(log);
  const verdict = await judgeSite(siteOf(log.published), {}, { chain: lookupOf(accountsOf(log)) });
  if (verdict.outcome !== 'findings') return [verdict.outcome];
  return verdict.findings.map(({ code, expected }) => `${code}: ${expected}`);
}

function settledOf({ accounts }: ReturnType<typeof chained>, period: string) {
  const settled = accounts.slots.get(parseDate(period))?.settled;
  if (settled == null) return assert.fail();
  return settled as { -readonly [K in keyof ChainRecord]: ChainRecord[K] };
}

test('a final on chain shows the threshold of its set, whatever the log says of it', async () => {
  const skip = (name: string): boolean => name === `${FINAL} print`;
  for (const cosigners of [0, 1, 4]) {
    const findings = await found((log) => (settledOf(log, '2026-07-18').cosigners = cosigners), {
      skip,
    });
    assert.deepEqual(findings, ['feed_differs: 2 co-signatures on chain of a final print']);
  }
  assert.deepEqual(await found((log) => (settledOf(log, '2026-07-18').cosigners = 6), { skip }), [
    'verified',
  ]);
  const corrected = '2026-07-25 corrected 1 print';
  const findings = await found(
    ({ accounts }) => {
      const slot = accounts.slots.get(parseDate('2026-07-25'));
      if (slot?.corrected == null) return assert.fail();
      const ada = SETS[1]?.cosigners.findIndex(({ name }) => name === 'ada') ?? -1;
      slot.corrected = { ...slot.corrected, cosigners: 1 << ada };
    },
    { skip: (name) => name === corrected },
  );
  assert.deepEqual(findings, ['feed_differs: 3 co-signatures on chain of a corrected print']);
});

test("a final on chain has its report's co-signatures in the log, and a provisional needs none", async () => {
  const skip = (name: string): boolean => name.startsWith(`${FINAL} `) && !name.endsWith('ada');
  const findings = await found((log) => (settledOf(log, '2026-07-18').cosigners = 0), { skip });
  assert.deepEqual(findings.toSorted(), [
    'feed_differs: 2 co-signatures in the log of a final print on chain',
    'feed_differs: 2 co-signatures on chain of a final print',
  ]);
  assert.deepEqual(await found(() => undefined), ['verified']);
});

/** A final of the log that a set or a rule of the feed alone, registered after the log's end, stands under. */
function hidden(change: (log: ReturnType<typeof chained>) => void, slot = 5000n) {
  return found(
    (log) => {
      const { feed } = log.accounts;
      const effective = BigInt(parseTime('2026-08-17T00:00:00Z'));
      feed.sets.push({ effective, threshold: 1, keys: [keyOf('ada')] });
      feed.rules.push({ hash: 'ab'.repeat(32) as HashHex, first: 30_002, effective });
      const settled = settledOf(log, '2026-07-18');
      settled.slot = slot;
      change(log);
    },
    { skip: (name) => name === `${FINAL} print` },
  );
}

test('no clock excuses a set or a rule that the log lacks and a print is under', async () => {
  assert.deepEqual(await hidden(() => undefined), ['verified']);
  const underSet = (log: ReturnType<typeof chained>): void => {
    Object.assign(settledOf(log, '2026-07-18'), { set: 2, cosigners: 1 });
  };
  assert.deepEqual(await hidden(underSet), [
    'feed_differs: a print under a set of co-signers of the log',
  ]);
  // A print of after the log was read may stand under a set of after it.
  assert.deepEqual(await hidden(underSet, BigInt(KNOWN_SLOT + 1)), ['verified']);
  const underRule = await hidden((log) => (settledOf(log, '2026-07-18').rule = 1));
  assert.ok(underRule.includes('feed_differs: a print under a rule of the log'));
});

test('a statement on chain alone: the finding says that nobody can tell who withheld it', async () => {
  const log = chained();
  const settled = settledOf(log, '2026-07-04');
  settled.dissents |= 1;
  const { findings } = await judgeSite(
    siteOf(log.published),
    {},
    { chain: lookupOf(accountsOf(log)) },
  ).then((verdict) => (verdict.outcome === 'findings' ? verdict : assert.fail()));
  assert.deepEqual(
    findings.map(({ code, found: words }) => `${code} ${words}`),
    [
      'feed_signature_unlogged on chain alone: the publisher was given none, or left it out; ' +
        'the chain cannot tell which',
    ],
  );
});
