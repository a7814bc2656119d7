import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportHash } from '@assay/core/report/report';
import { DueQueue } from '@assay/node/feed/due-queue';
import { HANDS, recountedLog, recountedReport } from '../../core/fixture/cosigner-fixture.ts';
import { layoffsRule, type SampleLog, sha256 } from '../../core/fixture/fixture.ts';
import { TICKER } from './feed-world.ts';

function withReports(): { readonly log: SampleLog; readonly hashes: readonly string[] } {
  const log = recountedLog();
  log.append('rule/1', { rule: layoffsRule() });
  const hashes = ['provisional', 'final', 'withheld'].map((name) => {
    const report = recountedReport(name);
    log.append('report/1', { report, signature: '1'.repeat(128) });
    return reportHash(sha256, report);
  });
  return { log, hashes };
}

test('due queue: what the log has and does not record as on chain, in its order, taken up as it comes', () => {
  const { log, hashes } = withReports();
  const queue = new DueQueue();
  queue.update(log.views);
  const waiting = (): readonly string[] => queue.prints(TICKER).map(({ digest }) => digest);
  assert.deepEqual(waiting(), hashes.slice(0, 2), 'a withheld level is nobody to recount');
  const corrected = recountedReport('corrected');
  log.append('report/1', { report: corrected, signature: '1'.repeat(128) });
  queue.update(log.views);
  queue.update(log.views);
  assert.deepEqual(waiting(), [...hashes.slice(0, 2), reportHash(sha256, corrected)]);
  log.append('print/1', {
    of: 'print',
    ticker: TICKER,
    period: '2026-07-25',
    digest: hashes[1],
    feed: '5'.repeat(44),
    account: '6'.repeat(44),
    transaction: null,
    slot: 7,
    cosigners: HANDS.slice(0, 2).map(({ key }) => key),
  });
  queue.update(log.views);
  assert.deepEqual(waiting(), [hashes[0], reportHash(sha256, corrected)]);
  assert.equal(queue.takeTurn(log.views).length, 3, 'one of them may yet be dissented from');
  assert.ok(queue.isRecorded(TICKER));
  assert.deepEqual(queue.periods(TICKER), ['2026-07-25']);
});

test('due queue: what is given up does not wait any more', () => {
  const { log, hashes } = withReports();
  const queue = new DueQueue();
  queue.update(log.views);
  const [first] = queue.prints(TICKER);
  assert.ok(first !== undefined);
  queue.give(first, 'It is lost.');
  queue.update(log.views);
  assert.deepEqual(
    [...queue.all()].map(({ digest }) => digest),
    [hashes[1]],
  );
  assert.deepEqual(queue.lost, ['It is lost.']);
});

test('due queue: what is no longer on chain waits again, until it is', () => {
  const { log, hashes } = withReports();
  const queue = new DueQueue();
  queue.update(log.views);
  const [first, second] = queue.prints(TICKER);
  assert.ok(first !== undefined && second !== undefined);
  for (const digest of hashes.slice(0, 2)) {
    log.append('print/1', {
      of: 'print',
      ticker: TICKER,
      period: '2026-07-25',
      digest,
      feed: '5'.repeat(44),
      account: '6'.repeat(44),
      transaction: null,
      slot: 7,
      cosigners: [],
    });
  }
  queue.update(log.views);
  assert.deepEqual([...queue.all()], []);
  for (const due of [second, first, first]) queue.restore(due);
  queue.update(log.views);
  assert.deepEqual([...queue.all()], [first, second], 'in the order of the log');
  assert.equal(queue.takeBroughtBack(), false);
  queue.stands(first);
  queue.update(log.views);
  assert.deepEqual([...queue.all()], [second]);
  assert.deepEqual([queue.takeBroughtBack(), queue.takeBroughtBack()], [true, false]);
});

test('due queue: dissents are looked for among the newest prints, and in turn among all the others', () => {
  const log = recountedLog();
  log.append('rule/1', { rule: layoffsRule() });
  const [report] = [recountedReport('provisional')];
  const most = 600;
  for (let issue = 0; issue < most; issue += 1) {
    log.append('report/1', {
      report: { ...report, issue: issue % 256 },
      signature: '1'.repeat(128),
    });
  }
  const queue = new DueQueue();
  const seen = new Set<number>();
  const newest = new Set<number>();
  for (let poll = 0; poll < 8; poll += 1) {
    const turn = queue.takeTurn(log.views);
    assert.ok(turn.length <= 320, `${turn.length} in one poll`);
    assert.deepEqual(
      turn.map(({ seq }) => seq),
      turn.map(({ seq }) => seq).sort((a, b) => a - b),
      'in the order of the log',
    );
    const last = turn.at(-1)?.seq;
    if (last !== undefined) newest.add(last);
    for (const { seq } of turn) seen.add(seq);
  }
  assert.equal(newest.size, 1, 'the newest is among them each time');
  assert.equal(seen.size, most, 'and in the end each one was');
});
