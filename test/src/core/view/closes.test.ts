import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeHash } from '@assay/core/report/close';
import type { DateText } from '@assay/core/time/time';
import { closesOf, newestClose } from '@assay/core/view/closes';
import { MemoryViews } from '@assay/core/view/state';
import { appendClose, CLOSES } from '../fixture/close-fixture.ts';
import { sampleReport, sha256, table } from '../fixture/fixture.ts';
import { SIGNATURE, smallLog } from './small-log.ts';

const DAY = '2026-08-21' as DateText;

test('closes view: every version of a day, and the newest day', () => {
  const log = smallLog();
  assert.equal(newestClose(log.views), undefined);
  assert.deepEqual(closesOf(log.views, DAY), []);
  const first = appendClose(log, DAY, '2026-08-22T00:00:05Z');
  log.append('report/1', {
    report: sampleReport('corrected', { log: log.log, period: '2026-08-01' }),
    signature: SIGNATURE,
  });
  const second = appendClose(log, DAY, '2026-08-22T09:00:00Z');
  const seq = log.entries.length;
  const rows = closesOf(log.views, DAY);
  assert.deepEqual(
    rows.map(({ content, version, supersedes, hash, seq: at, at: time }) => [
      content,
      version,
      supersedes,
      hash,
      at,
      time,
    ]),
    [
      [first.content, 0, null, closeHash(sha256, first.content), seq - 3, '2026-08-22T00:00:05Z'],
      [
        second.content,
        1,
        closeHash(sha256, first.content),
        closeHash(sha256, second.content),
        seq - 1,
        '2026-08-22T09:00:00Z',
      ],
    ],
  );
  assert.deepEqual(Object.keys(table(log.views, `closes/${DAY}`)), ['000', '001']);
  assert.equal(newestClose(log.views), DAY);
});

test('closes view: a later entry of an earlier day leaves the newest day as it is', () => {
  const log = smallLog();
  const [one, , eleven] = CLOSES;
  log.append('close/1', eleven?.entry ?? {});
  log.append('close/1', one?.entry ?? {});
  assert.equal(newestClose(log.views), '2026-12-31');
  assert.equal(closesOf(log.views, '2026-07-30' as DateText).length, 1);
});

test('closes view: versions beyond nine stay in their order', () => {
  const log = smallLog();
  const [first] = CLOSES;
  for (const version of [0, 1, 9, 10, 99, 100, 255]) {
    const supersedes = version === 0 ? null : 'ab'.repeat(32);
    log.append('close/1', { ...first?.entry, version, supersedes });
  }
  assert.deepEqual(
    closesOf(log.views, '2026-07-30' as DateText).map(({ version }) => version),
    [0, 1, 9, 10, 99, 100, 255],
  );
  assert.equal(newestClose(new MemoryViews()), undefined);
});
