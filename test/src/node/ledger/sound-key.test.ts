import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import type { KeyEntry } from '@assay/core/kind/key';
import { keyInForce, keysOf } from '@assay/core/view/key/keys';
import type { EntryDraft } from '@assay/node/ledger/ledger';
import type { LogMirror } from '@assay/node/mirror/log-mirror';
import {
  hexOf,
  placeOf,
  recoveryTo2,
  REPORT_KEYS,
  rotated,
  rotationTo1,
} from '../../verifier/fixture/rotated-log.ts';
import { filledLedger, memoryPlace, note } from './ledger-fixture.ts';
import { mirrorPlace, openMirror, serverOf, signedLog } from '../mirror/mirror-fixture.ts';

const NOT_VERIFYING = '00'.repeat(64);

/** Keys that nobody let in, by what is wrong with them. */
const BAD: readonly (readonly [string, (entry: KeyEntry) => KeyEntry])[] = [
  [
    'the old key',
    ({ signatures, ...said }) => ({ ...said, signatures: { ...signatures, old: NOT_VERIFYING } }),
  ],
  [
    'the new key',
    ({ signatures, ...said }) => ({ ...said, signatures: { ...signatures, new: NOT_VERIFYING } }),
  ],
  ['its promise', (entry) => ({ ...entry, key: hexOf(REPORT_KEYS[2]) })],
];

const isCorrupt = (error: unknown): boolean => {
  assert.ok(error instanceof Fault);
  assert.equal(error.code, 'ledger_corrupt');
  assert.equal(error.message.startsWith('report key'), true, error.message);
  return true;
};

/** A mirror of the log of three keys, as far as it came. */
async function copied(change?: (key: KeyEntry) => KeyEntry, n = 0): Promise<LogMirror> {
  const published = rotated((drafts) => {
    const draft = drafts[placeOf(drafts, 'key/1', n)];
    if (draft === undefined) assert.fail();
    if (change !== undefined) draft.body = change(draft.body as unknown as KeyEntry) as never;
  });
  const mirror = await openMirror(await mirrorPlace(), serverOf(signedLog(published.entries)));
  if (change === undefined) await mirror.follow();
  else await assert.rejects(mirror.follow(), isCorrupt);
  return mirror;
}

test('sound key: a mirror takes keys that were let in, in one poll', async () => {
  const mirror = await copied();
  assert.deepEqual(
    keysOf(mirror.shown).map(({ key }) => key),
    REPORT_KEYS.map(hexOf),
  );
});

for (const [what, change] of BAD) {
  test(`sound key: a mirror shows nothing of a log with a key that is against ${what}`, async () => {
    const mirror = await copied(change);
    assert.equal(mirror.published, undefined);
    assert.equal(keyInForce(mirror.shown), undefined);
    await assert.rejects(mirror.follow(), isCorrupt, 'again at the next look');
  });

  test(`sound key: a ledger takes no key that is against ${what}`, async () => {
    const ledger = await filledLedger(await memoryPlace(), 0);
    const good = rotationTo1(ledger.log as HashHex);
    const draft = (body: KeyEntry): EntryDraft => ({ kind: 'key/1', body });
    const { nextSeq } = ledger;
    await assert.rejects(
      ledger.write(() => [draft(change(good))]),
      { code: 'refused' },
    );
    await assert.rejects(
      ledger.write(() => [note('a'), draft(good)]),
      { code: 'refused' },
    );
    assert.equal(ledger.nextSeq, nextSeq);
    await ledger.write(() => [draft(good)]);
    assert.equal(keyInForce(ledger.tip)?.number, 1);
  });
}

test('sound key: a recovery is signed by the recovery key', async () => {
  const wrong = (entry: KeyEntry): KeyEntry => ({
    ...entry,
    signatures: { ...entry.signatures, recovery: NOT_VERIFYING },
  });
  assert.equal((await copied(wrong, 1)).published, undefined);
  const ledger = await filledLedger(await memoryPlace(), 0);
  const log = ledger.log as HashHex;
  await ledger.write(() => [{ kind: 'key/1', body: rotationTo1(log) }]);
  const body = recoveryTo2(log);
  const refused = ledger.write(() => [{ kind: 'key/1', body: wrong(body) }]);
  await assert.rejects(refused, { code: 'refused' });
  await ledger.write(() => [{ kind: 'key/1', body }]);
});
