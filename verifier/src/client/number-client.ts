import { type Fetch, httpReader } from '../reader/http-reader.ts';
import type { LogReader } from '../reader/log-reader.ts';
import { bundleVerdict } from '../subject/bundle-verdict.ts';
import { type Environment, PORTABLE } from '../verdict/environment.ts';
import { OPEN_POLICY, type Policy, requirePolicy } from '../verdict/policy.ts';
import { KeptFiles } from './kept-files.ts';
import { NumberReader } from './number-reader.ts';
import { PinnedHead, type PinStorage } from './pinned-head.ts';
import { type ClientParts, tilesOf } from './proven-log.ts';
import { timedFetch } from './timed-fetch.ts';

export interface NumberClientOptions {
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
  /**
   * Whether somebody other than the server gave the key; true where absent. Where nobody did, the key still holds the
   * server to one history, and each verdict says that nobody has vouched for it.
   */
  readonly isVouched?: boolean;
}

/** What reads the numbers of a served log, and what it shares with other readers of it. */
export interface NumberClient {
  readonly numbers: NumberReader;
  readonly server: LogReader;
  readonly parts: ClientParts;
}

const TIMEOUT_MS = 30_000;
const NUMBER_MS = 120_000;
const MAX_AGE_S = 172_800;

/** A reader of the numbers of the log at `url`. Throws as `requirePolicy` for an invalid key or policy; nothing is asked for yet. */
export function numberClient(url: string, options: NumberClientOptions): NumberClient {
  const environment = options.environment ?? PORTABLE;
  const { sha256 } = environment;
  const policy = requirePolicy(sha256, {
    ...OPEN_POLICY,
    ...options.policy,
    checkpoint_keys: [options.key],
    complete: false,
  });
  const server = httpReader(url, options.fetch ?? timedFetch(options.timeoutMs ?? TIMEOUT_MS));
  const files = new KeptFiles(server);
  const storage = options.storage ?? memoryStorage();
  const now = options.now ?? ((): number => Math.floor(Date.now() / 1000));
  const terms = { vkey: options.key, policy, environment, storage, now };
  const head = new PinnedHead({ ...terms, reader: server, tiles: tilesOf(files) });
  const maxAgeS = options.maxAgeS ?? MAX_AGE_S;
  const numberMs = options.numberMs ?? NUMBER_MS;
  const parts = { files, head, environment, now, maxAgeS, numberMs };
  const judged = options.isVouched === false ? { ...policy, checkpoint_keys: [] } : policy;
  const numbers = new NumberReader(parts, (bytes, number) =>
    bundleVerdict(bytes, judged, { number, environment, now: now() }),
  );
  return { numbers, server, parts };
}

function memoryStorage(): PinStorage {
  const kept = new Map<string, string>();
  return {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => {
      kept.set(name, text);
    },
  };
}
