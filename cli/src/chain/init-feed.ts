import { resolve } from 'node:path';
import { Fault } from '@assay/core/fault';
import { FEED_BYTES } from '@assay/core/feed/feed-account';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatDate } from '@assay/core/time/time';
import { logRow, type LogRow } from '@assay/core/view/log';
import { reportsOf } from '@assay/core/view/reports';
import { firstTicker } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { FeedParameters } from '@assay/chain/instructions';
import { connectChain } from './connection.ts';
import { withFoldedRows } from '../reader/folded-rows.ts';
import { addressOption } from './options.ts';
import { openSender, openTransactionSigner } from './payer.ts';
import { requireFeeds } from './target.ts';
import { sol } from './chain-text.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { paint, type Terminal } from '../command/tty.ts';
import { count, textRows } from '../text/text-rows.ts';

export interface InitFeedOptions {
  readonly rpc: string;
  readonly config: string | undefined;
  readonly data: string | undefined;
  readonly ticker: Ticker;
  /** The payer's key file. The default is `keys/payer.json` of the data folder. */
  readonly payer: string | undefined;
  readonly yes: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Makes the feed of an index from what its log contains. */
export async function initChainFeed(
  options: InitFeedOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { ticker } = options;
  const { dataFolder, keyPath } = await import('@assay/node/platform/data-folder');
  const folder = dataFolder(await rootOf(options, environment));
  const [{ fetchBalance, fetchRent }, { FeedClient }] = await Promise.all([
    import('@assay/chain/deploy/fetched-account'),
    import('@assay/chain/client/feed-client'),
  ]);
  const { log, parameters } = await withFoldedRows(folder.root, (views) => planFeed(views, ticker));
  if (log === undefined) throw new Fault('not_found', 'genesis', { at: folder.root });
  if (parameters === undefined) {
    throw new Fault('not_found', 'feed', {
      at: ticker,
      expected: 'co-signers in force and a rule that a feed may begin with',
      found: 'none in the log',
    });
  }
  const fed = requireFeeds(log);
  const program = await addressOption(fed.program, 'the program of the log');
  const report = await openTransactionSigner(keyPath(folder, 'report'), environment);
  const payer = await openTransactionSigner(
    options.payer ?? `${folder.keys}/payer.json`,
    environment,
  );
  const { rpc, chain } = await connectChain(options.rpc, fed.chain);
  const before = await fetchBalance(rpc, payer.address);
  const sender = await openSender(rpc, options.rpc, payer);
  const client = new FeedClient({ rpc, program, genesis: log.report_key, sender });
  const show = (...row: readonly [string, string]): void => {
    for (const line of textRows(...row, terminal)) terminal.out(line);
  };
  const { cosigners, threshold, first, cadence, decimals } = parameters;
  terminal.out(`Feed of ${ticker}, ${log.origin}`);
  show('chain', chain);
  show('program', program);
  show('feed', await client.feedAt(ticker));
  show('publisher', log.report_key);
  show('rule', parameters.rule);
  show('', `from ${formatDate(first)} on; ${cadence}, ${count(decimals, 'decimal')}`);
  show('co-signers', `${threshold} of ${cosigners.length}`);
  for (const key of cosigners) show('', key);
  show('payer', `${payer.address} has ${sol(before)}`);
  show('will cost', `${sol(await fetchRent(rpc, FEED_BYTES))} of rent, which stays, and a fee`);
  if (!options.yes) {
    terminal.out('');
    terminal.out('Nothing was sent: a feed cannot be removed. Add --yes to make it.');
    return EXIT.ok;
  }
  const done = await client.initFeed(report, parameters);
  const word = done.kind === 'sent' ? 'MADE' : 'THERE ALREADY';
  terminal.out(`${paint(terminal, 'green', word)} ${await client.feedAt(ticker)}`);
  if (done.kind === 'there') return EXIT.ok;
  const after = await fetchBalance(rpc, payer.address);
  show('cost', `${sol(before - after)}, ${sol(done.sent.fee)} of it fees`);
  show('transaction', done.sent.transaction);
  return EXIT.ok;
}

/** What the feed of an index begins with, by what the log has; undefined where it has no co-signers or no rule for one. */
async function planFeed(
  views: ViewState,
  ticker: Ticker,
): Promise<{
  readonly log: LogRow | undefined;
  readonly parameters: FeedParameters | undefined;
}> {
  const [{ initialFeed }, { DueQueue }] = await Promise.all([
    import('@assay/node/feed/feed-plan'),
    import('@assay/node/feed/due-queue'),
  ]);
  const log = logRow(views);
  if (log === undefined) return { log, parameters: undefined };
  // In the same way as the node.
  const queue = new DueQueue();
  queue.update(views);
  const [oldest] = queue.prints(ticker);
  const rule =
    oldest === undefined
      ? undefined
      : reportsOf(views, ticker, oldest.period).find(({ hash }) => hash === oldest.digest)?.report
          .rule.hash;
  const now = Math.floor(Date.now() / 1000);
  const close = queue.closes().length > 0 && firstTicker(views) === ticker;
  return { log, parameters: initialFeed(views, log, ticker, rule, now, close) };
}

async function rootOf(
  { config, data }: Pick<InitFeedOptions, 'config' | 'data'>,
  environment: Environment,
): Promise<string> {
  if (data !== undefined) return resolve(data);
  const { readConfig } = await import('@assay/node/production/config');
  return (await readConfig(config as string, environment)).data;
}
