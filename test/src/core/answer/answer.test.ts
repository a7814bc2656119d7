import { logRow } from '@assay/core/view/log';
import { anchorsBack } from '@assay/core/view/anchors';
import { checkpointDigest } from '@assay/core/view/stamp';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeHash } from '@assay/core/report/close';
import { problem } from '@assay/node/http/problem';
import { anchorListPayload } from '@assay/core/answer/anchors';
import { answerTo, foldedPaths, numberAnswers, jsonBody } from '@assay/core/answer/answer';
import { provenDigests } from '@assay/core/answer/proven-digests';
import { SIGNER_PATH } from '@assay/core/answer/routes';
import { historyCsv } from '@assay/core/answer/history-csv';
import { indexDetailPayload, indexListPayload } from '@assay/core/answer/index';
import { reportPayload } from '@assay/core/answer/report';
import { proofPayload } from '@assay/core/answer/proof';
import { rulePayload } from '@assay/core/answer/rule';
import { signerPayload } from '@assay/core/answer/signer';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import { periodRow } from '@assay/core/view/periods';
import { MemoryViews } from '@assay/core/view/state';
import { appendAttested, appendBatch, blockAt } from '../fixture/anchor-fixture.ts';
import { appendClose } from '../fixture/close-fixture.ts';
import { sha256, SOME_HASH } from '../fixture/fixture.ts';
import { smallLog } from '../view/small-log.ts';

const { views } = smallLog();
const TICKER = 'LAYOFFS' as Ticker;

function bodyOf(path: string): string | undefined {
  const body = answerTo(views, sha256, path)?.body;
  return body === undefined ? undefined : Buffer.from(body).toString();
}

test('answer: each folded path has the bytes of its payload', () => {
  const expected: Readonly<Record<string, unknown>> = {
    [SIGNER_PATH]: signerPayload(views, sha256),
    '/indices': indexListPayload(views),
    '/indices/LAYOFFS': indexDetailPayload(views, sha256, TICKER),
    '/indices/layoffs': indexDetailPayload(views, sha256, TICKER),
    '/indices/cpi/rule': rulePayload(views, 'CPI' as Ticker),
    '/indices/LAYOFFS/report?period=2026-07-25': reportPayload(
      views,
      TICKER,
      sha256,
      '2026-07-25' as DateText,
    ),
  };
  for (const [path, payload] of Object.entries(expected)) {
    assert.equal(bodyOf(path), JSON.stringify(payload), path);
    const answer = answerTo(views, sha256, path);
    assert.deepEqual(
      [answer?.path, answer?.status, answer?.contentType],
      [path, 200, 'application/json'],
    );
  }
  const csv = answerTo(views, sha256, '/indices/LAYOFFS/history.csv');
  assert.deepEqual([csv?.status, csv?.contentType], [200, 'text/csv']);
  assert.equal(bodyOf('/indices/LAYOFFS/history.csv'), historyCsv(views, TICKER));
});

test('answer: a void period is 404 with the signed void inside', () => {
  const answer = answerTo(views, sha256, '/indices/LAYOFFS/report');
  assert.deepEqual([answer?.status, answer?.contentType], [404, 'application/problem+json']);
  assert.deepEqual(JSON.parse(bodyOf('/indices/LAYOFFS/report') ?? ''), {
    type: '/problems/no_report',
    title: 'There is no number for that index and period',
    status: 404,
    detail: 'The period 2026-08-01 is void: late.',
    instance: '/indices/LAYOFFS/report',
    error: 'no_report',
    void: JSON.parse(JSON.stringify(reportPayload(views, TICKER, sha256))) as unknown,
  });
  const detail = 'The period 2026-08-01 is void: late.';
  const { body } = problem({ path: '/indices/LAYOFFS/report' }, 'no_report', { detail });
  for (const query of ['', '?period=2026-08-01']) {
    const said = JSON.parse(bodyOf(`/indices/LAYOFFS/report${query}`) ?? '') as { void: unknown };
    const { void: _, ...rest } = said;
    assert.deepEqual(rest, JSON.parse(String(body)), 'as where nothing is signed');
  }
});

test('answer: what the log does not decide has none', () => {
  for (const path of [
    '',
    '/',
    '/indices/',
    '/indices/JOBS',
    '/indices/LAYOFFS/',
    '/indices/LAYOFFS/other',
    '/indices/LAYOFFS?period=2026-07-25',
    '/indices/LAYOFFS/report?period=2026-07-18',
    '/indices/LAYOFFS/report?period=2026-02-30',
    '/indices/LAYOFFS/report?period=',
    '/indices/LAYOFFS/report?other=1',
    '/indices/LAYOFFS/report\n',
    '/indices/cpi/report',
    '/indices/close',
    '/anchors/',
    '/anchors?before=',
    '/anchors?before=01',
    '/anchors?before=-1',
    '/anchors?before=1&before=2',
    '/anchors?after=1',
    '/anchorsx',
    '/proof',
    '/proof/',
    `/proof/${'0'.repeat(63)}`,
    `/proof/${SOME_HASH}`,
    `/proof/${SOME_HASH}?format=ots`,
  ]) {
    assert.equal(answerTo(views, sha256, path), undefined, path);
  }
  assert.equal(answerTo(new MemoryViews(), sha256, SIGNER_PATH), undefined);
});

test('answer: every folded path is answered, the newest reports included', () => {
  assert.deepEqual(foldedPaths(views, sha256, 1), [
    '/indices',
    '/indices?view=light',
    '/indices/cpi',
    '/indices/LAYOFFS',
    '/indices/cpi/rule',
    '/indices/LAYOFFS/rule',
    '/indices/LAYOFFS/report',
    '/indices/LAYOFFS/report?period=2026-08-01',
    '/indices/cpi/history.csv',
    '/indices/LAYOFFS/history.csv',
    '/indices/cpi/settlement.csv',
    '/indices/LAYOFFS/settlement.csv',
    '/indices/LAYOFFS/recount',
    '/indices/LAYOFFS/recount?period=2026-08-01',
    '/.well-known/assay-signer.json',
    '/anchors',
  ]);
  assert.equal(foldedPaths(views, sha256, 9).length, 18);
  for (const path of foldedPaths(views, sha256, 9))
    assert.ok(answerTo(views, sha256, path) !== undefined, path);
  assert.deepEqual(foldedPaths(new MemoryViews(), sha256, 9), []);
});

test('answer: batches and proofs, and which of them an export holds', () => {
  const log = smallLog();
  const close = appendClose(log, '2026-08-21');
  assert.deepEqual(provenDigests(log.views, sha256, 9), []);
  appendBatch(log, 9);
  const before = provenDigests(log.views, sha256, 9);
  appendBatch(log);
  appendAttested(log, 0, [blockAt(9)]);
  const settled = periodRow(log.views, TICKER, '2026-07-25' as DateText)?.final_report;
  const empty = periodRow(log.views, TICKER, '2026-08-01' as DateText)?.report;
  const frozen = closeHash(sha256, close.content);
  const checkpoints = [...anchorsBack(log.views)].map(({ to, root }) =>
    checkpointDigest(sha256, logRow(log.views)?.origin ?? '', to, root),
  );
  assert.deepEqual(before, [settled, checkpoints[1]], 'what waits for a batch is not in it');
  assert.deepEqual(provenDigests(log.views, sha256, 9), [empty, settled, frozen, ...checkpoints]);
  assert.deepEqual(provenDigests(log.views, sha256, 1), [empty, frozen, checkpoints[0]]);
  // Of one number it is its report and the proof of that, whatever came since.
  assert.deepEqual(numberAnswers(log.views, TICKER, '2026-07-25' as DateText), {
    paths: ['/indices/LAYOFFS/report?period=2026-07-25', `/proof/${settled}`],
    digests: [settled],
  });
  const none = { paths: [], digests: [] };
  assert.deepEqual(numberAnswers(log.views, TICKER, '2020-01-04' as DateText), none);
  const paths = foldedPaths(log.views, sha256, 9);
  for (const digest of [empty, settled, frozen, ...checkpoints]) {
    const path = `/proof/${digest}`;
    assert.ok(paths.includes(path), path);
    assert.equal(
      Buffer.from(answerTo(log.views, sha256, path)?.body ?? []).toString(),
      JSON.stringify(proofPayload(log.views, sha256, digest ?? SOME_HASH)),
    );
  }
  for (const [path, limit] of [
    ['/anchors', undefined],
    ['/anchors?before=1', 1],
    ['/anchors?before=0', 0],
    ['/anchors?before=999999999999999', undefined],
  ] as const) {
    assert.equal(
      Buffer.from(answerTo(log.views, sha256, path)?.body ?? []).toString(),
      JSON.stringify(anchorListPayload(log.views, sha256, limit)),
      path,
    );
  }
  assert.equal(answerTo(log.views, sha256, `/proof/${frozen.toUpperCase()}`), undefined);
});

test('answer: JSON is bytes in UTF-8', () => {
  assert.deepEqual(Buffer.from(jsonBody({ a: 'é' })), Buffer.from('{"a":"é"}'));
});
