import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DateText } from '@assay/core/time/time';
import { addressesOf, checkPrintEntry } from '@assay/verifier/check/print-check';
import { Findings } from '@assay/verifier/verdict/finding';
import { emptyTally } from '@assay/verifier/verdict/verdict';
import { FeedAddresses } from '@assay/core/feed/program-address';
import { formatHex } from '@assay/core/bytes/hex';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { onchainBack } from '@assay/core/view/onchain';
import { MemoryViews } from '@assay/core/view/state';
import { REPORT_SIGNER } from '../../node/ledger/ledger-fixture.ts';
import { chained, PROGRAM, TICKER } from '../fixture/chained-log.ts';

const { published } = chained();
const addresses = new FeedAddresses(nodeSha256, PROGRAM, formatHex(REPORT_SIGNER.publicKey));
const on = (of: 'print' | 'close', period: string) => ({
  of,
  ticker: TICKER,
  period: period as DateText,
});

test('where prints and Closes are: the page of the period, the account of the day', () => {
  const feed = addresses.feed(TICKER).address;
  const page = addresses.page(TICKER, Math.floor(2951 / 32)).address;
  assert.deepEqual(addressesOf(on('print', '2026-07-25'), published.views, addresses), [
    feed,
    page,
  ]);
  const close = addresses.close(TICKER, 20_659).address;
  assert.deepEqual(addressesOf(on('close', '2026-07-25'), published.views, addresses), [
    feed,
    close,
  ]);
});

test('a period before 1970, or of no rule, has no page', () => {
  const none = [addresses.feed(TICKER).address, 'none'];
  assert.deepEqual(addressesOf(on('print', '1969-12-27'), published.views, addresses), none);
  assert.deepEqual(addressesOf(on('print', '2026-07-25'), new MemoryViews(), addresses), none);
});

test('what the log does not owe the chain, it does not say is there', () => {
  const [row] = onchainBack(published.views);
  if (row === undefined) return assert.fail();
  const findings = new Findings();
  const tally = emptyTally();
  const standing = { state: published.views, addresses, due: () => undefined };
  checkPrintEntry(row, row.at, 'entry 9', standing, { findings, tally });
  assert.deepEqual(
    findings.list.map(({ code, place }) => [code, place]),
    [['feed_entry_wrong', 'entry 9/digest']],
  );
  assert.equal(tally.prints, 1);
});
