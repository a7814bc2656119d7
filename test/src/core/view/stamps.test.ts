import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkpointDigest } from '@assay/core/view/stamp';
import { anchorsBack, newestAnchor } from '@assay/core/view/anchors';
import { stampedBatch, stampRow, stampsBetween } from '@assay/core/view/stamps';
import { MemoryViews } from '@assay/core/view/state';
import fc from 'fast-check';
import { appendAttested, appendBatch, blockAt, rootAt, treeOf } from '../fixture/anchor-fixture.ts';
import { appendClose } from '../fixture/close-fixture.ts';
import {
  GENESIS,
  layoffsRule,
  SampleLog,
  sampleReport,
  sha256,
  SOME_HASH,
  table,
} from '../fixture/fixture.ts';
import { SIGNATURE, smallLog } from './small-log.ts';

const ORIGIN = GENESIS['origin'] as string;

test('stamps view: reports and Closes wait for a batch, other entries ask for none', () => {
  const log = smallLog();
  const [hash = SOME_HASH] = stampsBetween(log.views, 5, 6);
  assert.deepEqual(stampRow(log.views, hash), {
    of: 'report',
    seq: 5,
    at: '2026-07-30T12:00:00Z',
    batch: null,
  });
  assert.equal(stampsBetween(log.views, 0, 11).length, 4);
  assert.equal(stampsBetween(log.views, 0, 5).length, 0);
  const close = appendClose(log, '2026-08-21', '2026-08-22T00:00:05Z');
  assert.equal(close.version, 0);
  const [digest = SOME_HASH] = stampsBetween(log.views, 11, 12);
  assert.deepEqual(
    [stampRow(log.views, digest)?.of, stampRow(log.views, digest)?.seq],
    ['close', 11],
  );
  assert.equal(stampedBatch(log.views, digest), undefined);
});

test('stamps view: a batch takes what its range holds, and its checkpoint', () => {
  const log = smallLog();
  appendBatch(log, 6);
  const root = rootAt(log, 6);
  const checkpoint = checkpointDigest(sha256, ORIGIN, 6, root);
  assert.deepEqual(stampRow(log.views, checkpoint), {
    of: 'checkpoint',
    seq: 6,
    at: null,
    batch: 0,
  });
  const [taken = SOME_HASH, waiting = SOME_HASH] = stampsBetween(log.views, 0, 7);
  assert.deepEqual(
    [stampRow(log.views, taken)?.batch, stampRow(log.views, waiting)?.batch],
    [0, null],
  );
  assert.equal(stampedBatch(log.views, taken)?.anchor.batch, 0);
  assert.equal(stampedBatch(log.views, waiting), undefined);
  const { seq } = stampedBatch(log.views, taken)?.anchor ?? {};
  appendAttested(log, 0, [blockAt(9)]);
  assert.equal(stampRow(log.views, taken)?.batch, 0);
  assert.notEqual(stampedBatch(log.views, taken)?.anchor.seq, seq, 'the newest issue');
  appendBatch(log);
  assert.equal(stampedBatch(log.views, waiting)?.anchor.batch, 1);
  assert.equal(stampedBatch(log.views, taken)?.anchor.batch, 0);
  assert.equal(stampedBatch(new MemoryViews(), taken), undefined);
});

test('stamps view: the first of two equal digests is the one that is stamped', () => {
  const log = smallLog();
  const report = { report: sampleReport('final', { log: log.log }), signature: SIGNATURE };
  const { length } = log.entries;
  log.append('report/1', report);
  assert.deepEqual(stampsBetween(log.views, length, length + 1), []);
  appendBatch(log, 6);
  appendBatch(log);
  assert.equal(Object.values(table(log.views, 'stamped')).length, 4 + 2);
});

test('stamps view: every digest is in exactly one batch, the one whose range has its entry', () => {
  const steps = fc.array(fc.constantFrom('report', 'note', 'batch', 'late batch', 'attested'), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(steps, (kinds) => {
      const log = new SampleLog();
      log.append('genesis/1', GENESIS);
      log.append('rule/1', { rule: layoffsRule() });
      let batches = 0;
      for (const [i, kind] of kinds.entries()) {
        if (kind === 'report') {
          const report = sampleReport('provisional', { log: log.log, issue: i });
          log.append('report/1', { report, signature: SIGNATURE });
        } else if (kind === 'note') log.append('note/1', { text: 'x' });
        else if (kind === 'attested') {
          if (batches > 0) appendAttested(log, batches - 1, [blockAt(i)]);
        } else {
          const to = kind === 'batch' ? log.entries.length : log.entries.length - 1;
          if (to <= (newestAnchor(log.views)?.to ?? 0)) continue;
          appendBatch(log, to);
          batches += 1;
        }
      }
      const rows = [...anchorsBack(log.views)];
      const leaves = rows.flatMap(({ batch }) => treeOf(log, batch).digests);
      assert.equal(new Set(leaves).size, leaves.length, 'no digest twice');
      for (const { batch, from, to } of rows) {
        for (const digest of treeOf(log, batch).digests) {
          const { stamp, anchor } = stampedBatch(log.views, digest) ?? {};
          assert.equal(anchor?.batch, batch);
          if (stamp?.of === 'checkpoint') assert.equal(stamp.seq, to);
          else assert.ok((stamp?.seq ?? -1) >= from && (stamp?.seq ?? to) < to);
        }
      }
      const end = rows[0]?.to ?? 0;
      const waiting = stampsBetween(log.views, end, log.entries.length);
      for (const digest of waiting) assert.equal(stampRow(log.views, digest)?.batch, null);
      const reports = kinds.filter((kind) => kind === 'report').length;
      assert.equal(leaves.length + waiting.length, reports + rows.length);
    }),
    { numRuns: 60 },
  );
});

test('stamps view: the records of a range are those of a linear search, in their order', () => {
  const log = smallLog();
  const all = [...log.views.list('stamps')];
  fc.assert(
    fc.property(fc.nat(14), fc.nat(14), (from, to) => {
      assert.deepEqual(
        stampsBetween(log.views, from, to),
        all.filter(([key]) => Number(key) >= from && Number(key) < to).map(([, digest]) => digest),
      );
    }),
  );
});

test('stamps view: a dishonest batch takes nothing from another, and a further issue takes nothing', () => {
  const log = smallLog();
  const [first = SOME_HASH, second = SOME_HASH] = stampsBetween(log.views, 0, 99);
  appendBatch(log, 6);
  appendBatch(log, 9, { from: 0 });
  assert.deepEqual([stampRow(log.views, first)?.batch, stampRow(log.views, second)?.batch], [0, 1]);
  const other = smallLog();
  appendBatch(other, 6, { issue: 1 });
  assert.equal(stampRow(other.views, first)?.batch, null);
});
