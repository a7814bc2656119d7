import { faultCode, messageOf } from '@assay/core/fault';
import { parseReportEntry } from '@assay/core/kind/report-entry';
import { formatTilePath } from '@assay/core/log/tile';
import { parseNoteKey } from '@assay/core/log/note';
import { type DateText, parseTime } from '@assay/core/time/time';
import { gatherBundle, type MadeBundle } from './client/bundle-maker.ts';
import { laterEntries } from './client/later-entries.ts';
import { bodyOf } from './client/log-answer.ts';
import {
  type NumberAnswer,
  type Refusal,
  type RefusalCode,
  settlementLacks,
} from './client/number-answer.ts';
import { PinnedHead, type PinStorage } from './client/pinned-head.ts';
import { timedFetch } from './client/timed-fetch.ts';
import { type Fetch, httpReader } from './reader/http-reader.ts';
import type { LogReader } from './reader/log-reader.ts';
import type { ReadTile } from './reader/tile-proofs.ts';
import { type Environment, PORTABLE } from './verdict/environment.ts';
import { Findings } from './verdict/finding.ts';
import { OPEN_POLICY, type Policy, requirePolicy } from './verdict/policy.ts';
import type { Verdict } from './verdict/verdict.ts';
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
  /** Seconds after which the newest entry of a production log is too old; two days where absent. */
  readonly maxAgeS?: number;
  /** The clock, in Unix seconds. */
  readonly now?: () => number;
  /** The caller's own `fetch`, with its time limits and retries. */
  readonly fetch?: Fetch;
  readonly environment?: Environment;
}

/** A served log, one number at a time. */
export interface LogClient {
  /**
   * The newest report of a period, proven by its bundle under a head that continues the pinned one. Never throws
   * because of what the server answers: without a good verdict there is a refusal with a fixed code, and no value.
   */
  readonly number: (index: string, period: string) => Promise<NumberAnswer>;
}

const TIMEOUT_MS = 30_000;
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
  const fetch = options.fetch ?? timedFetch(options.timeoutMs ?? TIMEOUT_MS);
  const server = httpReader(url, fetch);
  const storage = options.storage ?? memoryStorage();
  const now = options.now ?? ((): number => Math.floor(Date.now() / 1000));
  const maxAge = options.maxAgeS ?? MAX_AGE_S;
  const terms = { key, vkey: options.key, policy, environment, storage };
  const head = new PinnedHead({ ...terms, tiles: tilesOf(server) });
  return {
    async number(index, period) {
      try {
        return await provenNumber({ index, period });
      } catch (error) {
        return refusal(faultCode(error) ?? 'incomplete', messageOf(error));
      }
    },
  };

  async function provenNumber(asked: {
    readonly index: string;
    readonly period: string;
  }): Promise<NumberAnswer> {
    const least = await head.size();
    // Tiles of one head do not change while a number is gathered.
    const reader = onceReader(server);
    const made = await gatherBundle(reader, asked, sha256);
    const findings = new Findings();
    const checkpoint = await head.accept(made.note, least, findings);
    if (checkpoint === undefined) return refusedBy(findings);
    const verdict = await verify({ kind: 'bundle', bytes: made.bytes }, policy, {
      number: asked,
      environment,
      now: now(),
    });
    if (verdict.outcome === 'incomplete') return refusal('incomplete', verdict.reason, verdict);
    if (verdict.outcome === 'findings') return refusedBy(findings, verdict);
    const { number: facts } = verdict;
    if (facts === null) return refusal('incomplete', 'the verdict has no number', verdict);
    if (facts.index?.followed === true) return refusal('superseded', SUPERSEDED, verdict);
    const from = Math.max(facts.index?.seq ?? 0, made.seq);
    let at = 0;
    for await (const entry of laterEntries(reader, tilesOf(reader), from, checkpoint, sha256)) {
      at = parseTime(entry.at);
      if (entry.seq === made.seq || entry.kind !== 'report/1') continue;
      const { report } = parseReportEntry(entry.body, 'body');
      if (isSameNumber(report, made)) return refusal('superseded', SUPERSEDED, verdict);
    }
    if (verdict.log.network === 'production' && at < now() - maxAge) {
      return refusal('head_stale', `the newest entry is over ${maxAge} s old`, verdict);
    }
    const lacks = settlementLacks(facts);
    return {
      ok: true,
      ticker: facts.ticker,
      period: facts.period,
      value: facts.value,
      unit: facts.unit,
      decimals: made.report.decimals,
      status: facts.status,
      settleable: lacks.length === 0,
      lacks,
      facts,
      verdict,
    };
  }
}

const SUPERSEDED = 'the log has a later report of the period, which the server did not show';

function isSameNumber(
  { ticker, period }: { readonly ticker: string; readonly period: DateText },
  { report }: MadeBundle,
): boolean {
  return ticker === report.ticker && period === report.period;
}

function refusal(code: RefusalCode, why: string, verdict: Verdict | null = null): Refusal {
  const findings = verdict?.outcome === 'findings' ? verdict.findings : [];
  return { ok: false, code, why, findings, verdict };
}

function refusedBy(findings: Findings, verdict: Verdict | null = null): Refusal {
  const list = verdict?.outcome === 'findings' ? verdict.findings : findings.list;
  const [first] = list;
  if (first === undefined) return refusal('incomplete', 'the head was not accepted', verdict);
  const why = `${first.place}: expected ${first.expected}, found ${first.found}`;
  return { ...refusal(first.code, why, verdict), findings: list };
}

function tilesOf(reader: LogReader): ReadTile {
  return (tile) => bodyOf(reader, `/${formatTilePath(tile)}`);
}

/** Asks for each tile and each blob once, because their paths say what they hold. */
function onceReader(server: LogReader): LogReader {
  const asked = new Map<string, ReturnType<LogReader['get']>>();
  return {
    live: server.live,
    get(path) {
      if (!path.startsWith('/tile/') && !path.startsWith('/blob/')) return server.get(path);
      const answer = asked.get(path) ?? server.get(path);
      asked.set(path, answer);
      return answer;
    },
  };
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
