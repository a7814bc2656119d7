import type { ChangedTables } from '../ledger/record.ts';
import { setImmediate } from 'node:timers/promises';
import type { Service } from '../health/services.ts';
import type { EntryFrame, EntryFrames } from './entry-frames.ts';

/** Which entries a reader gets. */
export interface EventFilter {
  /** Nouns of kinds, such as `report`; null for all. */
  readonly kinds: readonly string[] | null;
  /** Of what is about an index or an asset, only these; with either list, nothing else. Null for both: all. */
  readonly tickers: readonly string[] | null;
  readonly symbols: readonly string[] | null;
  /** Whether live scores are wanted, too. */
  readonly ticks: boolean;
}

export interface EventHubOptions {
  readonly maxClients?: number;
  readonly maxOfAddress?: number;
  /** Milliseconds after which a reader that has heard nothing is told that the stream goes on. */
  readonly heartbeatMs?: number;
}

/** The readers of all streams together, and those of one address: an IPv4 address, or the /64 of an IPv6 address. */
export const MAX_CLIENTS = 10_000;
export const MAX_OF_ADDRESS = 100;
const HEARTBEAT_MS = 15_000;
/** Entries that are read before a reader is given what there is of them, and the characters after which it is given that at once. */
const BATCH = 64;
const MOST_TEXT = 64 * 1024;
/** The most entries of one publication whose frames are made for all readers. */
const MOST_FRAMED = 256;
/** The readers that are woken in one turn of the event loop: a fraction of a millisecond of writing to sockets. */
const WOKEN_AT_ONCE = 10;
/** Milliseconds after which a reader whose connection was cut is to come back. */
const RETRY_MS = 3000;

/** A reader of a stream. */
interface Client {
  readonly filter: EventFilter;
  /** The next entry to be read for it. */
  next: number;
  /** The newest live event of each class, which replaces one that was not sent yet. */
  readonly live: Map<string, string>;
  ended: boolean;
  wake: (() => void) | undefined;
}

/**
 * The readers of `/events`. Each reads the log at its own pace, and there is no queue beside it: a reader that takes nothing costs the pieces that wait
 * for it in the transport, which ends it after a while, and delays nobody. A publication leaves a mark here and waits for nothing; readers are served in
 * later turns of the event loop, some at a time, so that whatever comes meanwhile, such as the next publication, gets its turn between them.
 */
export class EventHub implements Service {
  readonly stops = 'before';
  readonly #frames: EntryFrames;
  readonly #maxClients: number;
  readonly #maxOfAddress: number;
  readonly #heartbeatMs: number;
  readonly #clients = new Set<Client>();
  readonly #ofAddress = new Map<string, number>();
  readonly #listeners: ((tables: ChangedTables) => void)[] = [];
  readonly #tickListeners: ((of: string, data: object) => void)[] = [];
  #stopped = false;
  /** The first entry that no frame was made of for those at the head. */
  #framed = 0;
  /** There may be something that readers do not know of yet. */
  #isStale = false;
  #isTelling = false;

  constructor(
    frames: EntryFrames,
    {
      maxClients = MAX_CLIENTS,
      maxOfAddress = MAX_OF_ADDRESS,
      heartbeatMs = HEARTBEAT_MS,
    }: EventHubOptions = {},
  ) {
    this.#frames = frames;
    this.#maxClients = maxClients;
    this.#maxOfAddress = maxOfAddress;
    this.#heartbeatMs = heartbeatMs;
  }

  get frames(): EntryFrames {
    return this.#frames;
  }

  /** How many read now. */
  get clients(): number {
    return this.#clients.size;
  }

  /** Why one more reader is not taken; undefined if it is. */
  refusal(address: string): 'full' | 'address_full' | undefined {
    if (this.#stopped || this.#clients.size >= this.#maxClients) return 'full';
    return (this.#ofAddress.get(address) ?? 0) >= this.#maxOfAddress ? 'address_full' : undefined;
  }

  /** Called after each publication, with the tables that changed. */
  readonly published = (_size: number, tables: ChangedTables): void => {
    this.#changed();
    for (const listener of this.#listeners) listener(tables);
  };

  /** Calls `listener` after each publication. */
  onPublished(listener: (tables: ChangedTables) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls `listener` with live scores as they are sent. */
  onTick(listener: (of: string, data: object) => void): void {
    this.#tickListeners.push(listener);
  }

  /** Sends live scores of a class to those who want them. They are no entry, so they have no id and move no reader's place. */
  tick(of: string, data: object): void {
    for (const listener of this.#tickListeners) listener(of, data);
    const text = `event: tick\ndata: ${JSON.stringify(data)}\n\n`;
    for (const client of this.#clients) {
      if (client.filter.ticks) client.live.set(of, text);
    }
    this.#changed();
  }

  /** Ends every stream, so that a server which closes need not wait for them. */
  stop(): void {
    this.#stopped = true;
    for (const client of this.#clients) {
      client.ended = true;
      client.wake?.();
    }
  }

  /** The events from the entry `next` on, until the reader leaves or the service stops. It counts as a reader while it is iterated. */
  async *open(
    address: string,
    next: number,
    filter: EventFilter,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const client: Client = { filter, next, live: new Map(), ended: this.#stopped, wake: undefined };
    const leave = (): void => {
      client.ended = true;
      client.wake?.();
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#clients.add(client);
    this.#ofAddress.set(address, (this.#ofAddress.get(address) ?? 0) + 1);
    try {
      yield `retry: ${RETRY_MS}\n: ${this.#frames.size}\n\n`;
      yield* this.#events(client);
    } finally {
      signal.removeEventListener('abort', leave);
      this.#clients.delete(client);
      const left = (this.#ofAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#ofAddress.delete(address);
      else this.#ofAddress.set(address, left);
    }
  }

  #changed(): void {
    this.#isStale = true;
    if (!this.#isTelling) void this.#tell();
  }

  /** Serves the readers until they know of everything. Whatever changes meanwhile is part of the next pass over them. */
  async #tell(): Promise<void> {
    this.#isTelling = true;
    while (this.#isStale) {
      await setImmediate();
      this.#isStale = false;
      await this.#frameNew();
      await this.#wakeReaders();
    }
    this.#isTelling = false;
  }

  /** Makes the frames of what is new once: each reader would make its own otherwise. */
  async #frameNew(): Promise<void> {
    const { size } = this.#frames;
    if (this.#clients.size > 0) {
      try {
        const from = Math.max(this.#framed, size - MOST_FRAMED);
        for await (const frame of this.#frames.read(from, size)) this.#framed = frame.seq + 1;
      } catch {
        // An entry that cannot be read ends the streams that come to it, and the ledger says so.
      }
    }
    this.#framed = Math.max(this.#framed, size);
  }

  async #wakeReaders(): Promise<void> {
    let woken = 0;
    for (const client of this.#clients) {
      if (client.wake === undefined) continue; // it is not at the head, and comes there by itself
      if (client.next >= this.#frames.size && client.live.size === 0) continue;
      client.wake();
      woken += 1;
      if (woken % WOKEN_AT_ONCE === 0) await setImmediate();
    }
  }

  async *#events(client: Client): AsyncGenerator<string> {
    // The newest entry that was read for it, where that one was not sent: a filter may let nothing through for months.
    let passed: string | undefined;
    for (;;) {
      while (!client.ended && client.next < this.#frames.size) {
        const { text, unsent } = await this.#next(client);
        passed = unsent;
        if (text !== '') yield text;
      }
      if (client.ended) return;
      if (client.live.size > 0) {
        const text = [...client.live.values()].join('');
        client.live.clear();
        yield text;
        continue;
      }
      if (await this.#woken(client)) continue;
      const { size } = this.#frames;
      // It has data because some clients take no id from an event without data, although WHATWG HTML says that they must.
      yield passed === undefined
        ? `: ${size}\n\n`
        : `: ${size}\nid: ${passed}\nevent: position\ndata: {"size":${size}}\n\n`;
      passed = undefined;
    }
  }

  /** What a batch of entries has for a reader, and the id of its last entry if that one is not in it. */
  async #next(client: Client): Promise<{ text: string; unsent: string | undefined }> {
    let text = '';
    let unsent: string | undefined;
    for await (const frame of this.#frames.read(client.next, client.next + BATCH)) {
      client.next = frame.seq + 1;
      const wanted = isWanted(client.filter, frame);
      if (wanted) text += frame.text;
      unsent = wanted ? undefined : frame.id;
      if (text.length > MOST_TEXT || client.ended) break;
    }
    return { text, unsent };
  }

  /** Resolves to true when there may be something new, and to false when a heartbeat is due. */
  #woken(client: Client): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        client.wake = undefined;
        resolve(false);
      }, this.#heartbeatMs);
      client.wake = () => {
        clearTimeout(timer);
        client.wake = undefined;
        resolve(true);
      };
    });
  }
}

function isWanted(
  { kinds, tickers, symbols }: EventFilter,
  { kind, subject }: EntryFrame,
): boolean {
  if (kinds !== null && !kinds.includes(kind.slice(0, kind.indexOf('/')))) return false;
  if (tickers === null && symbols === null) return true;
  return (
    (subject.ticker !== null && (tickers?.includes(subject.ticker) ?? false)) ||
    (subject.symbol !== null && (symbols?.includes(subject.symbol) ?? false))
  );
}
