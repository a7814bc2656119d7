import { formatUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import { type HashHex, hashHex, leafHash } from '@assay/core/hash/hash';
import { type Entry, parseEntry } from '@assay/core/log/entry';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { isObject } from '@assay/core/wire/schema';
import { EventConnection, type OpenStream } from './event-connection.ts';
import type { EventMessage } from './event-message.ts';
import {
  type EventQuery,
  formatEventId,
  isSelective,
  startOf,
  streamQuery,
} from './event-query.ts';
import { parseJson } from './log-answer.ts';
import type { AcceptedHead } from './pinned-head.ts';
import { ProvenLeaves } from './proven-leaves.ts';
import { type ClientParts, includedEntry, newestHead, tilesOf } from './proven-log.ts';
import { refusal, type Refusal, refusedFor, staleHead } from './refusal.ts';
import { StoppableValues } from './stoppable-values.ts';
import { pause, type StopSignal, web } from './web.ts';

/** An entry that is in the log, as the pinned head shows. */
export interface ProvenEvent {
  readonly ok: true;
  readonly seq: number;
  /** What `after` takes. */
  readonly id: string;
  readonly kind: string;
  /** The time that the entry claims. */
  readonly at: TimeText;
  /** The leaf hash (RFC 6962), hex. */
  readonly leafHash: HashHex;
  readonly entry: Entry;
  /** The exact bytes of the entry. */
  readonly bytes: Uint8Array;
}

export type EventAnswer = ProvenEvent | Refusal;

const MAX_SILENCE_S = 120;
/** How often a head is asked for that covers an entry of the stream, and the milliseconds between. */
const HEAD_TRIES = 5;
const HEAD_PAUSE_MS = 500;

/** Where the stream is, and what opens it. */
export interface EventServer {
  /** The server, without a slash at the end. */
  readonly base: string;
  readonly fetch: OpenStream;
}

/**
 * The entries of a log as they are published, each proven to be in a head that continues the pinned one. Without
 * `tickers` and `symbols` none is left out: another one than the next is refused, and so is one that a head covers and that
 * does not come. A refusal is the last that comes.
 * Throws `malformed` for a query that is none.
 */
export function provenEvents(
  parts: ClientParts,
  server: EventServer,
  query: EventQuery,
): AsyncIterableIterator<EventAnswer> {
  return new StoppableValues(query.signal, (signal) => eventsOf(parts, server, query, signal));
}

async function* eventsOf(
  parts: ClientParts,
  { base, fetch }: EventServer,
  query: EventQuery,
  signal: StopSignal,
): AsyncGenerator<EventAnswer, void> {
  const { maxSilenceS = MAX_SILENCE_S } = query;
  const maxSilenceMs = maxSilenceS * 1000;
  const reading = new EventReading(parts, { ...query, signal }, maxSilenceMs);
  try {
    const refused = await reading.start();
    if (refused !== undefined) {
      parts.files.clear();
      yield refused;
      return;
    }
    const connection = new EventConnection({
      base,
      fetch,
      signal,
      maxSilenceMs,
      query: () => reading.query(),
    });
    for await (const message of connection.messages()) {
      const answer = await reading.read(message);
      if (answer === undefined) continue;
      if (answer.ok) {
        yield answer;
        continue;
      }
      parts.files.clear();
      yield answer;
      return;
    }
  } catch (error) {
    parts.files.clear();
    yield refusedFor(error);
  }
}

/** Where a reader of the stream is, and what it holds each event against. */
class EventReading {
  readonly #parts: ClientParts;
  readonly #query: EventQuery;
  readonly #maxSilenceMs: number;
  readonly #leaves: ProvenLeaves;
  readonly #after: ReturnType<typeof startOf>;
  #head: AcceptedHead | undefined;
  /** The entry that comes next, or the first that may come where the server leaves out others. */
  #next = 0;
  #lastId: string | undefined;
  /** When the newest entry that was seen was written, in Unix seconds. */
  #newest = 0;
  /** Since when the server sends something, but no entry; or since when it has not been asked for its head meanwhile. */
  #idleSince: number | undefined;

  constructor(parts: ClientParts, query: EventQuery, maxSilenceMs: number) {
    this.#parts = parts;
    this.#query = query;
    this.#maxSilenceMs = maxSilenceMs;
    this.#leaves = new ProvenLeaves(tilesOf(parts.files), parts.environment.sha256);
    this.#after = startOf(query);
  }

  /** Pins the server's head, and finds the place in its log; a refusal where it is not that of the query. */
  async start(): Promise<Refusal | undefined> {
    const refused = await this.#freshHead();
    if (refused !== undefined) return refused;
    const { size } = (this.#head as AcceptedHead).checkpoint;
    const { from } = this.#query;
    if (from !== undefined && from > size) {
      return refusal('out_of_range', `the log has ${size} entries, and none of the number ${from}`);
    }
    this.#next = from ?? size;
    if (this.#after === undefined) return undefined;
    const { seq, digits } = this.#after;
    const other = `the log of ${size} entries has no entry ${seq} whose leaf hash begins with ${digits}`;
    if (seq >= size) return refusal('history_changed', other);
    const { leaf } = await includedEntry(this.#parts, this.#head as AcceptedHead, seq);
    if (!hashHex(leaf).startsWith(digits)) return refusal('history_changed', other);
    this.#next = seq + 1;
    this.#lastId = formatEventId(seq, hashHex(leaf));
    return undefined;
  }

  /** The query of a connection that goes on here. */
  query(): string {
    const place = this.#lastId === undefined ? { from: this.#next } : { after: this.#lastId };
    return streamQuery(this.#query, place);
  }

  /** What an event brings: a proven entry, a refusal, or nothing that was asked for. */
  async read({ event, data, id }: EventMessage): Promise<EventAnswer | undefined> {
    if (event === '') return await this.#idle();
    // Events of entries have the names of kinds, all of which have a version.
    if (!event.includes('/')) {
      if (isSelective(this.#query) && id !== undefined) this.#lastId = id;
      return await this.#idle();
    }
    this.#idleSince = undefined;
    const { sha256 } = this.#parts.environment;
    const bytes = entryIn(data);
    const entry = parseEntry(bytes);
    const { seq, kind, at } = entry;
    const leaf = leafHash(sha256, bytes);
    const refused = this.#misplaced(seq) ?? (await this.#coverHead(seq));
    if (refused !== undefined) return refused;
    await this.#leaves.check(leaf, seq, (this.#head as AcceptedHead).checkpoint);
    const leafHex = hashHex(leaf);
    this.#next = seq + 1;
    this.#lastId = formatEventId(seq, leafHex);
    this.#newest = Math.max(this.#newest, parseTime(at));
    const { kinds } = this.#query;
    if (kinds !== undefined && !kinds.includes(kind.slice(0, kind.indexOf('/')))) return undefined;
    return { ok: true, seq, id: this.#lastId, kind, at, leafHash: leafHex, entry, bytes };
  }

  #misplaced(seq: number): Refusal | undefined {
    const why = `expected entry ${this.#next}, found entry ${seq}`;
    if (seq < this.#next) return refusal('entry_out_of_order', why);
    const isLeftOut = seq > this.#next && !isSelective(this.#query);
    return isLeftOut ? refusal('entry_missing', why) : undefined;
  }

  /**
   * After a message that brings no entry. Where none has come for long, the newest head is asked for. Entries that it
   * covers and that do not come either until it is so again are kept back.
   */
  async #idle(): Promise<Refusal | undefined> {
    const now = web.performance.now();
    this.#idleSince ??= now;
    if (now - this.#idleSince < this.#maxSilenceMs) {
      return this.#isOld() ? await this.#freshHead() : undefined;
    }
    const size = this.#head?.checkpoint.size ?? 0;
    if (this.#next < size && !isSelective(this.#query)) {
      const why = `the stream does not bring entry ${this.#next}, though the log has ${size} entries`;
      return refusal('entry_missing', why);
    }
    this.#idleSince = now;
    return await this.#freshHead();
  }

  /** Pins a head that covers an entry. */
  async #coverHead(seq: number): Promise<Refusal | undefined> {
    for (let tries = 0; tries < HEAD_TRIES; tries += 1) {
      if (this.#head !== undefined && seq < this.#head.checkpoint.size) return undefined;
      if (tries > 1) await pause(HEAD_PAUSE_MS, this.#query.signal);
      const head = await newestHead(this.#parts);
      if ('ok' in head) return head;
      this.#head = head;
    }
    const size = this.#head?.checkpoint.size ?? 0;
    if (seq < size) return undefined;
    return refusal('not_found', `no signed head covers entry ${seq}: the newest has ${size}`);
  }

  /** Pins the newest head, whose last entry must not be too old in a production log. */
  async #freshHead(): Promise<Refusal | undefined> {
    const head = await newestHead(this.#parts);
    if ('ok' in head) return head;
    this.#head = head;
    const { size } = head.checkpoint;
    const { entry } = await includedEntry(this.#parts, head, size - 1);
    this.#newest = parseTime(entry.at);
    return this.#isOld() ? staleHead(this.#parts.maxAgeS) : undefined;
  }

  #isOld(): boolean {
    const { now, maxAgeS } = this.#parts;
    return this.#head?.genesis.network === 'production' && this.#newest < now() - maxAgeS;
  }
}

/** The bytes of the entry in an event's data. */
function entryIn(data: string): Uint8Array {
  const value = parseJson(formatUtf8(data), '/events');
  const entry = isObject(value) ? value['entry'] : undefined;
  if (typeof entry === 'string') return formatUtf8(entry);
  throw new Fault('malformed', 'event', { at: 'entry', expected: 'the text of an entry' });
}
