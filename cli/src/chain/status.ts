import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { type FeedAccount, parseFeed, publisherAt } from '@assay/core/feed/feed-account';
import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import { type PageAccount, parsePage } from '@assay/core/feed/page-account';
import type { ChainRecord } from '@assay/core/feed/record';
import type { Ticker } from '@assay/core/rule/ticker';
import { type DateText, formatDate, parseDate } from '@assay/core/time/time';
import { connectChain, type ChainConnection } from './connection.ts';
import { type ChainLogWithPeriods, readFolder, readLog, type SettledPeriod } from './chain-log.ts';
import { addressOption } from './options.ts';
import { openTransactionSigner } from './payer.ts';
import { statusPayload, statusRows } from './status-text.ts';
import { requireFeeds } from './target.ts';
import { chainJson } from './chain-text.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import type { Terminal } from '../command/tty.ts';

export interface StatusOptions {
  readonly rpc: string;
  readonly url: string | undefined;
  readonly data: string | undefined;
  /** An address, or a key file. */
  readonly payer: string | undefined;
  readonly json: boolean;
}

/** The status of a log's feeds on chain. */
export interface ChainStatus {
  readonly origin: string;
  readonly chain: string;
  readonly host: string;
  readonly program: string;
  /** Undefined if there is no program. */
  readonly authority: string | null | undefined;
  readonly publisher: HashHex;
  readonly payer: { readonly address: string; readonly lamports: bigint } | undefined;
  /** Whether the log names co-signers. Without them nothing belongs on chain. */
  readonly cosigned: boolean;
  readonly slot: bigint;
  /** Unix seconds. */
  readonly now: number;
  readonly feeds: readonly FeedStatus[];
}

/** One index, on chain and in its log. */
export interface FeedStatus {
  readonly ticker: Ticker;
  readonly address: string;
  /** Undefined if there is none. */
  readonly account: FeedAccount | undefined;
  /** The key that signs now, in hex. */
  readonly publisher: HashHex | undefined;
  /** The newest settled period that was found on chain. */
  readonly onChain:
    | { readonly period: DateText; readonly status: ChainRecord['status'] }
    | undefined;
  readonly inLog: SettledPeriod | undefined;
  /** Whether its newest number in the log is withheld. Such prints are not posted to the chain. */
  readonly withheld: boolean;
  /** Periods that belong on chain but are missing there, newest first, among those in the log's list. */
  readonly missing: readonly DateText[];
}

/** Prints the status of a log's feeds on chain. */
export async function chainStatus(
  options: StatusOptions,
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExitCode> {
  const { url, data } = options;
  const log = url === undefined ? await readFolder(data as string) : await readLog(url);
  const fed = requireFeeds(log);
  const connection = await connectChain(options.rpc, fed.chain);
  const payer = await payerOf(options, environment);
  const status = await readStatus(connection, log, fed.program, payer);
  if (options.json) terminal.out(chainJson(statusPayload(status)));
  else for (const line of statusRows(status, terminal)) terminal.out(line);
  return EXIT.ok;
}

/** The address of the payer; undefined if none is named. */
async function payerOf(
  { payer }: StatusOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (payer === undefined) return undefined;
  const { parseAddress } = await import('@assay/chain/deploy/address-text');
  return parseAddress(payer) ?? (await openTransactionSigner(payer, environment)).address;
}

async function readStatus(
  { rpc, chain, host }: ChainConnection,
  log: ChainLogWithPeriods,
  programText: string,
  payer: string | undefined,
): Promise<ChainStatus> {
  const [{ fetchAccounts, fetchBalance, fetchSlot }, { feedAddress, pageAddress }, deployed] =
    await Promise.all([
      import('@assay/chain/deploy/fetched-account'),
      import('@assay/chain/addresses'),
      import('@assay/chain/deploy/deployed-program'),
    ]);
  const now = Math.floor(Date.now() / 1000);
  const program = await addressOption(programText, 'the program of the log');
  const slot = await fetchSlot(rpc);
  const authority = (await deployed.readProgram(rpc, program))?.authority;
  const lamports =
    payer === undefined
      ? undefined
      : {
          address: payer,
          lamports: await fetchBalance(rpc, await addressOption(payer, '--payer')),
        };
  const read = async <T>(
    at: Parameters<typeof pageAddress>[1],
    parse: (bytes: Uint8Array) => T,
  ): Promise<T | undefined> => {
    const [found] = await fetchAccounts(rpc, [at], slot);
    if (found === undefined || found.data.length === 0) return undefined;
    if (found.owner === program) return parse(found.data);
    throw new Fault('malformed', 'account', { at, expected: program, found: found.owner });
  };
  const feeds: FeedStatus[] = [];
  for (const ticker of log.tickers) {
    const [address] = await feedAddress(program, log.publisher, ticker);
    const account = await read(address, parseFeed);
    const settled = log.settled.get(ticker) ?? [];
    const due = settled.filter((each) => belongsOnChain(log, each));
    const pages = new Map<number, PageAccount | undefined>();
    const recordOf = async (period: number): Promise<ChainRecord | null> => {
      if (account === undefined) return null;
      const place = pagePlace(ordinalOf(account.cadence, period));
      if (!pages.has(place.index)) {
        const [page] = await pageAddress(program, address, place.index);
        pages.set(place.index, await read(page, parsePage));
      }
      return pages.get(place.index)?.slots[place.slot]?.settled ?? null;
    };
    const missing: DateText[] = [];
    for (const { period } of due) {
      if ((await recordOf(parseDate(period))) === null) missing.push(period);
    }
    const latest = account?.latest ?? null;
    const record = latest === null ? null : await recordOf(latest);
    feeds.push({
      ticker,
      address,
      account,
      publisher: account === undefined ? undefined : publisherAt(account, BigInt(now)),
      onChain:
        latest === null || record === null
          ? undefined
          : { period: formatDate(latest), status: record.status },
      inLog: settled[0],
      withheld: log.withheld.has(ticker),
      missing,
    });
  }
  return {
    origin: log.origin,
    chain,
    host,
    program,
    authority,
    publisher: log.publisher,
    payer: lamports,
    cosigned: log.cosignedFrom !== null,
    slot,
    now,
    feeds,
  };
}

/** Nobody can recount a withheld level, and before co-signers were named nothing was posted. */
function belongsOnChain({ cosignedFrom }: ChainLogWithPeriods, period: SettledPeriod): boolean {
  return cosignedFrom !== null && !period.withheld && period.publishedAt >= cosignedFrom;
}
