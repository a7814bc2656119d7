import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { codesOf, judgeFolder, judgeSite } from '../fixture/published.ts';
import type { LooseDraft } from '../fixture/forge.ts';
import {
  CHECKPOINT_KEYS,
  CHECKPOINT_RECOVERY,
  checkpointRecovery2,
  checkpointRotation1,
  PLACES,
  promiseOf1,
  replaced,
  replacedFolder,
  replacedSite,
} from '../fixture/replaced-log.ts';
import { hexOf, NEXT_KEYS, promised, REPORT_KEYS } from '../fixture/rotated-log.ts';
import { testSigner } from '../../node/ledger/ledger-fixture.ts';

type Change = (drafts: LooseDraft[], log: HashHex) => void;

const STRANGER = testSigner(9);
const { promise, rotation1, recovery2 } = PLACES;

const put =
  (seq: number, body: (log: HashHex) => object): Change =>
  (drafts, log) => {
    (drafts[seq] as { body: object }).body = body(log);
  };

async function placesOf(code: string, change: Change): Promise<readonly string[]> {
  const log = replaced(change);
  const places: string[] = [];
  for (const verdict of [
    await judgeSite(replacedSite(log)),
    await judgeFolder(replacedFolder(log)),
  ]) {
    assert.ok(verdict.outcome === 'findings');
    assert.ok(codesOf(verdict).includes(code as never), codesOf(verdict).join());
    places.push(...verdict.findings.filter((each) => each.code === code).map(({ place }) => place));
  }
  return places;
}

test('checkpoint key check: what may not follow is a finding, whoever signed it', async () => {
  const reused = { new: REPORT_KEYS[0] };
  const cases: readonly (readonly [string, Change])[] = [
    [`entry ${promise}/number`, put(promise, (log) => promiseOf1(log, { number: 2 }))],
    [
      `entry ${promise}/recovery_key`,
      put(promise, (log) => promiseOf1(log, { recovery_key: hexOf(STRANGER) }, STRANGER)),
    ],
    [
      `entry ${promise}/next_checkpoint_sha256`,
      put(promise, (log) => promiseOf1(log, { next_checkpoint_sha256: promised(NEXT_KEYS[2]) })),
    ],
    [
      `entry ${promise}/next_recovery_key_sha256`,
      put(promise, (log) =>
        promiseOf1(log, { next_recovery_key_sha256: promised(REPORT_KEYS[0]) }),
      ),
    ],
    [
      `entry ${rotation1}/key`,
      put(rotation1, (log) =>
        checkpointRotation1(log, rotation1, { key: hexOf(STRANGER) }, { new: STRANGER }),
      ),
    ],
    [
      `entry ${rotation1}/key`,
      put(rotation1, (log) =>
        checkpointRotation1(log, rotation1, { key: hexOf(REPORT_KEYS[0]) }, reused),
      ),
    ],
    [
      `entry ${rotation1}/last_size`,
      put(rotation1, (log) => checkpointRotation1(log, rotation1, { last_size: rotation1 })),
    ],
    [
      `entry ${rotation1}/replaces`,
      put(rotation1, (log) => checkpointRotation1(log, rotation1, { replaces: hexOf(STRANGER) })),
    ],
    [
      `entry ${recovery2}/last_size`,
      put(recovery2, (log) => checkpointRecovery2(log, recovery2, { last_size: recovery2 + 1 })),
    ],
    [
      `entry ${recovery2}/recovery_key`,
      put(recovery2, (log) =>
        checkpointRecovery2(
          log,
          recovery2,
          { recovery_key: hexOf(STRANGER) },
          { recovery: STRANGER },
        ),
      ),
    ],
    // A key with a point of order 8 is no key of this format.
    [
      `entry ${recovery2}/recovery_key`,
      put(recovery2, (log) =>
        checkpointRecovery2(log, recovery2, { recovery_key: '01'.padEnd(64, '0') }),
      ),
    ],
  ];
  for (const [place, change] of cases) {
    const places = await placesOf('key_not_allowed', change);
    assert.ok(places.includes(place), `${place}: ${places.join()}`);
  }
});

test('checkpoint key check: each signature of a promise and of a key', async () => {
  const other = 'cd'.repeat(32) as HashHex;
  const cases: readonly (readonly [string, Change])[] = [
    [`entry ${promise}/signature`, put(promise, (log) => promiseOf1(log, {}, STRANGER))],
    [
      `entry ${rotation1}/signatures/old`,
      put(rotation1, (log) => checkpointRotation1(log, rotation1, {}, { old: STRANGER })),
    ],
    [
      `entry ${rotation1}/signatures/new`,
      put(rotation1, (log) => checkpointRotation1(log, rotation1, {}, { new: CHECKPOINT_KEYS[0] })),
    ],
    [
      `entry ${recovery2}/signatures/recovery`,
      put(recovery2, (log) =>
        checkpointRecovery2(log, recovery2, {}, { recovery: CHECKPOINT_RECOVERY[0] }),
      ),
    ],
    // What is said for one log says nothing for another.
    [
      `entry ${rotation1}/signatures/new`,
      put(rotation1, () => checkpointRotation1(other, rotation1)),
    ],
  ];
  for (const [place, change] of cases) {
    const places = await placesOf('key_bad_signature', change);
    assert.ok(places.includes(place), `${place}: ${places.join()}`);
  }
});
