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
  /** Addresses to submit to. */
  readonly pool: readonly string[];
  /** URIs of pending attestations that may be asked. */
  readonly attestors: readonly string[];
  /**
   * The one calendar that is believed to hold what an address of the pool has answered: whoever answers
   * must not speak for another, who may never have seen the digest. Any of `attestors` without.
   */
  readonly holders?: ReadonlyMap<string, string>;
  /** Milliseconds of one exchange, from the connection to the last byte. */
  readonly timeoutMs: number;
  readonly sha256: Sha256;
}

/** What a calendar made of a digest. */
export interface CalendarAnswer {
  /** As the pool writes it, without a slash at the end. */
  readonly calendar: string;
  /** On the digest; all of its attestations are pending, at URIs that may be asked. */
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
  /** Ends what is under way as a failure. */
  readonly signal?: AbortSignal;
}

export interface Submission {
  readonly answers: readonly CalendarAnswer[];
  readonly failures: readonly CalendarFailure[];
}

export type Upgrade =
  /** On the commitment; all of its attestations are Bitcoin's. No block is checked yet. */
  | { readonly kind: 'attested'; readonly timestamp: Timestamp }
  /** Not yet; `reason` in the calendar's words. */
  | { readonly kind: 'pending'; readonly reason: string }
  | { readonly kind: 'failed'; readonly code: FaultCode; readonly reason: string };

/** Longest text of a calendar that is handed on. */
const MAX_REASON = 160;

/**
 * Asks OpenTimestamps calendars. It contacts the addresses of `pool` and `attestors` and no others,
 * whatever an answer says. No method throws for what a calendar does.
 */
export class CalendarClient {
  readonly #options: CalendarOptions;
  readonly #hashes: OtsHashes;
  readonly #pool: readonly string[];
  readonly #attestors: ReadonlySet<string>;
  readonly #holders: ReadonlyMap<string, string>;

  /** Throws `bad_config` for an address that is not one. */
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
   * Submits a digest (32 bytes) to the whole pool at once. A calendar whose answer holds an attestation
   * by a URI that may not be asked, or by another calendar than its own, or one that is not pending, has failed: a block cannot attest to a
   * digest that was not known until now, and whoever answers so is not a calendar.
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

  /** Whether a pending attestation's URI is one that may be asked. */
  isAttestor(uri: string): boolean {
    return this.#attestors.has(withoutSlash(uri));
  }

  /** Whether a pending attestation's URI is one that an address of the pool may answer with. */
  isHolder(calendar: string, uri: string): boolean {
    const holder = this.#holders.get(withoutSlash(calendar));
    return holder === undefined || holder === withoutSlash(uri);
  }

  /**
   * Asks the calendar of a pending attestation for what has become of it. Attestations of other kinds
   * than Bitcoin's are dropped: nothing here can check them. One that is pending at a URI that may not
   * be asked fails the answer.
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

/** An address without a slash at its end; two that differ in that alone are the same. */
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
    // A password or a token stands in these, and goes into no message.
    found: /[@?#]/.test(address)
      ? 'one with a user, a query or a fragment'
      : JSON.stringify(address),
  });
}

/** A 404 that says that the attestation is still to come, or one that says nothing known. */
function notYet(body: Uint8Array): Upgrade {
  const text = textOf(body);
  if (/^(Pending|Timestamped)\b/.test(text)) return { kind: 'pending', reason: text };
  const reason = text === '' ? 'status 404' : `status 404: ${text}`;
  return { kind: 'failed', code: 'not_found', reason };
}

/** A calendar's words without what could pass for something else in a log or a page. */
function textOf(body: Uint8Array): string {
  const text = Buffer.from(body.subarray(0, MAX_REASON)).toString('latin1').trim();
  return text.replaceAll(/[^A-Za-z0-9#.,; -]/g, '_');
}

function attestationText(attestation: Attestation): string {
  if (attestation.kind === 'pending') return 'a pending attestation by another calendar';
  if (attestation.kind === 'unknown') return 'an attestation of an unknown kind';
  return `an attestation of ${attestation.kind}`;
}

/** Only a Fault's words: those of another error may quote an address. */
function failureOf(error: unknown): { readonly code: FaultCode; readonly reason: string } {
  const code = faultCode(error);
  if (code === undefined) return { code: 'unreachable', reason: 'calendar: no answer' };
  return { code, reason: messageOf(error) };
}
