import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeHash, closeMessage } from '@assay/core/report/close';
import { formatHex } from '@assay/core/bytes/hex';
import { answerTo, foldedCount, foldedPaths } from '@assay/core/answer/answer';
import { closePayload } from '@assay/core/answer/close';
import type { DateText } from '@assay/core/time/time';
import { MemoryViews } from '@assay/core/view/state';
import { appendClose, CLOSES } from '../fixture/close-fixture.ts';
import { recountedLog } from '../fixture/cosigner-fixture.ts';
import {
  cpiRule,
  GENESIS,
  layoffsRule,
  SampleLog,
  sampleReport,
  sha256,
  vectors,
} from '../fixture/fixture.ts';
import { SIGNATURE, smallLog } from '../view/small-log.ts';

const DAY = '2026-08-21' as DateText;

test('close payload: the exact shape', () => {
  const log = smallLog();
  log.append('report/1', {
    report: sampleReport('lowest i64, three decimals', { log: log.log }),
    signature: SIGNATURE,
  });
  const { content } = appendClose(log, DAY, '2026-08-22T00:00:05Z');
  const hash = closeHash(sha256, content);
  assert.deepEqual(closePayload(log.views, sha256), {
    day: DAY,
    version: 0,
    content_hash: hash,
    content,
    indices: [
      {
        ticker: 'cpi',
        period: '2025-12-01',
        value_decimal: '-9223372036854775.808',
        unit: cpiRule().unit,
        withheld: false,
        report_hash: content.items[0]?.report,
      },
      {
        ticker: 'LAYOFFS',
        period: '2026-08-01',
        value_decimal: null,
        unit: 'claims',
        withheld: false,
        report_hash: content.items[1]?.report,
      },
    ],
    supersedes: null,
    message: formatHex(closeMessage(log.log, DAY, hash)),
    signature: SIGNATURE,
    public_key: GENESIS['report_key'],
    seq: log.entries.length - 1,
    closed_at: '2026-08-22T00:00:05Z',
    proof: null,
    attestation: null,
  });
});

test('close payload: where it is on chain', () => {
  const log = recountedLog();
  log.append('rule/1', { rule: layoffsRule() });
  const report = sampleReport('final', { log: log.log });
  log.append('report/1', { report, signature: SIGNATURE });
  const { content } = appendClose(log, DAY);
  const entries = vectors<readonly { readonly body: object }[]>('print-entry/entries');
  const digest = closeHash(sha256, content);
  log.append('print/1', { ...entries[1]?.body, digest }, '2026-08-22T00:01:00Z');
  assert.equal(closePayload(log.views, sha256)?.attestation?.seq, log.entries.length - 1);
});

test('close payload: the newest version of the day that is asked for, or of the newest', () => {
  const log = smallLog();
  assert.equal(closePayload(log.views, sha256), undefined);
  appendClose(log, '2026-08-20');
  appendClose(log, '2026-08-21');
  log.append('report/1', {
    report: sampleReport('corrected', { log: log.log, period: '2026-08-01' }),
    signature: SIGNATURE,
  });
  const { supersedes } = appendClose(log, '2026-08-21');
  assert.deepEqual(
    [closePayload(log.views, sha256)?.version, closePayload(log.views, sha256)?.supersedes],
    [1, supersedes],
  );
  assert.equal(closePayload(log.views, sha256, '2026-08-20' as DateText)?.version, 0);
  assert.equal(closePayload(log.views, sha256, '2026-08-19' as DateText), undefined);
  assert.equal(closePayload(new MemoryViews(), sha256), undefined);
});

test('close payload: a later rule changes nothing of what is frozen', () => {
  const log = smallLog();
  appendClose(log, DAY);
  const before = closePayload(log.views, sha256, DAY);
  log.append('rule/1', {
    rule: layoffsRule({ version: 2, applies_from: '2026-08-08', unit: 'persons' }),
  });
  log.append('report/1', {
    report: sampleReport('provisional', { log: log.log, period: '2026-08-08' }),
    signature: SIGNATURE,
  });
  assert.deepEqual(closePayload(log.views, sha256, DAY), before);
});

test('close payload: what a dishonest log names is shown as it says it, and nothing fails', () => {
  const log = smallLog();
  for (const { entry, name } of CLOSES) {
    log.append('close/1', entry);
    const { day } = entry['content'] as { readonly day: DateText };
    assert.equal(closePayload(log.views, sha256, day)?.day, day, name);
  }
  const strangers = new SampleLog();
  strangers.append('genesis/1', GENESIS);
  strangers.append('close/1', CLOSES[2]?.entry ?? {});
  assert.equal(closePayload(strangers.views, sha256)?.indices[0]?.ticker, 'CORECPI');
});

test('close payload: /indices/close and its day are folded answers; nothing like them is', () => {
  const log = smallLog();
  const before = foldedPaths(log.views, sha256, 1).length;
  const all = foldedPaths(log.views, sha256, Number.POSITIVE_INFINITY);
  assert.equal(foldedCount(log.views, sha256), all.length);
  appendClose(log, DAY);
  const paths = foldedPaths(log.views, sha256, 1);
  assert.equal(paths.length, before + 2);
  for (const path of ['/indices/close', `/indices/close?day=${DAY}`]) {
    assert.ok(paths.includes(path), path);
    const answer = answerTo(log.views, sha256, path);
    assert.deepEqual([answer?.status, answer?.contentType], [200, 'application/json']);
    assert.equal(
      Buffer.from(answer?.body ?? []).toString(),
      JSON.stringify(closePayload(log.views, sha256, DAY)),
    );
  }
  for (const path of [
    '/indices/close?day=2026-08-20',
    '/indices/close?day=2026-8-21',
    '/indices/close?day=',
    '/indices/close?',
    '/indices/close?day=2026-08-21&day=2026-08-21',
    '/indices/close?period=2026-08-21',
    '/indices/close/rule',
    '/indices/CLOSE',
  ]) {
    assert.equal(answerTo(log.views, sha256, path), undefined, path);
  }
});

test('close payload: an index whose name begins like it is an index', () => {
  const log = smallLog();
  log.append('rule/1', { rule: cpiRule({ ticker: 'CLOSET', display: 'closet', slug: 'closet' }) });
  assert.equal(answerTo(log.views, sha256, '/indices/closet')?.status, 200);
  assert.throws(() => cpiRule({ slug: 'close' }), { code: 'malformed', at: 'rule.slug' });
});
