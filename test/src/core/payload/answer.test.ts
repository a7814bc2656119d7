import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problem } from '@assay/node/http/problem';
import { answerTo, foldedPaths, jsonBody, SIGNER_PATH } from '@assay/core/payload/answer';
import { historyCsv } from '@assay/core/payload/history-csv';
import { indexDetailPayload, indexListPayload } from '@assay/core/payload/index';
import { reportPayload } from '@assay/core/payload/report';
import { rulePayload } from '@assay/core/payload/rule';
import { signerPayload } from '@assay/core/payload/signer';
import type { Ticker } from '@assay/core/ticker';
import type { DateText } from '@assay/core/time';
import { MemoryViews } from '@assay/core/view/state';
import { sha256 } from '../fixture.ts';
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
    type: 'urn:assay:problem:no_report',
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
  ]) {
    assert.equal(answerTo(views, sha256, path), undefined, path);
  }
  assert.equal(answerTo(new MemoryViews(), sha256, SIGNER_PATH), undefined);
});

test('answer: every folded path is answered, the newest reports included', () => {
  assert.deepEqual(foldedPaths(views, 1), [
    '/.well-known/assay-signer.json',
    '/indices',
    '/anchors',
    '/indices/cpi',
    '/indices/cpi/rule',
    '/indices/cpi/history.csv',
    '/indices/LAYOFFS',
    '/indices/LAYOFFS/rule',
    '/indices/LAYOFFS/history.csv',
    '/indices/LAYOFFS/report',
    '/indices/LAYOFFS/report?period=2026-08-01',
  ]);
  assert.equal(foldedPaths(views, 9).length, 12);
  for (const path of foldedPaths(views, 9))
    assert.ok(answerTo(views, sha256, path) !== undefined, path);
  assert.deepEqual(foldedPaths(new MemoryViews(), 9), []);
});

test('answer: JSON is bytes in UTF-8', () => {
  assert.deepEqual(Buffer.from(jsonBody({ a: 'é' })), Buffer.from('{"a":"é"}'));
});
