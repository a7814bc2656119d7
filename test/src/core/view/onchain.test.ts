import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeHash } from '@assay/core/report/close';
import type { HashHex } from '@assay/core/hash/hash';
import type { CloseEntry } from '@assay/core/kind/close';
import type { PrintEntry } from '@assay/core/kind/print-entry';
import { reportHash } from '@assay/core/report/report';
import { type Due, dueBack, onchainBack, onchainRow } from '@assay/core/view/onchain';
import { CLOSES } from '../fixture/close-fixture.ts';
import {
  CHAIN_GENESIS,
  recountedLog,
  recountedReport,
  SET,
  SET_HASH,
  OTHER_PROMISES,
} from '../fixture/cosigner-fixture.ts';
import {
  cpiRule,
  GENESIS,
  layoffsRule,
  SampleLog,
  sampleReport,
  sha256,
  SOME_HASH,
  vectors,
} from '../fixture/fixture.ts';
import { SIGNATURE } from './small-log.ts';

const AT = '2026-07-30T12:00:00Z';
const [PRINT] = vectors<readonly { readonly body: PrintEntry }[]>('print-entry/entries');
const CLOSE = CLOSES[0]?.entry as unknown as CloseEntry;
const due = (log: SampleLog, below?: number): readonly Due[] => [...dueBack(log.views, below)];

test('on chain: every report that names a set is due, but for withheld levels', () => {
  const log = recountedLog();
  for (const name of ['provisional', 'final', 'withheld', 'void', 'corrected']) {
    log.append('report/1', { report: recountedReport(name), signature: SIGNATURE });
  }
  const unnamed = sampleReport('final', { cosigners: { set: null, required: 2 } });
  log.append('report/1', { report: unnamed, signature: SIGNATURE });
  const row = (seq: number, name: string): Due => {
    const report = recountedReport(name);
    const { ticker, period } = report;
    return { seq, of: 'print', ticker, period, digest: reportHash(sha256, report) };
  };
  const rows = [row(6, 'corrected'), row(5, 'void'), row(3, 'final'), row(2, 'provisional')];
  assert.deepEqual(due(log), rows);
  assert.deepEqual(due(log, 5), rows.slice(2));
  assert.deepEqual(due(log, 2), []);
});

test('on chain: nothing is due in a log that names no chain', () => {
  const log = recountedLog(GENESIS);
  log.append('rule/1', { rule: layoffsRule() });
  log.append('report/1', { report: recountedReport('final'), signature: SIGNATURE });
  log.append('close/1', CLOSE);
  assert.deepEqual(due(log), []);
});

test('on chain: a Close is due under the first index, once there are co-signers', () => {
  const log = new SampleLog();
  log.append('genesis/1', { ...CHAIN_GENESIS, ...OTHER_PROMISES });
  // The first by its entry, not by its name.
  log.append('rule/1', { rule: layoffsRule() });
  log.append('rule/1', { rule: cpiRule() });
  log.append('close/1', CLOSE, AT);
  log.append('cosigners/1', SET, '2026-07-30T12:00:01Z');
  log.append('close/1', { ...CLOSE, version: 1, supersedes: SOME_HASH }, '2026-07-30T12:00:01Z');
  const { day } = CLOSE.content;
  const digest = closeHash(sha256, CLOSE.content);
  assert.deepEqual(due(log), [{ seq: 5, of: 'close', ticker: 'LAYOFFS', period: day, digest }]);
  // Without an index there is no feed that it could stand under.
  const bare = recountedLog();
  bare.append('close/1', CLOSE);
  assert.deepEqual(due(bare), []);
});

test('on chain: where something stands is what the first entry says', () => {
  const body = PRINT?.body;
  assert.ok(body !== undefined);
  const log = recountedLog();
  log.append('print/1', body);
  log.append('print/1', { ...body, slot: body.slot + 1, transaction: null });
  const other = { ...body, digest: SOME_HASH };
  log.append('print/1', other);
  assert.deepEqual(onchainRow(log.views, body.digest), { ...body, seq: 2, at: AT });
  assert.deepEqual(
    [...onchainBack(log.views)],
    [
      { ...other, seq: 4, at: AT },
      { ...body, seq: 2, at: AT },
    ],
  );
  assert.equal(onchainRow(log.views, SET_HASH), undefined);
  assert.equal(onchainRow(log.views, 'ab'.repeat(32) as HashHex), undefined);
});
