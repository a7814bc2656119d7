import { writeFile } from 'node:fs/promises';
import type { FinalRequest, ReadPeriod, ReadPrint } from '@assay/chain/reader';
import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { formatAccountFile } from './account-file.ts';
import { parseFeed } from '@assay/core/feed/feed-account';
import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import { formatScaled } from '@assay/core/number/rational';
import type { Ticker } from '@assay/core/rule/ticker';
import { type DateText, formatTime, parseDate } from '@assay/core/time/time';
import { type ChainTarget, openTarget, type TargetOptions } from './target.ts';
import { chainJson } from './chain-text.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { paint, type Terminal } from '../command/tty.ts';
import { duration, textRows } from '../text/text-rows.ts';

/** What a reader who settles demands of a final. */
export interface Demands {
  readonly rule: HashHex;
  readonly cosigners: readonly HashHex[];
  readonly required: number;
  /** In seconds. */
  readonly maxAge: number;
}

export interface ReadOptions extends TargetOptions {
  readonly rpc: string;
  readonly ticker: Ticker;
  readonly period: DateText;
  readonly demands: Demands | undefined;
  /** Where the bytes of the accounts are saved. */
  readonly save: string | undefined;
  readonly json: boolean;
}

/** The most characters of a node's message about its listing that are saved. */
const MAX_SAVED_WORDS = 512;

const NAMED =
  'demands need --program and --publisher as well: a log that is not trusted would name its own';

/** Reads a period from the chain, and with demands checks whether its final meets them. */
export async function readChain(options: ReadOptions, terminal: Terminal): Promise<ExitCode> {
  const { ticker, period, demands } = options;
  if (demands !== undefined && (options.program === undefined || options.publisher === undefined)) {
    throw new UsageError(NAMED);
  }
  const target = await openTarget(options.rpc, options);
  const seen = await readAccounts(target, ticker, period);
  if (options.save !== undefined) await save(options.save, options.rpc, target, seen);
  const [{ readPrint, requireFinal }, { addressBytes }] = await Promise.all([
    import('@assay/chain/reader'),
    import('@assay/chain/deploy/address-text'),
  ]);
  const { feed, page } = seen;
  const now = Math.floor(Date.now() / 1000);
  let read: ReadPeriod | undefined;
  let unmet: Fault | undefined;
  if (page.account !== undefined) {
    const request = {
      program: addressBytes(target.program),
      feed: {
        address: addressBytes(feed.address),
        owner: addressBytes(feed.owner),
        data: feed.data,
      },
      page: { owner: addressBytes(page.account.owner), data: page.account.data },
      period,
    };
    read = readPrint(request);
    if (demands !== undefined) {
      unmet = unmetBy(() => requireFinal({ ...request, ...requestOf(ticker, demands, now) }));
    }
  } else if (demands !== undefined) {
    unmet = new Fault('unmet', 'print', { at: 'status', expected: 'final', found: 'nothing' });
  }
  const exit = unmet === undefined ? EXIT.ok : EXIT.findings;
  if (options.json) {
    terminal.out(chainJson(payloadOf(target, seen, options, read, unmet)));
    return exit;
  }
  terminal.out(headline(options, read, unmet, terminal));
  const rows = [
    ...(unmet === undefined
      ? []
      : textRows(unmet.at ?? 'demand', unmetText(unmet), terminal, 'red')),
    ...textRows('chain', target.chain, terminal),
    ...textRows('program', target.program, terminal),
    ...textRows('publisher', target.publisher, terminal),
    ...textRows('feed', feed.address, terminal),
    ...textRows(
      'page',
      page.account === undefined ? `${page.address}, not open yet` : page.address,
      terminal,
    ),
    ...printRows('final', read?.settled, now, terminal),
    ...printRows('corrected', read?.corrected, now, terminal),
    ...printRows('provisional', read?.provisional, now, terminal),
    ...(read?.dissent === true
      ? textRows('dissent', 'from a print of this period', terminal, 'yellow')
      : []),
    ...textRows(
      'by the word',
      `of ${target.host} alone, in its finalized slot ${seen.slot}`,
      terminal,
    ),
    ...(options.save === undefined ? [] : textRows('saved', options.save, terminal)),
  ];
  const apart = rows.filter((line, i) => line !== '' || rows[i - 1] !== '');
  for (const line of apart) terminal.out(line);
  return exit;
}

interface Account {
  readonly address: AccountAddress;
  readonly owner: AccountAddress;
  readonly data: Uint8Array;
  readonly slot: bigint;
}

type AccountAddress = ChainTarget['program'];

/** A feed and the page of a period, read at one slot. */
interface Seen {
  /** The finalized slot that was known before. */
  readonly known: bigint;
  readonly slot: bigint;
  readonly feed: Account;
  readonly page: { readonly address: AccountAddress; readonly account: Account | undefined };
}

async function readAccounts(
  { rpc, program, publisher }: ChainTarget,
  ticker: Ticker,
  period: DateText,
): Promise<Seen> {
  const [{ fetchAccount, fetchAccounts, fetchSlot }, { feedAddress, pageAddress }] =
    await Promise.all([
      import('@assay/chain/deploy/fetched-account'),
      import('@assay/chain/addresses'),
    ]);
  const known = await fetchSlot(rpc);
  const [feedAt] = await feedAddress(program, publisher, ticker);
  const first = await fetchAccount(rpc, feedAt);
  if (first === undefined || first.data.length === 0) {
    throw new Fault('not_found', 'feed', { at: feedAt, expected: `the feed of ${ticker}` });
  }
  if (first.owner !== program) {
    throw new Fault('malformed', 'feed', { at: feedAt, expected: program, found: first.owner });
  }
  const { cadence } = parseFeed(first.data);
  const { index } = pagePlace(ordinalOf(cadence, parseDate(period), ticker));
  const [pageAt] = await pageAddress(program, feedAt, index);
  // Reads both again at one slot, because a print may name a set that was added between two reads.
  const [feed, found] = await fetchAccounts(rpc, [feedAt, pageAt], known);
  if (feed === undefined) throw new Fault('not_found', 'feed', { at: feedAt });
  const page = found === undefined || found.data.length === 0 ? undefined : found;
  return { known, slot: feed.slot, feed, page: { address: pageAt, account: page } };
}

async function save(
  path: string,
  rpc: string,
  { chain, program, publisher: genesis }: ChainTarget,
  { known, feed, page }: Seen,
): Promise<void> {
  const { nodeAccounts } = await import('./accounts.ts');
  const lookup = await nodeAccounts(rpc, {});
  // At the slot of the accounts or later, whichever node answers at an address.
  const since = (await lookup.at?.(Number(known))) ?? lookup;
  const listing = await since.feeds(program, genesis);
  const incomplete = listing.incomplete?.slice(0, MAX_SAVED_WORDS) ?? null;
  const feeds = { program, genesis, incomplete, accounts: listing.feeds };
  const accounts = [feed, ...(page.account === undefined ? [] : [page.account])]
    .map(({ address, owner, data, slot }) => ({ address, owner, data, slot: Number(slot) }))
    .toSorted((a, b) => (a.address < b.address ? -1 : 1));
  await writeFile(path, formatAccountFile({ chain, slot: Number(known), accounts, feeds }));
}

function requestOf(
  ticker: Ticker,
  { rule, cosigners, required, maxAge }: Demands,
  now: number,
): Pick<FinalRequest, 'ticker' | 'ruleHash' | 'cosigners' | 'required' | 'maxAge' | 'now'> {
  const keys = cosigners.map((key) => parseHex(key, 32));
  return { ticker, ruleHash: parseHex(rule, 32), cosigners: keys, required, maxAge, now };
}

/** The demand that is not met; undefined if all are. */
function unmetBy(require: () => unknown): Fault | undefined {
  try {
    require();
    return undefined;
  } catch (error) {
    if (error instanceof Fault && error.code === 'unmet') return error;
    throw error;
  }
}

function unmetText({ expected = '', found = '' }: Fault): string {
  return `demanded ${expected}, found ${found}`;
}

function headline(
  { ticker, period, demands }: ReadOptions,
  read: ReadPeriod | undefined,
  unmet: Fault | undefined,
  terminal: Terminal,
): string {
  if (unmet !== undefined) return `${paint(terminal, 'red', 'UNMET')} ${ticker} ${period}`;
  const print = read?.settled ?? read?.provisional;
  const said = print === undefined || print === null ? 'nothing' : headText(print);
  if (demands === undefined) return `${ticker} ${period}: ${said}`;
  return `${paint(terminal, 'green', 'MET')} ${ticker} ${period}: ${said}`;
}

function headText(print: ReadPrint): string {
  if (print.status === 'void') return 'void';
  return `${print.status}${print.withheld ? ',' : ''} ${valueText(print)}`;
}

function valueText({ status, value, decimals, withheld }: ReadPrint): string {
  if (status === 'void') return 'no value';
  return withheld ? 'withheld' : formatScaled(value, decimals);
}

function printRows(
  name: string,
  print: ReadPrint | null | undefined,
  now: number,
  terminal: Terminal,
): readonly string[] {
  if (print === null || print === undefined) {
    return name === 'final' ? textRows(name, 'none', terminal) : [];
  }
  const age = now - Number(print.publishedAt);
  const ago = age < 0 ? 'in the future' : `${duration(age)} ago`;
  const counts = `issue ${print.issue}${print.settleable ? ', settleable' : ''}`;
  return [
    '',
    ...textRows(print.status, `${valueText(print)}, ${counts}`, terminal, 'bold'),
    ...textRows('published', `${formatTime(Number(print.publishedAt))}, ${ago}`, terminal),
    ...textRows('report', print.reportHash, terminal),
    ...textRows('rule', print.ruleHash, terminal),
    ...keyRows(`co-signed`, print.cosigners, 'nobody', terminal),
    ...(print.dissents.length === 0 ? [] : keyRows('dissents', print.dissents, '', terminal)),
    ...textRows('in slot', String(print.slot), terminal),
    '',
  ];
}

function keyRows(
  name: string,
  keys: readonly string[],
  none: string,
  terminal: Terminal,
): readonly string[] {
  if (keys.length === 0) return textRows(name, none, terminal);
  return keys.flatMap((key, i) => textRows(i === 0 ? name : '', key, terminal));
}

function payloadOf(
  { chain, program, publisher }: ChainTarget,
  { slot, feed, page }: Seen,
  { ticker, period, demands }: ReadOptions,
  read: ReadPeriod | undefined,
  unmet: Fault | undefined,
): object {
  return {
    chain,
    program,
    publisher,
    feed: feed.address,
    page: page.account === undefined ? null : page.address,
    slot: Number(slot),
    ticker,
    period,
    settled: printPayload(read?.settled),
    corrected: printPayload(read?.corrected),
    provisional: printPayload(read?.provisional),
    dissent: read?.dissent ?? false,
    met: demands === undefined ? null : unmet === undefined,
    unmet:
      unmet === undefined
        ? null
        : { at: unmet.at ?? null, expected: unmet.expected ?? null, found: unmet.found ?? null },
  };
}

function printPayload(print: ReadPrint | null | undefined): object | null {
  if (print === null || print === undefined) return null;
  return {
    status: print.status,
    value:
      print.status === 'void' || print.withheld ? null : formatScaled(print.value, print.decimals),
    decimals: print.decimals,
    published_at: formatTime(Number(print.publishedAt)),
    report_hash: print.reportHash,
    rule_hash: print.ruleHash,
    issue: print.issue,
    settleable: print.settleable,
    withheld: print.withheld,
    set: print.set,
    cosigners: print.cosigners,
    dissents: print.dissents,
    slot: Number(print.slot),
  };
}
