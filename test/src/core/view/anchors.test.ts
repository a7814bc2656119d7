import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorOf, anchorRow, anchorsBack, newestAnchor } from '@assay/core/view/anchors';
import { MemoryViews } from '@assay/core/view/state';
import fc from 'fast-check';
import { appendAttested, appendBatch, blockAt } from '../fixture/anchor-fixture.ts';
import { GENESIS, SampleLog } from '../fixture/fixture.ts';
import { smallLog } from './small-log.ts';

test('anchors view: a batch is as its newest issue has it', () => {
  const log = smallLog();
  assert.equal(newestAnchor(log.views), undefined);
  const seq = log.entries.length;
  const pending = appendBatch(log);
  assert.deepEqual(newestAnchor(log.views), { ...pending, seq, at: '2026-08-22T00:10:05Z' });
  const second = appendBatch(log);
  const attested = appendAttested(log, 0, [blockAt(9), blockAt(12)]);
  assert.deepEqual(anchorRow(log.views, 0), {
    ...attested,
    seq: seq + 2,
    at: '2026-08-22T03:00:00Z',
  });
  assert.equal(anchorRow(log.views, 0)?.issue, 1);
  assert.equal(newestAnchor(log.views)?.batch, 1);
  assert.equal(second.from, pending.to);
  const batches = (before?: number): readonly number[] =>
    [...anchorsBack(log.views, before)].map(({ batch }) => batch);
  assert.deepEqual([batches(), batches(1), batches(0), batches(9)], [[1, 0], [0], [], [1, 0]]);
});

test('anchors view: the batch of an entry is the first that ends after it', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 12 });
  fc.assert(
    fc.property(sizes, (notes) => {
      const log = new SampleLog();
      log.append('genesis/1', GENESIS);
      for (const count of notes) {
        for (let i = 0; i < count; i += 1) log.append('note/1', { text: 'x' });
        appendBatch(log, log.entries.length - (count % 2));
      }
      const rows = [...anchorsBack(log.views)].reverse();
      assert.deepEqual(
        rows.map(({ batch }) => batch),
        notes.map((_, i) => i),
      );
      for (let seq = 0; seq <= log.entries.length + 1; seq += 1) {
        assert.deepEqual(
          anchorOf(log.views, seq),
          rows.find(({ to }) => to > seq),
          `entry ${seq}`,
        );
      }
    }),
    { numRuns: 40 },
  );
  assert.equal(anchorOf(new MemoryViews(), 0), undefined);
});

test('anchors view: batches that a dishonest log leaves out break nothing', () => {
  const log = smallLog();
  appendBatch(log, 3, { batch: 7, from: 1 });
  for (let seq = 0; seq < 5; seq += 1) anchorOf(log.views, seq);
  assert.equal(anchorRow(log.views, 0), undefined);
});
