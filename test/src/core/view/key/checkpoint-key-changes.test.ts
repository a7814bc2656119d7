import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import type { HashHex } from '@assay/core/hash/hash';
import type {
  CheckpointKeyBody,
  CheckpointKeyEntry,
  CheckpointPromise,
} from '@assay/core/kind/checkpoint-key';
import { parseNoteKey } from '@assay/core/log/note';
import { unfitCheckpointKey } from '@assay/core/view/key/checkpoint-key-changes';
import {
  checkpointTerms,
  newestCheckpointKey,
  signingTerms,
  termOf,
} from '@assay/core/view/key/checkpoint-keys';
import { unfitSet } from '@assay/core/view/cosigner-sets';
import { unfitKey } from '@assay/core/view/key/key-changes';
import { keyPlaces } from '@assay/core/view/key/key-places';
import { recoveryInForce } from '@assay/core/view/key/recovery-key';
import { cosignerSet, type Hand, handOf } from '../../fixture/cosigner-fixture.ts';
import { GENESIS, SampleLog, sha256 } from '../../fixture/fixture.ts';
import {
  committed,
  FIRST,
  FRESH,
  RECOVERY,
  RECOVERY_2,
  RECOVERY_3,
  recovery,
  rotation,
  SECOND,
  THIRD,
} from '../../fixture/key-fixture.ts';

const [C1, C2, C3, R4, OTHER]: readonly Hand[] = [61, 62, 63, 64, 65].map((n) =>
  handOf(`${n}`.repeat(32)),
) as [Hand, Hand, Hand, Hand, Hand];
const C0 = formatHex(parseNoteKey(sha256, GENESIS['checkpoint_vkey'] as string).publicKey);
const key = (hand: Hand | undefined): string => (hand as Hand).key;
const of = (hand: Hand | undefined): HashHex => committed(hand as Hand);

function promise(change: Partial<CheckpointPromise> = {}): CheckpointPromise {
  return {
    type: 'checkpoint-promise',
    number: 1,
    next_checkpoint_sha256: of(C1),
    recovery_key: RECOVERY.key,
    next_recovery_key_sha256: of(RECOVERY_2),
    signature: '00'.repeat(64),
    ...change,
  };
}

function rotates(seq: number, change: Partial<CheckpointKeyEntry> = {}): CheckpointKeyEntry {
  return {
    type: 'checkpoint-key',
    number: 1,
    cause: 'rotation',
    replaces: C0,
    key: key(C1),
    last_size: seq + 1,
    next_checkpoint_sha256: of(C2),
    recovery_key: null,
    next_recovery_key_sha256: of(RECOVERY_2),
    signatures: { old: '00'.repeat(64), new: '00'.repeat(64), recovery: null },
    ...change,
  };
}

function recovers(seq: number, change: Partial<CheckpointKeyEntry> = {}): CheckpointKeyEntry {
  return {
    ...rotates(seq),
    number: 2,
    cause: 'recovery',
    replaces: key(C1),
    key: key(C2),
    last_size: seq,
    next_checkpoint_sha256: of(C3),
    recovery_key: RECOVERY_2.key,
    next_recovery_key_sha256: of(RECOVERY_3),
    signatures: { old: null, new: '00'.repeat(64), recovery: '00'.repeat(64) },
    ...change,
  };
}

/** Genesis, and these bodies after it, each with a note behind it. */
function logOf(...bodies: ((seq: number) => CheckpointKeyBody)[]): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  for (const body of bodies) {
    log.append('key/2', body(log.entries.length));
    log.append('note/1', { text: 'between' });
  }
  return log;
}

test('checkpoint key changes: a promise, a rotation and a recovery, and which key signs which head', () => {
  const { views } = logOf(
    () => promise(),
    (seq) => rotates(seq),
    (seq) => recovers(seq),
  );
  const terms = checkpointTerms(views);
  assert.deepEqual(
    terms.map(({ number, seq, cause, above, last_size, promised_by }) => [
      number,
      seq,
      cause,
      above,
      last_size,
      promised_by,
    ]),
    [
      [0, 0, 'genesis', 0, 4, null],
      [1, 3, 'rotation', 4, 5, 1],
      [2, 5, 'recovery', 5, null, 3],
    ],
  );
  assert.deepEqual(
    [1, 4, 5, 6, 99].map((size) => termOf(terms, size)?.number),
    [0, 0, 1, 2, 2],
  );
  assert.deepEqual(
    [3, 4, 5, 6].map((size) => signingTerms(terms, size).map(({ number }) => number)),
    [[0], [0, 1], [1], [2]],
  );
  assert.equal(newestCheckpointKey(views, sha256)?.key, key(C2));
  assert.equal(terms[0]?.vkey, GENESIS['checkpoint_vkey']);
  for (const [i, hand] of [C1, C2].entries()) {
    const { publicKey } = parseNoteKey(sha256, terms[i + 1]?.vkey as string);
    assert.equal(formatHex(publicKey), key(hand));
  }
});

test('checkpoint key changes: the recovery key has one chain over both kinds of keys', () => {
  const log = logOf(() => promise());
  assert.equal(recoveryInForce(logOf().views), committed(RECOVERY));
  assert.equal(recoveryInForce(log.views), committed(RECOVERY_2));
  const said = { next_recovery_key_sha256: committed(RECOVERY_2) };
  assert.equal(unfitKey(log.views, rotation(log.log), sha256)?.at, 'next_recovery_key_sha256');
  assert.equal(unfitKey(log.views, rotation(log.log, said), sha256), undefined);
  const shown = { recovery_key: RECOVERY_2.key, next_recovery_key_sha256: committed(RECOVERY_3) };
  assert.equal(unfitKey(log.views, recovery(log.log), sha256)?.at, 'recovery_key');
  assert.equal(unfitKey(log.views, recovery(log.log, shown), sha256), undefined);
  log.append('key/1', recovery(log.log, shown));
  assert.equal(recoveryInForce(log.views), committed(RECOVERY_3));
  const next = { next_recovery_key_sha256: committed(RECOVERY_3) };
  assert.equal(
    unfitCheckpointKey(log.views, rotates(4), 4, sha256)?.at,
    'next_recovery_key_sha256',
  );
  assert.equal(unfitCheckpointKey(log.views, rotates(4, next), 4, sha256), undefined);
});

test('checkpoint key changes: what may not follow is named, and changes nothing', () => {
  const before = [() => promise()];
  const cases: readonly (readonly [
    string,
    ((seq: number) => CheckpointKeyBody)[],
    (seq: number) => CheckpointKeyBody,
  ])[] = [
    ['number', [], () => promise({ number: 2 })],
    ['recovery_key', [], () => promise({ recovery_key: THIRD.key })],
    ['next_recovery_key_sha256', [], () => promise({ next_recovery_key_sha256: of(RECOVERY) })],
    ['next_recovery_key_sha256', [], () => promise({ next_recovery_key_sha256: of(SECOND) })],
    ['next_checkpoint_sha256', [], () => promise({ next_checkpoint_sha256: of(FIRST) })],
    ['next_checkpoint_sha256', [], () => promise({ next_checkpoint_sha256: of(SECOND) })],
    ['next_checkpoint_sha256', [], () => promise({ next_checkpoint_sha256: of(RECOVERY) })],
    ['next_checkpoint_sha256', [], () => promise({ next_checkpoint_sha256: of(RECOVERY_2) })],
    // A key has one promise.
    [
      'number',
      before,
      () => promise({ recovery_key: RECOVERY_2.key, next_checkpoint_sha256: of(C3) }),
    ],
    ['key', [], (seq) => rotates(seq)],
    ['number', before, (seq) => rotates(seq, { number: 2 })],
    ['replaces', before, (seq) => rotates(seq, { replaces: key(C1) })],
    ['key', before, (seq) => rotates(seq, { key: key(C2) })],
    ['last_size', before, (seq) => rotates(seq, { last_size: seq })],
    ['last_size', before, (seq) => rotates(seq, { last_size: seq + 2 })],
    [
      'next_recovery_key_sha256',
      before,
      (seq) => rotates(seq, { next_recovery_key_sha256: of(RECOVERY_3) }),
    ],
    ['next_checkpoint_sha256', before, (seq) => rotates(seq, { next_checkpoint_sha256: of(C1) })],
    [
      'next_checkpoint_sha256',
      before,
      (seq) => rotates(seq, { next_checkpoint_sha256: of(RECOVERY) }),
    ],
    [
      'last_size',
      [...before, (seq) => rotates(seq)],
      (seq) => recovers(seq, { last_size: seq + 1 }),
    ],
    [
      'recovery_key',
      [...before, (seq) => rotates(seq)],
      (seq) => recovers(seq, { recovery_key: RECOVERY.key }),
    ],
    [
      'next_recovery_key_sha256',
      [...before, (seq) => rotates(seq)],
      (seq) => recovers(seq, { next_recovery_key_sha256: of(RECOVERY_2) }),
    ],
    [
      'next_checkpoint_sha256',
      [...before, (seq) => rotates(seq)],
      (seq) => recovers(seq, { next_recovery_key_sha256: of(C3) }),
    ],
  ];
  for (const [at, earlier, body] of cases) {
    const log = logOf(...earlier);
    const seq = log.entries.length;
    const rows = checkpointTerms(log.views);
    assert.equal(
      unfitCheckpointKey(log.views, body(seq), seq, sha256)?.at,
      at,
      JSON.stringify(body(seq)),
    );
    log.append('key/2', body(seq));
    assert.deepEqual(checkpointTerms(log.views), rows);
  }
});

test('checkpoint key changes: none of their keys may be anything else afterwards', () => {
  const log = logOf(
    () => promise(),
    (seq) => rotates(seq),
  );
  const { views } = log;
  const of2 = { next_recovery_key_sha256: committed(RECOVERY_2) };
  for (const hand of [C1, C2]) {
    const asNext = rotation(log.log, { ...of2, next_key_sha256: of(hand) });
    assert.equal(unfitKey(views, asNext, sha256)?.at, 'next_key_sha256');
  }
  for (const each of [C0, key(C1), key(C2), RECOVERY.key, RECOVERY_2.key]) {
    const cosigners = [{ name: 'other', key: each }];
    const unfit = unfitSet(
      views,
      cosignerSet({ number: 0, threshold: 1, cosigners }),
      1_785_000_000,
      sha256,
    );
    assert.equal(unfit?.found, each);
  }
  const free = [{ name: 'other', key: key(OTHER) }];
  const set = cosignerSet({ number: 0, threshold: 1, cosigners: free });
  assert.equal(unfitSet(views, set, 1_785_000_000, sha256), undefined);
});

test('key places: they follow the rows, and forget what was never kept', () => {
  const log = logOf(() => promise());
  const { views } = log;
  const places = keyPlaces(views, sha256);
  assert.ok(places.named.has(committed(RECOVERY)) && places.promised.has(of(C1)));
  assert.equal(places.named.has(of(C1)), false);
  log.append('key/2', rotates(log.entries.length));
  const after = keyPlaces(views, sha256);
  assert.ok(
    after.named.has(of(C1)) && after.promised.has(of(C2)) && after.committed.has(of(RECOVERY_2)),
  );
  const other = logOf(() => promise({ next_checkpoint_sha256: of(R4) }));
  assert.equal(keyPlaces(other.views, sha256).promised.has(of(C1)), false);
  assert.equal(keyPlaces(logOf().views, sha256).named.has(committed(FRESH)), false);
});
