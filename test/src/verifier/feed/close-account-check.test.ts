import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCloseAccount } from '@assay/core/feed/close-account';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { parseDate } from '@assay/core/time/time';
import { logRow } from '@assay/core/view/log';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { OnchainContext } from '@assay/verifier/feed/account-check';
import { checkCloseAccount } from '@assay/verifier/feed/close-account-check';
import { Findings } from '@assay/verifier/verdict/finding';
import { FeedAddresses } from '@assay/core/feed/program-address';
import { REPORT_SIGNER } from '../../node/ledger/ledger-fixture.ts';
import { chained, PROGRAM, TICKER } from '../fixture/chained-log.ts';

const DAY = parseDate('2026-07-30');

/** What comes of the account of a day with two versions. */
function check(change: (hashes: HashHex[]) => unknown = () => undefined) {
  const { accounts, published } = chained();
  const close = accounts.closes.get(DAY);
  if (close === undefined) return assert.fail();
  change(close.hashes);
  const findings = new Findings();
  const counts = { feeds: 0, prints: 0, closes: 0, newer: 0, later: 0, dissentsBehind: 0 };
  const context = {
    sha256: nodeSha256,
    log: logRow(published.views),
    state: published.views,
    addresses: new FeedAddresses(nodeSha256, PROGRAM, formatHex(REPORT_SIGNER.publicKey)),
    slot: 1,
    now: 0,
    findings,
    counts,
  } as unknown as OnchainContext;
  const bytes = { owner: PROGRAM, data: formatCloseAccount(close as never), slot: 10_000 };
  const account = checkCloseAccount(bytes, DAY, TICKER, context);
  return { account, closes: counts.closes, found: findings.list.map(({ expected }) => expected) };
}

test('both versions of a day', () => {
  const { account, closes, found } = check();
  assert.deepEqual([account?.hashes.length, closes, found], [2, 2, []]);
});

test('who brought which version first is not held against the publisher', () => {
  assert.deepEqual(check((hashes) => hashes.reverse()).found, []);
  assert.deepEqual(check((hashes) => hashes.shift()).found, []);
});

test('a version that the log lacks, and one that comes twice', () => {
  const unknown = check((hashes) => hashes.splice(0, 1, 'ab'.repeat(32) as HashHex));
  assert.deepEqual(unknown.found, ['a Close of the log']);
  assert.deepEqual(check((hashes) => hashes.push(hashes[0] as HashHex)).found, [
    'each version once',
  ]);
});
