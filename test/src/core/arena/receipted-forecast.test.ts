import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Draft } from '@assay/core/arena/forecast/draft';
import { receiptedForecast, type ReceiptTools } from '@assay/core/arena/receipted-forecast';
import { hashHex } from '@assay/core/hash/hash';
import { submissionMessage, type SubmissionReceipt } from '@assay/core/intake/submission-receipt';
import type { Forecast } from '@assay/core/kind/forecast';
import { forecastLeaf } from '@assay/core/kind/forecast-leaf';
import { sha256, SOME_HASH } from '../fixture/fixture.ts';

const KEY = '2c'.repeat(32);
const DRAFT: Draft = {
  request: {
    question: 'layoffs-2026-11-21',
    handle: 'ada',
    nonce: '02'.repeat(32),
    key: KEY,
    counter: 4,
    signature: '05'.repeat(64),
  },
  handle: 'ab'.repeat(16),
  sealed: '5a'.repeat(160),
  commitment: null,
};

function entry(key: string | null): Forecast {
  const { request, handle, sealed, commitment } = DRAFT;
  const { nonce, counter = null, signature = null, question: round } = request;
  return { round, ordinal: 3, handle, key, counter, sealed, commitment, nonce, signature };
}

function receiptFor(forecast: Forecast): SubmissionReceipt {
  return {
    type: 'assay-receipt/1',
    log: SOME_HASH,
    subject: forecast.round,
    ordinal: 3,
    leaf: hashHex(forecastLeaf(sha256, forecast)),
    nonce: forecast.nonce,
    key: '07'.repeat(32),
    signature: '08'.repeat(64),
    held: 'one_disk',
  };
}

/** Takes the signature of a receipt as it is, for its own message. */
function toolsFor(receipt: SubmissionReceipt): ReceiptTools {
  const expected = submissionMessage(sha256, receipt);
  return {
    sha256,
    verifySignature: (_key, message) => Promise.resolve(Buffer.compare(message, expected) === 0),
  };
}

test('receipted forecast: the leaf says whether the entry is the first of its key', async () => {
  for (const key of [KEY, null]) {
    const receipt = receiptFor(entry(key));
    const { forecast, faults } = await receiptedForecast(toolsFor(receipt), DRAFT, receipt);
    assert.deepEqual(faults, []);
    assert.deepEqual(forecast, entry(key));
  }
});

test('receipted forecast: a receipt for another forecast, or not signed, is named as that', async () => {
  const good = receiptFor(entry(null));
  const tools = toolsFor(good);
  for (const [change, expected] of [
    [{ subject: 'cpi-2026-10-01' }, [/its round is cpi/, /signature/]],
    [{ nonce: '03'.repeat(32) }, [/its nonce is 03/, /signature/]],
    [{ leaf: 'ff'.repeat(32) }, [/its leaf is ff/, /signature/]],
    // The place is part of the entry, so that another place is another leaf.
    [{ ordinal: 4 }, [/its leaf is/, /signature/]],
  ] as const) {
    const { faults } = await receiptedForecast(tools, DRAFT, { ...good, ...change } as never);
    assert.equal(faults.length, expected.length, JSON.stringify(faults));
    for (const [i, each] of expected.entries()) assert.match(faults[i] ?? '', each);
  }
  const silent = { sha256, verifySignature: () => false };
  const { faults } = await receiptedForecast(silent, DRAFT, good);
  assert.deepEqual(faults.length, 1);
  assert.match(faults[0] ?? '', /its signature is not one of 0707/);
});
