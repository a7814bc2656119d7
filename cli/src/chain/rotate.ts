import type { FeedClient } from '@assay/chain/client/feed-client';
import type { ChainRpc } from '@assay/chain/client/rpc';
import { Fault } from '@assay/core/fault';
import { formatTime } from '@assay/core/time/time';
import { keyHash, keysOf, type ReportKey } from '@assay/core/view/key/keys';
import { type LogRow, logRow } from '@assay/core/view/log';
import { tickers } from '@assay/core/view/rules';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DataFolder } from '@assay/node/platform/data-folder';
import type { KeyPlace } from '@assay/node/key/key-files';
import { connectChain } from './connection.ts';
import { withFoldedRows } from '../reader/folded-rows.ts';
import { addressOption } from './options.ts';
import { openSender, openTransactionSigner } from './payer.ts';
import { requireFeeds } from './target.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { paint, type Terminal } from '../command/tty.ts';
import { textRows } from '../text/text-rows.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface RotateOptions {
  readonly rpc: string;
  readonly data: string;
  /** The file of the next key, if it is not in the folder. */
  readonly next: string | undefined;
  readonly payer: string | undefined;
  readonly yes: boolean;
}

/**
 * Hands every feed of a log to the key that the log has promised or, if the log has changed its key after a
 * theft, to the log's own. On chain the key comes into force a week later; then the log follows with `assay
 * keys rotate`.
 */
export async function rotateFeeds(
  options: RotateOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const opened = await openFeeds(options, environment);
  const { folder, log, keys, client, place, now } = opened;
  const [{ bringKey }, { laterKey }, { openReportKey, keyFiles }, { feedStep }, { keySigner }] =
    await Promise.all([
      import('@assay/node/key/key-files'),
      import('@assay/node/key/key-change'),
      import('@assay/node/key/report-keys'),
      import('@assay/node/feed/feed-step'),
      import('@assay/chain/client/key-signer'),
    ]);
  const { formatHex } = await import('@assay/core/bytes/hex');
  const promise = keys.at(-1)?.next_key_sha256;
  const show = (...row: readonly [string, string]): void => {
    for (const line of textRows(...row, terminal)) terminal.out(line);
  };
  let stuck = 0;
  for (const ticker of opened.tickers) {
    const held = await client.feed(ticker);
    terminal.out(`Feed of ${ticker}, ${log.origin}`);
    if (held === undefined) {
      show('', 'is not there: nothing to do');
      continue;
    }
    const step = feedStep(held.account, keys, place.sha256, now);
    if (step.kind === 'stuck') {
      stuck += 1;
      show('key', step.publisher);
      show(
        '',
        "has promised a key that the log does not have: this feed can never have the log's key",
      );
      continue;
    }
    if (step.kind !== 'due') {
      show('key', step.key);
      show('', step.kind === 'done' ? 'is in force: assay keys rotate' : waits(step.effective));
      continue;
    }
    if (options.next !== undefined && step.nextHash === promise) {
      await bringKey(place, options.next, 'next-report', step.nextHash);
    }
    const files = [...(await keyFiles(folder)).values()];
    const key = files.find((each) => keyHash(place.sha256, each) === step.nextHash);
    if (key === undefined) {
      throw new Fault('key_missing', 'next key', {
        at: folder.keys,
        expected: `the key of ${step.nextHash}: bring it with --next`,
      });
    }
    show('from', step.publisher);
    show('to', key);
    if (!options.yes) continue;
    const old = await openReportKey(folder, step.publisher, place);
    const next = await openReportKey(folder, key, place);
    const after =
      step.afterHash ?? keyHash(place.sha256, formatHex((await laterKey(place)).publicKey));
    await client.rotate(keySigner(old), keySigner(next), ticker, after);
    const effective = (await client.feed(ticker))?.account.rotation?.effective;
    terminal.out(`${paint(terminal, 'green', 'WAITS')} ${waits(effective ?? 0n)}`);
  }
  if (!options.yes) terminal.out('Nothing was sent. Add --yes to send it.');
  return stuck > 0 ? EXIT.incomplete : EXIT.ok;
}

function waits(effective: bigint): string {
  return `waits until ${formatTime(Number(effective))}; the recovery key can cancel it before`;
}

export interface CancelOptions {
  readonly rpc: string;
  readonly data: string;
  readonly ticker: Ticker;
  /** The file of the recovery key that the feed has promised. */
  readonly recovery: string;
  readonly payer: string | undefined;
  readonly what: readonly ('rotation' | 'rule' | 'set')[];
  readonly yes: boolean;
}

/** Cancels what is waiting in a feed, with the recovery key. */
export async function cancelFeed(
  options: CancelOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { ticker, what } = options;
  const { client } = await openFeeds(options, environment);
  const recovery = await openTransactionSigner(options.recovery, environment);
  terminal.out(`Feed of ${ticker}: cancels what is waiting (${what.join(', ')})`);
  if (!options.yes) {
    terminal.out('Nothing was sent. Add --yes to send it.');
    return EXIT.ok;
  }
  await client.cancel(recovery, ticker, what);
  terminal.out(paint(terminal, 'green', 'CANCELLED'));
  return EXIT.ok;
}

/** The feeds of a stopped node's log, and what changes them. */
export interface OpenFeeds {
  readonly folder: DataFolder;
  readonly log: LogRow;
  readonly keys: readonly ReportKey[];
  readonly tickers: readonly Ticker[];
  readonly client: FeedClient;
  readonly place: KeyPlace;
  /** The chain's own clock in unix seconds. */
  readonly now: number;
}

/** Opens the feeds of a data folder's log on its chain. */
export async function openFeeds(
  options: { readonly rpc: string; readonly data: string; readonly payer: string | undefined },
  environment: Environment,
): Promise<OpenFeeds> {
  const [{ dataFolder }, { nodeSha256 }, { FeedClient: Client }] = await Promise.all([
    import('@assay/node/platform/data-folder'),
    import('@assay/node/platform/node-sha256'),
    import('@assay/chain/client/feed-client'),
  ]);
  const folder = dataFolder(options.data);
  const { log, keys, indexes } = await withFoldedRows(folder.root, (views) => ({
    log: logRow(views),
    keys: keysOf(views),
    indexes: tickers(views),
  }));
  if (log === undefined) throw new Fault('not_found', 'genesis', { at: folder.root });
  const fed = requireFeeds(log);
  const { rpc } = await connectChain(options.rpc, fed.chain);
  const program = await addressOption(fed.program, 'the program of the log');
  const payerPath = options.payer ?? `${folder.keys}/payer.json`;
  const payer = await openTransactionSigner(payerPath, environment);
  const sender = await openSender(rpc, options.rpc, payer);
  const client = new Client({ rpc, program, genesis: log.report_key, sender });
  const now = await chainTime(rpc);
  const passphrase = environment['ASSAY_PASSPHRASE'] || undefined;
  const place = { folder, sha256: nodeSha256, passphrase };
  return { folder, log, keys, tickers: indexes, client, place, now };
}

async function chainTime(rpc: ChainRpc): Promise<number> {
  const { ask, wholeOf } = await import('@assay/chain/client/ask');
  const { chainCalls } = await import('@assay/chain/client/chain-calls');
  const { slot } = await chainCalls(rpc).finalizedHead(undefined);
  const time = await ask('getBlockTime', rpc.getBlockTime(slot), undefined, wholeOf);
  return Number(time);
}
