import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatDate, parseDate, parseTime, type TimeText } from '@assay/core/time/time';
import { firstTicker, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { AccountBytes } from '@assay/verifier/feed/chain-lookup';
import { chainPlace, readOnchain } from '@assay/verifier/feed/onchain-accounts';
import { FeedAddresses } from '@assay/core/feed/program-address';
import { NotCheckedList } from '@assay/verifier/verdict/verdict';
import { REPORT_SIGNER } from '../../node/ledger/ledger-fixture.ts';
import { accountsOf, chained, lookupOf, PROGRAM, TICKER } from '../fixture/chained-log.ts';

const log = chained();
const { views } = log.published;
const addresses = new FeedAddresses(nodeSha256, PROGRAM, formatHex(REPORT_SIGNER.publicKey));

async function read(
  now: string,
  change: Readonly<Record<string, AccountBytes | undefined>> = {},
  state: ViewState = views,
) {
  const asked: (readonly string[])[] = [];
  const accounts = accountsOf(log);
  const lookup = lookupOf(accounts, {
    accounts(wanted) {
      asked.push(wanted);
      return Promise.resolve(
        wanted.map((each) => (each in change ? change[each] : (accounts.get(each) ?? null))),
      );
    },
  });
  const notChecked = new NotCheckedList();
  const span = {
    first: parseTime('2026-07-01T00:00:00Z' as TimeText),
    newest: parseTime(now as TimeText),
  };
  const found = await readOnchain(lookup, state, addresses, span, async () => {}, notChecked);
  return { found, asked, named: notChecked.list.map(({ what }) => what) };
}

test('pages from the first rule to a year ahead, then their feed, then every day of Closes', async () => {
  const { found, asked, named } = await read('2026-08-07T00:10:00Z');
  const [pages, closes] = asked;
  const indexes = [...(found.tickers[0]?.pages.keys() ?? [])];
  // Saturdays since 1970: 2,348 to 2015-01-03 and 3,005 to 2027-08-07.
  assert.deepEqual([indexes[0], indexes.at(-1)], [Math.floor(2348 / 32), Math.floor(3005 / 32)]);
  assert.deepEqual(pages, [
    ...indexes.map((index) => addresses.page(TICKER, index).address),
    addresses.feed(TICKER).address,
  ]);
  assert.deepEqual([...found.closes.keys()].length, closes?.length);
  // From the day of the log's first entry to the day after its newest.
  assert.equal(closes?.length, 39);
  assert.equal(found.closes.get(parseDate('2026-07-01')), null);
  assert.equal(found.closes.get(parseDate('2026-08-08')), null);
  assert.equal(found.count, 6);
  assert.equal(found.tickers[0]?.whole, true);
  assert.deepEqual(named, ['Closes on chain of days before 2026-07-01 or after 2026-08-08']);
});

test('under other feeds the Closes of the newest days, and the rest is named', async () => {
  const other = 'AAA' as Ticker;
  const state: ViewState = {
    get: (table, key) => views.get(table, key),
    list: (table) => {
      const rows = [...views.list(table)];
      const [row] = rows;
      if (rows.length !== 1 || row?.[0] !== TICKER) return rows;
      return [[other, { ...(row[1] as object), since: 7 }], ...rows] as typeof rows;
    },
    descend: (table, below) => views.descend(table, below),
  };
  assert.deepEqual(tickers(state), [other, TICKER]);
  assert.equal(firstTicker(state), TICKER);
  const { found, named } = await read('2026-08-07T00:10:00Z', {}, state);
  assert.equal(found.closes.size, 39);
  const days = [...(found.otherCloses.get(other)?.keys() ?? [])];
  const dates = [days[0], days.at(-1)].map((day) => formatDate(day as number));
  assert.deepEqual(dates, ['2026-07-08', '2026-08-08']);
  assert.match(named.join(), /, and under other feeds than that of LAYOFFS before 2026-07-08$/);
});

test('pages without their feed are not given: nothing says what is in them', async () => {
  const feed = addresses.feed(TICKER).address;
  const { found } = await read('2026-08-07T00:10:00Z', { [feed]: undefined });
  const [given] = found.tickers;
  assert.deepEqual([given?.feed, given?.pages.size, given?.whole], [undefined, 0, false]);
  assert.equal(found.count, 4);
});

test('an account that holds nothing but what a stranger sent there is not there', async () => {
  const sent = { owner: '1'.repeat(32), data: new Uint8Array(0), slot: 1 };
  const page = addresses.page(TICKER, 93).address;
  const close = addresses.close(TICKER, parseDate('2026-07-12')).address;
  const { found } = await read('2026-08-07T00:10:00Z', { [page]: sent, [close]: sent });
  assert.equal(found.tickers[0]?.pages.get(93), null);
  assert.equal(found.closes.get(parseDate('2026-07-12')), null);
  assert.equal(found.count, 6);
  const feed = addresses.feed(TICKER).address;
  assert.equal((await read('2026-08-07T00:10:00Z', { [feed]: sent })).found.tickers[0]?.feed, null);
});

test('a log that is dated far ahead costs a bounded number of questions', async () => {
  const { found, named } = await read('9990-01-01T00:00:00Z');
  assert.equal(found.tickers[0]?.pages.size, 2048);
  assert.match(named[0] ?? '', /^pages of LAYOFFS on chain from number \d+ on$/);
});

test('places are named by their day where they have one', () => {
  assert.equal(chainPlace(TICKER, 'feed'), 'chain LAYOFFS feed');
  assert.equal(chainPlace(TICKER, 20_659), 'chain LAYOFFS 2026-07-25');
  assert.equal(chainPlace(TICKER, 2_000_000_000), 'chain LAYOFFS day 2000000000');
});
