import { Fault } from '@assay/core/fault';
import { parseHex } from '@assay/core/bytes/hex';
import { parseFeed } from '@assay/core/feed/feed-account';
import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import { parseTicker } from '@assay/core/rule/ticker';
import { parseDate } from '@assay/core/time/time';
import {
  type Address,
  assertIsAddress,
  getAddressEncoder,
  getBase64Encoder,
  type GetMultipleAccountsApi,
  type Rpc,
} from '@solana/kit';
import { feedAddress, pageAddress } from './addresses.ts';
import {
  type FinalPrint,
  type ReadAccount,
  type ReadPeriod,
  type ReadRequest,
  readPrint,
  requireFinal,
} from './reader.ts';

/**
 * Reads a print from a Solana RPC for a venue that settles on it (docs/venues.md): first the feed for its
 * cadence, then the feed and the page together, at one slot. What an RPC node answers is a claim of that node
 * and not a proof.
 */

/** A period of an index. */
export interface PeriodRequest {
  /** The address of the program that the caller trusts, in base58. */
  readonly program: string;
  /** The publisher's genesis key, in hex. The address of the feed is derived from it and the ticker. */
  readonly publisher: string;
  readonly ticker: string;
  /** `YYYY-MM-DD`, the name of the period: the last Saturday of a week, a day, or the first of a month. */
  readonly period: string;
  /** `finalized` by default, because nothing less should be settled on. */
  readonly commitment?: ReadCommitment;
}

export type ReadCommitment = 'confirmed' | 'finalized';

/** What a venue demands of a final. */
export interface VenueRequest extends PeriodRequest {
  /** The id of the log in hex, if the caller accepts one log only. */
  readonly log?: string;
  /** The hash of the frozen rule, in hex. */
  readonly ruleHash: string;
  /** The caller's own list of co-signer keys, in hex. The sets on chain are chosen by the publisher. */
  readonly cosigners: readonly string[];
  /** How many of that list must have signed, 1 or more. */
  readonly required: number;
  /** The greatest age, in seconds since `published_at`. */
  readonly maxAge: number;
  /** Unix seconds by the caller's clock. */
  readonly now: number;
}

/** An account as an RPC node answers it. */
export interface FoundAccount {
  /** An address in base58. */
  readonly owner: string;
  readonly data: Uint8Array;
}

/**
 * Fetches accounts as they were at one slot, with null for one that does not exist. Throws whatever the library
 * throws. Once the signal is aborted, nobody waits for the answer.
 */
export type AccountsFetch = (
  addresses: readonly Address[],
  commitment: ReadCommitment,
  signal: AbortSignal,
) => Promise<readonly (FoundAccount | null)[]>;

export type VenueRpc = Rpc<GetMultipleAccountsApi>;

export interface VenueOptions {
  readonly signal?: AbortSignal;
  /** The time for all calls together, in milliseconds, 1 or more. The default is VENUE_TIMEOUT_MS. */
  readonly timeoutMs?: number;
}

export const VENUE_TIMEOUT_MS = 30_000;

/** The longest delay that a timer accepts. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/**
 * Returns the first final of a period, which can be settled on. Throws what `requireFinal` throws; `unmet` at
 * `feed` or `page` for an account that does not exist; `bad_hex`, `bad_length` or `malformed` for an invalid
 * request; and `unreachable` for an RPC that did not answer in time or failed, with its error or the signal's
 * reason as the cause.
 */
export function finalOf(
  rpc: VenueRpc,
  request: VenueRequest,
  options: VenueOptions = {},
): Promise<FinalPrint> {
  return finalThrough(kitFetch(rpc), request, options);
}

/**
 * Returns what is recorded on chain about a period, without demanding anything of it. Throws what `readPrint`
 * and `finalOf` throw.
 */
export function printOfPeriod(
  rpc: VenueRpc,
  request: PeriodRequest,
  options: VenueOptions = {},
): Promise<ReadPeriod> {
  return periodThrough(kitFetch(rpc), request, options);
}

/** `finalOf` over any library. */
export async function finalThrough(
  fetch: AccountsFetch,
  request: VenueRequest,
  options: VenueOptions = {},
): Promise<FinalPrint> {
  const { ticker, log, required, maxAge, now } = request;
  const demands = {
    ticker,
    ...(log === undefined ? {} : { log: parseHex(log, 32) }),
    ruleHash: parseHex(request.ruleHash, 32),
    cosigners: request.cosigners.map((key) => parseHex(key, 32)),
    required,
    maxAge,
    now,
  };
  return requireFinal({ ...(await accountsOf(fetch, request, options)), ...demands });
}

/** `printOfPeriod` over any library. */
export async function periodThrough(
  fetch: AccountsFetch,
  request: PeriodRequest,
  options: VenueOptions = {},
): Promise<ReadPeriod> {
  return readPrint(await accountsOf(fetch, request, options));
}

async function accountsOf(
  fetch: AccountsFetch,
  request: PeriodRequest,
  { signal, timeoutMs = VENUE_TIMEOUT_MS }: VenueOptions,
): Promise<ReadRequest> {
  if (!(timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS)) {
    throw new TypeError(`timeoutMs: 1 to ${MAX_TIMEOUT_MS}, found ${timeoutMs}`);
  }
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort(new Error(`no answer within ${timeoutMs} ms`));
  }, timeoutMs);
  const signals = signal === undefined ? [late.signal] : [late.signal, signal];
  try {
    return await readAccounts(fetch, request, AbortSignal.any(signals));
  } finally {
    clearTimeout(timer);
  }
}

async function readAccounts(
  fetch: AccountsFetch,
  request: PeriodRequest,
  signal: AbortSignal,
): Promise<ReadRequest> {
  const { publisher, period, commitment = 'finalized' } = request;
  const program = addressOf(request.program);
  const ticker = parseTicker(request.ticker, 'ticker');
  const days = parseDate(period);
  const get = async (...addresses: readonly Address[]): Promise<readonly (FoundAccount | null)[]> =>
    answered(fetch, addresses, commitment, signal);
  const [feedAt] = await feedAddress(program, publisher, ticker);
  const [first] = await get(feedAt);
  const cadence = parseFeed(present('feed', first, program).data).cadence;
  const [pageAt] = await pageAddress(
    program,
    feedAt,
    pagePlace(ordinalOf(cadence, days, ticker)).index,
  );
  const [feed, page] = await get(feedAt, pageAt);
  const read = (at: Address, found: FoundAccount): ReadAccount => ({
    address: bytesOf(at),
    owner: bytesOf(program),
    data: found.data,
  });
  return {
    program: bytesOf(program),
    feed: read(feedAt, present('feed', feed, program)),
    page: read(pageAt, present('page', page, program)),
    period,
  };
}

/**
 * Waits for the answer or for the signal, because a library may ignore the signal. The answer is then
 * abandoned.
 */
async function answered(
  fetch: AccountsFetch,
  addresses: readonly Address[],
  commitment: ReadCommitment,
  signal: AbortSignal,
): Promise<readonly (FoundAccount | null)[]> {
  const stop = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    const end = (): void => reject(signal.reason);
    signal.addEventListener('abort', end, { once: true, signal: stop.signal });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([fetch(addresses, commitment, signal), stopped]);
  } catch (cause) {
    throw new Fault('unreachable', 'Solana RPC', { at: 'getMultipleAccounts', cause });
  } finally {
    stop.abort();
  }
}

/** Requires that an account exists and belongs to the program. */
function present(
  at: 'feed' | 'page',
  found: FoundAccount | null | undefined,
  program: Address,
): FoundAccount {
  if (found === null || found === undefined) {
    throw new Fault('unmet', 'print', { at, expected: 'an account', found: 'nothing' });
  }
  if (found.owner !== program) {
    throw new Fault('unmet', 'print', { at: `${at}.owner`, expected: program, found: found.owner });
  }
  return found;
}

function addressOf(text: string): Address {
  try {
    assertIsAddress(text);
    return text;
  } catch (cause) {
    throw new Fault('malformed', 'program', { expected: 'an address in base58', cause });
  }
}

function bytesOf(address: Address): Uint8Array {
  return new Uint8Array(getAddressEncoder().encode(address));
}

function kitFetch(rpc: VenueRpc): AccountsFetch {
  return async (addresses, commitment, signal) => {
    const { value } = await rpc
      .getMultipleAccounts(addresses, { commitment, encoding: 'base64' })
      .send({ abortSignal: signal });
    return value.map(
      (found) =>
        found && {
          owner: found.owner,
          data: new Uint8Array(getBase64Encoder().encode(found.data[0])),
        },
    );
  };
}
