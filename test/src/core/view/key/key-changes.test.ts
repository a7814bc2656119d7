import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { parseNoteKey } from '@assay/core/log/note';
import { unfitSet } from '@assay/core/view/cosigner-sets';
import { unfitKey } from '@assay/core/view/key/key-changes';
import { keyHash, keysOf, reportKeyAt } from '@assay/core/view/key/keys';
import { OverlayViews } from '../../fixture/overlay-views.ts';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState } from '@assay/core/view/view';
import { cosignerSet, type Hand, handOf, HANDS } from '../../fixture/cosigner-fixture.ts';
import { GENESIS, SampleLog, sha256 } from '../../fixture/fixture.ts';
import {
  committed,
  FIRST,
  FOURTH,
  FRESH,
  RECOVERY,
  RECOVERY_2,
  RECOVERY_3,
  recovery,
  rotation,
  SECOND,
  THIRD,
} from '../../fixture/key-fixture.ts';

function begun(): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  return log;
}

test('key changes: the promised key, or any by the recovery key', () => {
  const { log, views } = begun();
  assert.equal(unfitKey(views, rotation(log), sha256), undefined);
  assert.equal(unfitKey(views, recovery(log), sha256), undefined);
  assert.equal(unfitKey(views, recovery(log, { key: SECOND.key }), sha256), undefined);
  assert.equal(unfitKey(new MemoryViews(), rotation(log), sha256)?.found, 'none');
});

test('key changes: what may not follow is named, and changes nothing', () => {
  const cosigner = HANDS.find(({ key }) => ![SECOND.key, RECOVERY.key].includes(key));
  const vkey = GENESIS['checkpoint_vkey'] as string;
  const checkpoints = formatHex(parseNoteKey(sha256, vkey).publicKey);
  const hash = (key: string) => keyHash(sha256, key);
  const { log } = begun();
  const cases = [
    ['number', rotation(log, { number: 2 })],
    ['replaces', rotation(log, { replaces: THIRD.key })],
    ['key', rotation(log, { key: FRESH.key })],
    ['next_recovery_key_sha256', rotation(log, { next_recovery_key_sha256: committed(THIRD) })],
    ['recovery_key', recovery(log, { recovery_key: THIRD.key })],
    ['next_recovery_key_sha256', recovery(log, { next_recovery_key_sha256: committed(RECOVERY) })],
    ['next_recovery_key_sha256', recovery(log, { next_recovery_key_sha256: committed(FIRST) })],
    // A key has one place in a log.
    ['key', recovery(log, { key: FIRST.key })],
    ['key', recovery(log, { key: RECOVERY.key })],
    ['key', recovery(log, { key: checkpoints })],
    ['key', recovery(log, { key: RECOVERY_2.key })],
    ['key', recovery(log, { key: cosigner?.key ?? '' })],
    ['next_key_sha256', rotation(log, { next_key_sha256: committed(FIRST) })],
    ['next_key_sha256', rotation(log, { next_key_sha256: committed(SECOND) })],
    ['next_key_sha256', rotation(log, { next_key_sha256: committed(RECOVERY) })],
    ['next_key_sha256', rotation(log, { next_key_sha256: hash(checkpoints) })],
    ['next_key_sha256', rotation(log, { next_key_sha256: hash(cosigner?.key ?? '') })],
    ['next_key_sha256', recovery(log, { next_key_sha256: committed(RECOVERY_2) })],
  ] as const;
  for (const [at, entry] of cases) {
    const made = begun();
    const cosigners = [{ name: 'other', key: cosigner?.key ?? '' }];
    made.append('cosigners/1', cosignerSet({ threshold: 1, cosigners }));
    assert.equal(unfitKey(made.views, entry, sha256)?.at, at, JSON.stringify(entry));
    made.append('key/1', entry);
    assert.equal(keysOf(made.views).length, 1);
    assert.equal(reportKeyAt(made.views), FIRST.key);
  }
});

test('key changes: a key that was replaced never comes again, nor is any of them a co-signer', () => {
  const made = begun();
  made.append('key/1', rotation(made.log));
  const back = { number: 2, replaces: SECOND.key, key: FIRST.key };
  assert.equal(unfitKey(made.views, recovery(made.log, back), sha256)?.at, 'key');
  made.append('key/1', recovery(made.log, { number: 2, replaces: SECOND.key }));
  assert.equal(reportKeyAt(made.views), FRESH.key);
  // The promise of the key that was recovered from is void; that of the one in force holds.
  const third = { number: 3, replaces: FRESH.key, next_key_sha256: committed(RECOVERY_3) };
  const kept = { next_recovery_key_sha256: committed(RECOVERY_2) };
  const planned = rotation(made.log, { ...third, ...kept, key: THIRD.key });
  assert.equal(unfitKey(made.views, planned, sha256)?.at, 'key');
  const next = rotation(made.log, { ...third, ...kept, key: FOURTH.key });
  assert.equal(unfitKey(made.views, next, sha256), undefined);
  for (const { key } of [FIRST, SECOND, FRESH, RECOVERY]) {
    const set = cosignerSet({ threshold: 1, cosigners: [{ name: 'own', key }] });
    assert.equal(unfitSet(made.views, set, 0, sha256)?.found, key);
  }
});

test('key changes: each key is hashed once, however many there are', () => {
  const log = begun();
  const seed = (n: number): Hand => handOf((4096 + n).toString(16).padStart(64, '0'));
  let hashes = 0;
  const counted: typeof sha256 = (bytes) => {
    hashes += 1;
    return sha256(bytes);
  };
  const hands = [FIRST, SECOND, THIRD, ...Array.from({ length: 203 }, (_, i) => seed(i))];
  const after: number[] = [];
  for (let number = 1; number <= 200; number += 1) {
    const [old, own, next] = [hands[number - 1], hands[number], hands[number + 1]] as const;
    const entry = rotation(
      log.log,
      {
        number,
        replaces: (old as Hand).key,
        key: (own as Hand).key,
        next_key_sha256: committed(next as Hand),
      },
      { old: old as Hand, new: own as Hand },
    );
    assert.equal(unfitKey(log.views, entry, counted), undefined, `key ${number}`);
    log.append('key/1', entry);
    // A key that stands in the log is still refused, wherever it stands.
    const again = { ...entry, number: number + 1, replaces: entry.key, key: FIRST.key };
    assert.equal(unfitKey(log.views, again, sha256)?.at, 'key');
    after.push(hashes);
  }
  const [half = 0, all = 0] = [after[99], after[199]];
  assert.ok(all - half <= half + 10, `${half} hashes for 100 keys, ${all} for 200`);
});

test('key changes: a row that is gone is not remembered', () => {
  const below = begun();
  const [before, later] = [new OverlayViews(below.views), begun()];
  const entry = rotation(below.log);
  later.append('key/1', entry);
  let now: ViewState = before;
  const rows: ViewState = {
    get: (table, key) => now.get(table, key),
    list: (table) => now.list(table),
    descend: (table, end) => now.descend(table, end),
  };
  assert.equal(unfitKey(rows, entry, sha256), undefined);
  now = later.views;
  assert.equal(unfitKey(rows, entry, sha256)?.at, 'number');
  // The write failed, and its key may come again.
  now = before;
  assert.equal(unfitKey(rows, entry, sha256), undefined);
});
