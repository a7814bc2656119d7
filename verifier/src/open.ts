import { parseNoteKey } from '@assay/core/log/note';
import { type DayRange, numberRange, type PeriodNumber } from './client/number-range.ts';
import { KeptFiles } from './client/kept-files.ts';
import type { NumberAnswer } from './client/number-answer.ts';
import { NumberReader } from './client/number-reader.ts';
import type { OpenStream } from './client/event-connection.ts';
import type { EventQuery } from './client/event-query.ts';
import { PinnedHead, type PinStorage } from './client/pinned-head.ts';
import { type EventAnswer, provenEvents } from './client/proven-events.ts';
import { tilesOf } from './client/proven-log.ts';
import { type PageQuery, type ServedList, servedRows } from './client/served-pages.ts';
import type { ServedRows } from './client/served-rows.ts';
import { timedFetch } from './client/timed-fetch.ts';
import { web } from './client/web.ts';
import { type Fetch, httpReader } from './reader/http-reader.ts';
import { type Environment, PORTABLE } from './verdict/environment.ts';
import { OPEN_POLICY, type Policy, requirePolicy } from './verdict/policy.ts';
import { verify } from './verify.ts';

export interface OpenOptions {
  /** The verifier key of the log (`<name>+<id>+<base64>`), from somebody other than its server. */
  readonly key: string;
  /** Further demands: witnesses, and the caller's own co-signers. */
  readonly policy?: Partial<Omit<Policy, 'checkpoint_keys' | 'complete'>>;
  /** Where the newest head is kept between visits; in memory where absent. */
  readonly storage?: PinStorage;
  /** Milliseconds for each answer; 30,000 where absent. */
  readonly timeoutMs?: number;
  /** Milliseconds for one number, with everything that is asked for it; 120,000 where absent. */
  readonly numberMs?: number;
  /** Seconds after which the newest entry of a production log is too old; two days where absent. */
  readonly maxAgeS?: number;
  /** The clock, in Unix seconds. */
  readonly now?: () => number;
  /** The caller's own `fetch`, with its time limits and retries. It must not limit the whole time of `/events`. */
  readonly fetch?: Fetch;
  readonly environment?: Environment;
}

/** A served log. What its server answers makes `number`, `numbers` and `events` refuse, and never throw. */
export interface LogClient {
  /**
   * The newest report of a period, proven by its bundle under a head that continues the pinned one. Without a good
   * verdict there is a refusal with a fixed code, and no value. While the head stays as it is, the answer is kept.
   */
  readonly number: (index: string, period: string) => Promise<NumberAnswer>;
  /**
   * The number of each period that a day of the range names, in order, by the calendar of the rule. Throws `malformed`
   * for a range that is none.
   */
  readonly numbers: (index: string, range: DayRange) => AsyncIterableIterator<PeriodNumber>;
  /**
   * The entries as they are published, each proven to be in a head that continues the pinned one. It comes back by
   * itself where a connection ends. A refusal is the last that comes. Throws `malformed` for a query that is none.
   */
  readonly events: (query?: EventQuery) => AsyncIterableIterator<EventAnswer>;
  /** The rows of a list, page by page, as the server has them: nothing of them is proven. Throws as `servedRows`. */
  readonly served: <List extends ServedList>(
    list: List,
    query?: PageQuery,
  ) => AsyncIterableIterator<ServedRows[List]>;
}

const TIMEOUT_MS = 30_000;
const NUMBER_MS = 120_000;
const MAX_AGE_S = 172_800;

/** Opens the log at `url`. Throws as `requirePolicy` for an invalid key or policy; nothing is asked for yet. */
export async function open(url: string, options: OpenOptions): Promise<LogClient> {
  const environment = options.environment ?? PORTABLE;
  const { sha256 } = environment;
  const policy = requirePolicy(sha256, {
    ...OPEN_POLICY,
    ...options.policy,
    checkpoint_keys: [options.key],
    complete: false,
  });
  const key = parseNoteKey(sha256, options.key);
  const server = httpReader(url, options.fetch ?? timedFetch(options.timeoutMs ?? TIMEOUT_MS));
  const files = new KeptFiles(server);
  const storage = options.storage ?? memoryStorage();
  const now = options.now ?? ((): number => Math.floor(Date.now() / 1000));
  const maxAgeS = options.maxAgeS ?? MAX_AGE_S;
  const terms = { key, vkey: options.key, policy, environment, storage, now };
  const head = new PinnedHead({ ...terms, tiles: tilesOf(files) });
  const numberMs = options.numberMs ?? NUMBER_MS;
  const parts = { files, head, environment, now, maxAgeS, numberMs };
  const numbers = new NumberReader(parts, (bytes, number) =>
    verify({ kind: 'bundle', bytes }, policy, { number, environment, now: now() }),
  );
  const stream = { base: url.replace(/\/+$/, ''), fetch: options.fetch ?? streamFetch };
  return {
    number: (index, period) => numbers.read(index, period),
    numbers: (index, range) => numberRange(numbers, index, range),
    events: (query = {}) => provenEvents(parts, stream, query),
    served: (list, query = {}) => servedRows(server, list, query),
  };
}

/** The platform's `fetch`, without a limit of time: a stream does not end. */
const streamFetch: OpenStream = (url, init, signal) => web.fetch(url, { ...init, signal });

function memoryStorage(): PinStorage {
  const kept = new Map<string, string>();
  return {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => {
      kept.set(name, text);
    },
  };
}
