import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PrintEntry } from '@assay/core/kind/print-entry';
import { attestationPayload, feedPayload } from '@assay/core/answer/onchain';
import { CHAIN_GENESIS, recountedLog, SET_HASH } from '../fixture/cosigner-fixture.ts';
import { GENESIS, vectors } from '../fixture/fixture.ts';

const [print, close] = vectors<readonly { readonly body: PrintEntry }[]>('print-entry/entries').map(
  ({ body }) => body,
) as [PrintEntry, PrintEntry];

test('on chain: where a print and a Close are, once the log says so', () => {
  const log = recountedLog();
  assert.equal(feedPayload(log.views, print.digest), null);
  assert.equal(attestationPayload(log.views, close.digest), null);
  log.append('print/1', print);
  log.append('print/1', close);
  const { chain, program } = CHAIN_GENESIS as unknown as Record<'chain' | 'program', string>;
  assert.deepEqual(feedPayload(log.views, print.digest), {
    chain,
    program,
    account: print.feed,
    page: print.account,
    transaction: print.transaction,
    slot: print.slot,
    cosigners: print.cosigners,
    seq: 2,
  });
  assert.deepEqual(attestationPayload(log.views, close.digest), {
    chain,
    program,
    feed: close.feed,
    account: close.account,
    transaction: null,
    slot: 0,
    seq: 3,
  });
  assert.equal(feedPayload(log.views, SET_HASH), null);
});

test('on chain: nothing is in a log that names no chain', () => {
  const log = recountedLog(GENESIS);
  log.append('print/1', print);
  assert.equal(feedPayload(log.views, print.digest), null);
});
