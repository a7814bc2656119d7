import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyInForce, keysOf, publisherKeys, reportKeyAt } from '@assay/core/view/key/keys';
import { MemoryViews } from '@assay/core/view/state';
import { GENESIS, SampleLog } from '../../fixture/fixture.ts';
import {
  committed,
  FIRST,
  FOURTH,
  FRESH,
  RECOVERY,
  RECOVERY_2,
  recovery,
  rotation,
  SECOND,
  THIRD,
} from '../../fixture/key-fixture.ts';

/** Key 0 to entry 2, key 1 to entry 4, and key 2, which a recovery brought. */
function rotatedLog(): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('note/1', { text: 'before' });
  log.append('key/1', rotation(log.log));
  log.append('note/1', { text: 'between' });
  const second = { number: 2, replaces: SECOND.key };
  log.append('key/1', recovery(log.log, second));
  return log;
}

test('keys: none before genesis, and the one that it names', () => {
  const none = new MemoryViews();
  assert.deepEqual(keysOf(none), []);
  assert.equal(keyInForce(none), undefined);
  assert.equal(reportKeyAt(none), undefined);
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  assert.equal(reportKeyAt(log.views), FIRST.key);
  assert.equal(reportKeyAt(log.views, 0), FIRST.key);
  assert.equal(keyInForce(log.views)?.next_key_sha256, committed(SECOND));
});

test('keys: each signs from behind its entry up to the next one', () => {
  const { views } = rotatedLog();
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 99].map((seq) => reportKeyAt(views, seq)),
    [FIRST.key, FIRST.key, FIRST.key, SECOND.key, SECOND.key, FRESH.key, FRESH.key],
  );
  assert.equal(reportKeyAt(views), FRESH.key);
  assert.deepEqual(
    keysOf(views).map(({ number, cause, seq, to_seq, revoked }) => [
      number,
      cause,
      seq,
      to_seq,
      revoked,
    ]),
    [
      [0, 'genesis', 0, 2, false],
      [1, 'rotation', 2, 4, true],
      [2, 'recovery', 4, null, false],
    ],
  );
});

test('keys: a rotation leaves the recovery key, a recovery shows it and commits to another', () => {
  const { views } = rotatedLog();
  const rows = keysOf(views);
  assert.deepEqual(
    rows.map((row) => row.recovery_key_sha256),
    [committed(RECOVERY), committed(RECOVERY), committed(RECOVERY_2)],
  );
  assert.deepEqual(
    rows.map((row) => row.next_key_sha256),
    [committed(SECOND), committed(THIRD), committed(FOURTH)],
  );
  const own = publisherKeys(views);
  for (const { key } of [FIRST, SECOND, FRESH, RECOVERY]) assert.ok(own.includes(key));
  assert.equal(own.length, 5);
});
