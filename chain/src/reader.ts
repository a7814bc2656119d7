import { requireLength } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, parsePrint } from '@assay/core/report/print';
import type { PeriodKind } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/rule/ticker';
import { parseDate } from '@assay/core/time/time';
import { malformed } from '@assay/core/feed/account-bytes';
import { type FeedAccount, parseFeed, ruleNumberOf } from '@assay/core/feed/feed-account';
import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import { parsePage } from '@assay/core/feed/page-account';
import type { ChainRecord } from '@assay/core/feed/record';

/**
 * Reads a print from the bytes of two accounts, for a venue that settles on it (docs/venues.md). The caller
 * fetches the bytes. What an RPC node answers is a claim of that node and not a proof.
 */

/** An account as it was fetched. */
export interface ReadAccount {
  /** The address that was asked for, 32 bytes. */
  readonly address: Uint8Array;
  /** The program that owns it, 32 bytes. */
  readonly owner: Uint8Array;
  readonly data: Uint8Array;
}

export interface ReadRequest {
  /** The program that the caller trusts, 32 bytes. */
  readonly program: Uint8Array;
  /** The account at the address of the feed. The address stands for one publisher and one ticker. */
  readonly feed: ReadAccount;
  /**
   * The page of the feed that holds the period. A page names its feed and its number, so its address is not
   * needed.
   */
  readonly page: Omit<ReadAccount, 'address'>;
  /** `YYYY-MM-DD`, the name of the period: the last Saturday of a week, a day, or the first of a month. */
  readonly period: string;
}

/** One print of a period. */
export interface ReadPrint {
  readonly status: ChainRecord['status'];
  /** The value times 10 to the power of `decimals`. */
  readonly value: bigint;
  readonly decimals: number;
  /** Unix seconds by the publisher's clock. */
  readonly publishedAt: bigint;
  readonly reportHash: HashHex;
  readonly settleable: boolean;
  readonly withheld: boolean;
  readonly issue: number;
  readonly ruleHash: HashHex;
  /** The number of the co-signer set in the feed. */
  readonly set: number;
  /** The keys of that set that signed, each once, in the order of the set. */
  readonly cosigners: readonly HashHex[];
  /** The keys of that set that dissent. */
  readonly dissents: readonly HashHex[];
  /** The slot in which the print was written. */
  readonly slot: bigint;
}

/** What is recorded on chain about a period. */
export interface ReadPeriod {
  readonly ticker: Ticker;
  readonly cadence: PeriodKind;
  readonly log: HashHex;
  readonly provisional: ReadPrint | null;
  /** The final, or the void in its place; `status` says which it is. */
  readonly settled: ReadPrint | null;
  readonly corrected: ReadPrint | null;
  /** Whether a co-signer dissents from one of the prints of the period. */
  readonly dissent: boolean;
}

/**
 * Returns what is recorded about a period. The accounts are checked for consistency, but nothing is demanded of
 * the numbers. Throws `bad_length`, `malformed` or `out_of_range` for bytes that the program does not write and
 * for a day that is no period of the feed. Throws `unmet` at `feed.owner`, `page.owner`, `page.feed` or
 * `page.index` for accounts that do not belong to the request.
 */
export function readPrint({ program, feed, page, period }: ReadRequest): ReadPeriod {
  requireLength(program, 32, 'program');
  demand('feed.owner', formatHex(program), formatHex(feed.owner));
  demand('page.owner', formatHex(program), formatHex(page.owner));
  const feedAccount = parseFeed(feed.data);
  const pageAccount = parsePage(page.data);
  demand('page.feed', formatHex(requireLength(feed.address, 32, 'feed address')), pageAccount.feed);
  const days = parseDate(period);
  const { ticker, cadence, log } = feedAccount;
  const place = pagePlace(ordinalOf(cadence, days, ticker));
  demand('page.index', String(place.index), String(pageAccount.index));
  const slot = pageAccount.slots[place.slot] ?? null;
  if (slot !== null && slot.period !== days) throw malformed('slot', `day ${days}`, slot.period);
  const dissent = slot?.dissent ?? false;
  const read = (record: ChainRecord | null | undefined): ReadPrint | null => {
    if (record === null || record === undefined) return null;
    if (record.dissents !== 0 && !dissent) throw malformed('slot', 'the flag dissent', 'none');
    return printOf(feedAccount, days, record);
  };
  return {
    ticker,
    cadence,
    log,
    provisional: read(slot?.provisional),
    settled: read(slot?.settled),
    corrected: read(slot?.corrected),
    dissent,
  };
}

function printOf(feed: FeedAccount, period: number, record: ChainRecord): ReadPrint {
  const { rule, set, cosigners, dissents, report: reportHash, ...rest } = record;
  const ruleHash = feed.rules[rule]?.hash;
  const keys = feed.sets[set]?.keys;
  if (ruleHash === undefined) throw malformed('record', 'the number of a rule', rule);
  if (keys === undefined) throw malformed('record', 'the number of a co-signer set', set);
  if (record.decimals !== feed.decimals) {
    throw malformed('record', `${feed.decimals} decimals`, record.decimals);
  }
  // A provisional may be under the rule that held before a newer rule took over its period.
  const own = record.status === 'provisional' ? rule : ruleNumberOf(feed, period);
  if (rule !== own) throw malformed('record', `rule ${own}, the period's`, rule);
  // The program does not accept a print that no report can have.
  parsePrint(formatPrint({ ...record, series: feed.series, rule: ruleHash, period }));
  return { ...rest, ruleHash, set, reportHash, ...keysOf(keys, cosigners, dissents) };
}

function keysOf(
  keys: readonly HashHex[],
  cosigners: number,
  dissents: number,
): Pick<ReadPrint, 'cosigners' | 'dissents'> {
  const named = (bits: number): readonly HashHex[] => {
    if (bits >> keys.length !== 0) throw malformed('record', `bits of ${keys.length} keys`, bits);
    return [...new Set(keys.filter((_, i) => ((bits >> i) & 1) === 1))];
  };
  return { cosigners: named(cosigners), dissents: named(dissents) };
}

export interface FinalRequest extends ReadRequest {
  readonly ticker: string;
  /** The id of the log, 32 bytes, if the caller accepts one log only. */
  readonly log?: Uint8Array;
  /** The hash of the frozen rule, 32 bytes. */
  readonly ruleHash: Uint8Array;
  /** The caller's own list of co-signers, 32 bytes each. The sets on chain are chosen by the publisher. */
  readonly cosigners: readonly Uint8Array[];
  /** How many of that list must have signed, 1 or more. */
  readonly required: number;
  /** The greatest age, in seconds since `published_at`. */
  readonly maxAge: number;
  /** Unix seconds by the caller's clock. */
  readonly now: number;
}

export interface FinalPrint extends Omit<ReadPrint, 'status' | 'settleable' | 'withheld'> {
  /** The keys of `cosigners` that are in the caller's list. */
  readonly counted: readonly HashHex[];
  /** The newest correction. It is news, and the final remains what settles. */
  readonly corrected: ReadPrint | null;
  /**
   * Whether a co-signer dissents from one of the prints of the period. `dissents` lists the dissents from the
   * final.
   */
  readonly dissent: boolean;
}

/** How far, in seconds, the program lets `published_at` be ahead of the chain's clock. */
const AHEAD = 120;

/**
 * Returns the first final of a period, which can be settled on. Throws what `readPrint` throws, and `malformed`
 * or `out_of_range` for demands that make no sense. Throws `unmet` if a demand is not met; `at` is the demand:
 * `ticker`, `log`, `status` (`found` is `void`, `provisional` or `nothing`), `settleable`, `rule`, `cosigners`
 * or `age`.
 */
export function requireFinal(request: FinalRequest): FinalPrint {
  const list = ownList(request.cosigners);
  const required = requireInteger('required', request.required, 1, list.size);
  const maxAge = requireInteger('maxAge', request.maxAge, 0, Number.MAX_SAFE_INTEGER);
  const now = requireInteger('now', request.now, 0, Number.MAX_SAFE_INTEGER);
  const ruleHash = formatHex(requireLength(request.ruleHash, 32, 'rule hash'));
  const { ticker, log, provisional, settled, corrected, dissent } = readPrint(request);
  demand('ticker', request.ticker, ticker);
  if (request.log !== undefined) demand('log', formatHex(request.log), log);
  if (settled?.status !== 'final') {
    throw unmet('status', 'final', (settled ?? provisional)?.status ?? 'nothing');
  }
  const { status: _status, settleable, withheld: _withheld, ...print } = settled;
  if (!settleable) throw unmet('settleable', 'the flag', 'none');
  demand('rule', ruleHash, print.ruleHash);
  const counted = print.cosigners.filter((key) => list.has(key));
  if (counted.length < required) {
    throw unmet('cosigners', `${required} of the caller's list`, String(counted.length));
  }
  const age = BigInt(now) - print.publishedAt;
  if (age > BigInt(maxAge) || age < -BigInt(AHEAD)) {
    throw unmet('age', `${-AHEAD} to ${maxAge} seconds`, String(age));
  }
  return { ...print, counted, corrected, dissent };
}

function ownList(keys: readonly Uint8Array[]): ReadonlySet<string> {
  const list = new Set(keys.map((key) => formatHex(requireLength(key, 32, 'co-signer'))));
  if (list.size !== keys.length) {
    throw malformed('cosigners', 'each key once', `${keys.length - list.size} more`);
  }
  return list;
}

/** Refuses NaN, infinities and fractions, so that no later comparison can meet one. */
function requireInteger(title: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new Fault('out_of_range', title, {
    expected: `an integer ${min} to ${max}`,
    found: String(value),
  });
}

function demand(at: string, expected: string, found: string): void {
  if (expected !== found) throw unmet(at, expected, found);
}

function unmet(at: string, expected: string, found: string): Fault {
  return new Fault('unmet', 'print', { at, expected, found });
}
