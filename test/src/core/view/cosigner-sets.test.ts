import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SET_DELAY_S, setHash } from '@assay/core/report/cosigner-set';
import { formatHex } from '@assay/core/bytes/hex';
import { parseNoteKey } from '@assay/core/log/note';
import { parseTime, toTime } from '@assay/core/time/time';
import { keyHash } from '@assay/core/view/key/keys';
import {
  cosignersAt,
  cosignerSets,
  reportCosigners,
  setByHash,
  unfitSet,
} from '@assay/core/view/cosigner-sets';
import {
  cosignerSet,
  HANDS,
  OTHER_PROMISES,
  recountedLog,
  SET,
  SET_HASH,
} from '../fixture/cosigner-fixture.ts';
import { GENESIS, SampleLog, sha256 } from '../fixture/fixture.ts';

/** When the sample log's entries say that they were written. */
const AT = '2026-07-30T12:00:00Z';
const LATER = '2026-08-01T00:00:00Z';
const IN_FORCE = '2026-08-08T00:00:00Z';
const second = cosignerSet({ number: 1, threshold: 3 });
const time = (text: string): number => parseTime(toTime(text));

test('co-signer sets: the first holds at once, the next a week after it was recorded', () => {
  const log = recountedLog(GENESIS);
  log.append('cosigners/1', second, LATER);
  assert.deepEqual(cosignerSets(log.views), [
    { ...SET, seq: 1, at: AT, effective_at: AT, hash: SET_HASH },
    { ...second, seq: 2, at: LATER, effective_at: IN_FORCE, hash: setHash(sha256, second) },
  ]);
  assert.equal(time(IN_FORCE) - time(LATER), SET_DELAY_S);
  const numberAt = (at: number): number | undefined => cosignersAt(log.views, at)?.number;
  assert.deepEqual(
    [time(AT) - 1, time(AT), time(LATER), time(IN_FORCE) - 1, time(IN_FORCE)].map(numberAt),
    [undefined, 0, 0, 0, 1],
  );
  assert.equal(setByHash(log.views, SET_HASH)?.number, 0);
  assert.equal(setByHash(log.views, setHash(sha256, second))?.number, 1);
  assert.equal(setByHash(log.views, setHash(sha256, cosignerSet({ number: 2 }))), undefined);
});

test('co-signer sets: what a report names', () => {
  const none = new SampleLog();
  assert.deepEqual(reportCosigners(none.views, time(AT)), { set: null, required: 0 });
  none.append('genesis/1', {
    ...GENESIS,
    ...OTHER_PROMISES,
    policies: { ...(GENESIS['policies'] as object), cosigners_required: 3 },
  });
  assert.deepEqual(reportCosigners(none.views, time(AT)), { set: null, required: 3 });
  none.append('cosigners/1', SET);
  assert.deepEqual(reportCosigners(none.views, time(AT) - 1), { set: null, required: 3 });
  assert.deepEqual(reportCosigners(none.views, time(AT)), { set: SET_HASH, required: 2 });
});

test('co-signer sets: a set out of turn, or while one waits, changes nothing', () => {
  const log = recountedLog(GENESIS);
  const other = cosignerSet({ threshold: 3 });
  for (const set of [other, cosignerSet({ number: 2 })]) log.append('cosigners/1', set, LATER);
  assert.deepEqual(
    cosignerSets(log.views).map(({ seq }) => seq),
    [1],
  );
  log.append('cosigners/1', second, LATER);
  log.append('cosigners/1', cosignerSet({ number: 2 }), '2026-08-07T23:59:59Z');
  assert.equal(cosignerSets(log.views).length, 2);
  log.append('cosigners/1', cosignerSet({ number: 2 }), IN_FORCE);
  assert.equal(cosignerSets(log.views).at(-1)?.effective_at, '2026-08-15T00:00:00Z');
  // A log's first set is number 0: no other begins the count.
  const late = new SampleLog();
  late.append('genesis/1', GENESIS);
  late.append('cosigners/1', second);
  assert.deepEqual(cosignerSets(late.views), []);
});

test('co-signer sets: why one may not follow', () => {
  const log = recountedLog(GENESIS);
  const publisher = { name: 'publisher', key: GENESIS['report_key'] as string };
  const cosigners = [publisher, { name: 'recounter', key: HANDS[0].key }].sort((a, b) =>
    a.key < b.key ? -1 : 1,
  );
  const named = cosignerSet({ number: 1, cosigners });
  assert.deepEqual(unfitSet(log.views, named, time(LATER), sha256), {
    expected: 'co-signers other than the publisher',
    found: publisher.key,
  });
  log.append('cosigners/1', named, LATER);
  assert.equal(cosignerSets(log.views).length, 1);
  const vkey = GENESIS['checkpoint_vkey'] as string;
  const checkpoints = formatHex(parseNoteKey(sha256, vkey).publicKey);
  const own = cosignerSet({
    number: 1,
    threshold: 1,
    cosigners: [{ name: 'other', key: checkpoints }],
  });
  assert.equal(unfitSet(log.views, own, time(LATER), sha256)?.found, checkpoints);
  // A key of which genesis has the hash is the publisher's, though it has never been shown.
  for (const name of ['next_report_key_sha256', 'recovery_key_sha256']) {
    const promised = new SampleLog();
    promised.append('genesis/1', { ...GENESIS, [name]: keyHash(sha256, HANDS[0].key) });
    assert.equal(unfitSet(promised.views, SET, time(LATER), sha256)?.found, HANDS[0].key, name);
  }
  assert.equal(unfitSet(log.views, second, time(LATER), sha256), undefined);
  log.append('cosigners/1', second, LATER);
  const third = cosignerSet({ number: 2 });
  assert.deepEqual(unfitSet(log.views, second, time(LATER), sha256), {
    expected: 'set 2',
    found: 'set 1',
  });
  assert.deepEqual(unfitSet(log.views, third, time(IN_FORCE) - 1, sha256), {
    expected: 'set 1 in force first',
    found: IN_FORCE,
  });
  assert.equal(unfitSet(log.views, third, time(IN_FORCE), sha256), undefined);
});
