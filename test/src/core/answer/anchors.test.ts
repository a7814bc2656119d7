import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorListPayload, LISTED_ANCHORS } from '@assay/core/answer/anchors';
import { checkpointDigest } from '@assay/core/view/stamp';
import { MemoryViews } from '@assay/core/view/state';
import {
  appendAttested,
  appendBatch,
  blockAt,
  CALENDAR,
  SALT,
  treeOf,
} from '../fixture/anchor-fixture.ts';
import { GENESIS, sha256, SOME_HASH } from '../fixture/fixture.ts';
import { smallLog } from '../view/small-log.ts';

test('anchors payload: the exact shape', () => {
  const log = smallLog();
  const { tip, root } = appendBatch(log, 7);
  appendAttested(log, 0, [blockAt(9)]);
  assert.deepEqual(anchorListPayload(log.views, sha256), {
    batches: [
      {
        batch: 0,
        state: 'attested',
        from: 0,
        to: 7,
        root,
        checkpoint_digest: checkpointDigest(sha256, GENESIS['origin'] as string, 7, root),
        stamps: 3,
        tip,
        salt: SALT,
        stamped_at: '2026-08-22T00:10:00Z',
        calendars: [{ uri: CALENDAR, state: 'attested' }],
        bitcoin: [
          {
            height: 9,
            hash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
            time: '2011-02-02T23:16:42Z',
          },
        ],
        proof: SOME_HASH,
        seq: 12,
        issue: 1,
      },
    ],
    next_before: null,
  });
  const [batch] = anchorListPayload(log.views, sha256).batches;
  assert.equal(batch?.stamps, treeOf(log, 0).digests.length);
  assert.equal(batch?.checkpoint_digest, treeOf(log, 0).digests[0]);
});

test('anchors payload: pages hold every batch once, newest first', () => {
  for (const count of [0, 1, LISTED_ANCHORS, LISTED_ANCHORS + 1, 2 * LISTED_ANCHORS]) {
    const log = smallLog();
    for (let i = 0; i < count; i += 1) appendBatch(log);
    const seen: number[] = [];
    let before: number | undefined;
    for (let pages = 0; pages < 5; pages += 1) {
      const { batches, next_before: next } = anchorListPayload(log.views, sha256, before);
      assert.ok(batches.length <= LISTED_ANCHORS);
      seen.push(...batches.map(({ batch }) => batch));
      if (next === null) break;
      before = next;
    }
    assert.deepEqual(
      seen,
      Array.from({ length: count }, (_, i) => count - 1 - i),
      `${count} batches`,
    );
  }
  assert.deepEqual(anchorListPayload(new MemoryViews(), sha256), {
    batches: [],
    next_before: null,
  });
});
