import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEntry } from '@assay/core/log/entry';
import { ZERO_HASH_HEX } from '@assay/core/hash/hash';
import { formatLoss, type Loss } from '@assay/core/kind/loss';
import { toTime } from '@assay/core/time/time';
import { declaredLoss } from '@assay/node/recounter/poll/declared-loss';

const at = toTime('2026-01-01T00:00:00Z');

/** A log of notes, as a mirror holds it. */
function mirrorOf(...texts: readonly string[]): Parameters<typeof declaredLoss>[0] {
  const entries = texts.map((text, seq) =>
    formatEntry({ v: 1, seq, prev: ZERO_HASH_HEX, at, kind: 'note/1', body: { text } }),
  );
  return { entry: (seq) => Promise.resolve(entries[seq]) };
}

test('declared loss: found at the place of an entry, or before it', async () => {
  const loss: Loss = { from: 2, to: 5, root: null, known: 'operator' };
  const mirror = mirrorOf('a', 'b', formatLoss(loss), 'c', 'd', 'e', 'f');
  for (const seq of [2, 3, 4]) assert.deepEqual(await declaredLoss(mirror, seq), loss);
  for (const seq of [0, 1, 5, 6]) assert.equal(await declaredLoss(mirror, seq), undefined);
});

test('declared loss: one without an end reaches to the end, and one in another place is none', async () => {
  const open: Loss = { from: 1, to: null, root: null, known: 'nobody' };
  assert.deepEqual(await declaredLoss(mirrorOf('a', formatLoss(open), 'b', 'c'), 3), open);
  assert.equal(await declaredLoss(mirrorOf('a', 'b', formatLoss(open), 'c'), 3), undefined);
  assert.equal(await declaredLoss(mirrorOf('a', `${formatLoss(open)}x`), 1), undefined);
});
