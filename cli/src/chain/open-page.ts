import type { DateText } from '@assay/core/time/time';
import { DAY_SECONDS, formatDate, parseDate } from '@assay/core/time/time';
import type { FeedAccount } from '@assay/core/feed/feed-account';
import { ordinalOf, pagePlace, PAGE_PERIODS, periodOfOrdinal } from '@assay/core/feed/ordinal';
import { PAGE_BYTES } from '@assay/core/feed/page-account';
import type { Ticker } from '@assay/core/rule/ticker';
import { Fault } from '@assay/core/fault';
import { openSender, openTransactionSigner } from './payer.ts';
import { openTarget, type TargetOptions } from './target.ts';
import { sol } from './chain-text.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { paint, type Terminal } from '../command/tty.ts';
import { textRows } from '../text/text-rows.ts';

/** A page that begins more days ahead is of no use yet. */
const DAYS_AHEAD = 400;

export interface OpenPageOptions extends TargetOptions {
  readonly rpc: string;
  readonly ticker: Ticker;
  readonly period: DateText;
  readonly payer: string;
  readonly yes: boolean;
}

/** Opens the page that holds a period; anybody may pay for it. */
export async function openChainPage(
  options: OpenPageOptions,
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExitCode> {
  const { ticker, period } = options;
  const payer = await openTransactionSigner(options.payer, environment);
  const { rpc, chain, program, publisher } = await openTarget(options.rpc, options);
  const [{ FeedClient }, { fetchBalance, fetchRent }, { pageAddress }] = await Promise.all([
    import('@assay/chain/client/feed-client'),
    import('@assay/chain/deploy/fetched-account'),
    import('@assay/chain/addresses'),
  ]);
  const sender = await openSender(rpc, options.rpc, payer);
  const client = new FeedClient({ rpc, program, genesis: publisher, sender });
  const feed = await client.feed(ticker);
  if (feed === undefined) {
    throw new Fault('not_found', 'feed', { at: ticker, expected: 'one: assay chain init-feed' });
  }
  const now = Math.floor(Date.now() / 1000);
  const { index, first, last } = pageOf(feed.account, period, now);
  const [page] = await pageAddress(program, feed.address, index);
  const standing = await client.page(feed.address, index);
  const before = await fetchBalance(rpc, payer.address);
  const rent = await fetchRent(rpc, PAGE_BYTES);
  const show = (...row: readonly [string, string]): void => {
    for (const line of textRows(...row, terminal)) terminal.out(line);
  };
  terminal.out(`Page ${index} of ${ticker}`);
  show('chain', chain);
  show('program', program);
  show('publisher', publisher);
  show('page', page);
  show('periods', `${formatDate(first)} to ${formatDate(last)}`);
  if (standing !== undefined) {
    terminal.out(`${paint(terminal, 'green', 'OPEN ALREADY')} ${page}`);
    return EXIT.ok;
  }
  show('payer', `${payer.address} has ${sol(before)}`);
  show('will cost', `${sol(rent)} of rent, which stays, and a fee`);
  if (before < rent) {
    throw new Fault('refused', 'payer', {
      at: payer.address,
      expected: `${sol(rent)} and something for a fee`,
      found: sol(before),
    });
  }
  if (!options.yes) {
    terminal.out('');
    terminal.out('Nothing was sent: a page cannot be removed. Add --yes to open it.');
    return EXIT.ok;
  }
  const done = await client.openPage(ticker, index);
  const word = done.kind === 'sent' ? 'OPENED' : 'OPEN ALREADY';
  terminal.out(`${paint(terminal, 'green', word)} ${page}`);
  if (done.kind === 'there') return EXIT.ok;
  const cost = before - (await fetchBalance(rpc, payer.address));
  show('cost', `${sol(cost)}, ${sol(done.sent.fee)} of it fees`);
  show('transaction', done.sent.transaction);
  return EXIT.ok;
}

/**
 * The page of a period and the periods that it holds, days since 1970-01-01. Throws `out_of_range` for a day that is
 * no period, before the feed's first, or more than DAYS_AHEAD days after `now` (unix seconds).
 */
function pageOf(
  { cadence, rules, ticker }: FeedAccount,
  period: DateText,
  now: number,
): { readonly index: number; readonly first: number; readonly last: number } {
  const day = parseDate(period);
  const { index } = pagePlace(ordinalOf(cadence, day, ticker));
  const from = rules[0]?.first ?? 0;
  const to = Math.floor(now / DAY_SECONDS) + DAYS_AHEAD;
  if (day < from || day > to) {
    throw new Fault('out_of_range', 'period', {
      at: '--period',
      expected: `${formatDate(from)}, the feed's first, to ${formatDate(to)}`,
      found: period,
    });
  }
  return {
    index,
    first: periodOfOrdinal(cadence, index * PAGE_PERIODS),
    last: periodOfOrdinal(cadence, index * PAGE_PERIODS + PAGE_PERIODS - 1),
  };
}
