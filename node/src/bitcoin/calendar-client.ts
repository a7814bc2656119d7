import { requireLength } from '@assay/core/bytes/bytes';
import { Fault, type FaultCode, faultCode, messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import type { Attestation } from '@assay/core/ots/attestation';
import { evaluate } from '@assay/core/ots/evaluate';
import { type OtsHashes, otsHashes } from '@assay/core/ots/hashes';
import { prune } from './merge.ts';
import { parseTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import { type CalendarFetch, type CalendarResponse, MAX_CALENDAR_BYTES } from './calendar-fetch.ts';
import { withDeadline } from '../platform/deadline.ts';

export interface CalendarOptions {
  readonly fetch: CalendarFetch;
  /** The addresses that digests are submitted to. */
  readonly pool: readonly string[];
  /** The URIs of pending attestations that may be asked. */
  readonly attestors: readonly string[];
  /**
   * The one calendar that is believed to hold what an address of the pool has answered. Otherwise an address
   * could answer for another calendar that may never have seen the digest. Without it, any of `attestors` is
   * believed.
   */
  readonly holders?: ReadonlyMap<string, string>;
  /** The time limit of one exchange in milliseconds, from the connection to the last byte. */
  readonly timeoutMs: number;
  readonly sha256: Sha256;
}

/** The answer of a calendar to a digest. */
export interface CalendarAnswer {
  /** The address as in the pool, without a slash at the end. */
  readonly calendar: string;
  /** The timestamp on the digest. All of its attestations are pending, at URIs that may be asked. */
  readonly timestamp: Timestamp;
}

export interface CalendarFailure {
  readonly calendar: string;
  readonly code: FaultCode;
  readonly reason: string;
}

export interface AskOptions {
  /** Addresses of the pool that are left out this time. */
  readonly except?: ReadonlySet<string>;
  /** Aborts what is under way, which then counts as failed. */
  readonly signal?: AbortSignal;
}

export interface Submission {
  readonly answers: readonly CalendarAnswer[];
  readonly failures: readonly CalendarFailure[];
}

export type Upgrade =
  /** The timestamp on the commitment. All of its attestations are of Bitcoin, but no block is checked yet. */
  | { readonly kind: 'attested'; readonly timestamp: Timestamp }
  /** Not yet; `reason` is the text of the calendar. */
  | { readonly kind: 'pending'; readonly reason: string }
  | { readonly kind: 'failed'; readonly code: FaultCode; readonly reason: string };

/** The longest text of a calendar that is passed on. */
const MAX_REASON = 160;

/**
 * A client of OpenTimestamps calendars. It contacts the addresses of `pool` and `attestors` and no others,
 * whatever an answer contains. No method throws because of a calendar.
 */
export class CalendarClient {
  readonly #options: CalendarOptions;
  readonly #hashes: OtsHashes;
  readonly #pool: readonly string[];
  readonly #attestors: ReadonlySet<string>;
  readonly #holders: ReadonlyMap<string, string>;

  /** Throws `bad_config` for an invalid address. */
  constructor(options: CalendarOptions) {
    this.#options = options;
    this.#hashes = otsHashes(options.sha256);
    this.#pool = [...new Set(options.pool.map(requireAddress))];
    this.#attestors = new Set(options.attestors.map(requireAddress));
    const holders = [...(options.holders ?? [])].map(
      (pair) => pair.map(requireAddress) as [string, string],
    );
    this.#holders = new Map(holders);
  }

  /**
   * Submits a digest (32 bytes) to the whole pool at once. A calendar has failed if its answer contains an
   * attestation with a URI that may not be asked or by another calendar, or one that is not pending: no block
   * can attest to a digest that was not known until now.
   */
  async submit(digest: Uint8Array, options: AskOptions = {}): Promise<Submission> {
    requireLength(digest, 32, 'digest');
    const pool = this.#pool.filter((calendar) => options.except?.has(calendar) !== true);
    const all = await Promise.all(
      pool.map((calendar) => this.#submitTo(calendar, digest, options.signal)),
    );
    return {
      answers: all.filter((each) => 'timestamp' in each),
      failures: all.filter((each) => 'code' in each),
    };
  }

  /** Whether the URI of a pending attestation may be asked. */
  isAttestor(uri: string): boolean {
    return this.#attestors.has(withoutSlash(uri));
  }

  /** Whether an address of the pool may answer with the URI of a pending attestation. */
  isHolder(calendar: string, uri: string): boolean {
    const holder = this.#holders.get(withoutSlash(calendar));
    return holder === undefined || holder === withoutSlash(uri);
  }

  /**
   * Asks the calendar of a pending attestation for its proof. Attestations of other kinds than Bitcoin's are
   * dropped, because nothing here can check them. A pending attestation with a URI that may not be asked fails
   * the answer.
   */
  async upgrade(uri: string, commitment: Uint8Array, signal?: AbortSignal): Promise<Upgrade> {
    if (!this.isAttestor(uri)) {
      return { kind: 'failed', code: 'refused', reason: 'not a calendar that may be asked' };
    }
    try {
      const url = `${withoutSlash(uri)}/timestamp/${formatHex(commitment)}`;
      const response = await this.#ask({ method: 'GET', url }, signal);
      if (response.status === 404) return notYet(response.body);
      const timestamp = this.#read(response, commitment, (attestation) =>
        attestation.kind === 'pending' ? this.isAttestor(attestation.uri) : true,
      );
      const attested = prune(timestamp, ({ kind }) => kind === 'bitcoin');
      if (attested !== undefined) return { kind: 'attested', timestamp: attested };
      throw new Fault('refused', 'calendar', { expected: 'a Bitcoin attestation', found: 'none' });
    } catch (error) {
      return { kind: 'failed', ...failureOf(error) };
    }
  }

  async #submitTo(
    calendar: string,
    digest: Uint8Array,
    signal: AbortSignal | undefined,
  ): Promise<CalendarAnswer | CalendarFailure> {
    try {
      const request = { method: 'POST', url: `${calendar}/digest`, body: digest } as const;
      const response = await this.#ask(request, signal);
      const allowed = (each: Attestation) =>
        each.kind === 'pending' && this.isAttestor(each.uri) && this.isHolder(calendar, each.uri);
      return { calendar, timestamp: this.#read(response, digest, allowed) };
    } catch (error) {
      return { calendar, ...failureOf(error) };
    }
  }

  #ask(
    request: Omit<Parameters<CalendarFetch>[0], 'signal'>,
    outer: AbortSignal | undefined,
  ): Promise<CalendarResponse> {
    const { fetch, timeoutMs } = this.#options;
    return withDeadline(timeoutMs, 'calendar', (signal) => fetch({ ...request, signal }), outer);
  }

  /** The timestamp on `message` in an answer. Throws a Fault. */
  #read(
    { status, body }: CalendarResponse,
    message: Uint8Array,
    allowed: (attestation: Attestation) => boolean,
  ): Timestamp {
    if (status !== 200) throw new Fault('refused', 'calendar', { found: `status ${status}` });
    if (body.length > MAX_CALENDAR_BYTES) throw new Fault('too_large', 'calendar');
    const timestamp = parseTimestamp(body, message.length);
    for (const { attestation } of evaluate(timestamp, message, this.#hashes)) {
      if (!allowed(attestation)) {
        throw new Fault('refused', 'calendar', { found: attestationText(attestation) });
      }
    }
    return timestamp;
  }
}

/** An address without a slash at its end. Two that differ only in that are the same. */
export function withoutSlash(address: string): string {
  return address.endsWith('/') ? address.slice(0, -1) : address;
}

/** Throws `bad_config` unless `address` is that of an HTTP folder, without user, query and fragment. */
function requireAddress(address: string): string {
  const bare = withoutSlash(address);
  if (
    /^https?:\/\/[A-Za-z0-9.-]+(:[0-9]+)?(\/[A-Za-z0-9._-]+)*$/.test(bare) &&
    URL.canParse(bare)
  ) {
    return bare;
  }
  throw new Fault('bad_config', 'calendar', {
    expected: 'an address such as https://host or https://host/path',
    // These may contain a password or a token, and appear in no message.
    found: /[@?#]/.test(address)
      ? 'one with a user, a query or a fragment'
      : JSON.stringify(address),
  });
}

/** Distinguishes a 404 for an attestation that is still to come from one for something unknown. */
function notYet(body: Uint8Array): Upgrade {
  const text = textOf(body);
  if (/^(Pending|Timestamped)\b/.test(text)) return { kind: 'pending', reason: text };
  const reason = text === '' ? 'status 404' : `status 404: ${text}`;
  return { kind: 'failed', code: 'not_found', reason };
}

/** The text of a calendar without characters that could be mistaken for something else in a log or a page. */
function textOf(body: Uint8Array): string {
  const text = Buffer.from(body.subarray(0, MAX_REASON)).toString('latin1').trim();
  return text.replaceAll(/[^A-Za-z0-9#.,; -]/g, '_');
}

function attestationText(attestation: Attestation): string {
  if (attestation.kind === 'pending') return 'a pending attestation by another calendar';
  if (attestation.kind === 'unknown') return 'an attestation of an unknown kind';
  return `an attestation of ${attestation.kind}`;
}

/** Only the message of a Fault, because the message of another error may quote an address. */
function failureOf(error: unknown): { readonly code: FaultCode; readonly reason: string } {
  const code = faultCode(error);
  if (code === undefined) return { code: 'unreachable', reason: 'calendar: no answer' };
  return { code, reason: messageOf(error) };
}
