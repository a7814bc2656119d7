import { BYTES_TYPE, NO_STORE, stream } from '../http/reply.ts';
import type { ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import type { EventHub } from '../stream/event-hub.ts';
import { FILLER, type FollowFrame, formatFrame } from './follow-frame.ts';
import type { WriterState } from './writer-state.ts';

/** Where a publisher is followed, at its address for readers alone. */
export const FOLLOW_PATH = '/follow';

/** Milliseconds between two states, and after which new lines of witnesses are sent. */
const STATE_MS = 1000;
/** More new entries than this are not sent in a frame. */
const MOST_ENTRIES = 1024;
/** Nor more bytes of them. */
const MOST_BYTES = 8 * 1024 * 1024;

export interface FollowParts {
  readonly record: Pick<LogRecord, 'published'>;
  /** Entries of the published log. */
  readonly entries: (start: number, end: number) => AsyncIterable<Uint8Array>;
  readonly events: Pick<EventHub, 'onPublished' | 'onTick'>;
  readonly state: () => WriterState;
}

/** One reader that follows. */
class Follower {
  readonly #parts: FollowParts;
  readonly #ticks = new Map<string, object>();
  /** The entries that it has, or was told to fetch. */
  #size: number;
  #note: Uint8Array | undefined;
  #stateAt = 0;
  #wake: (() => void) | undefined;
  #left = false;

  constructor(parts: FollowParts, size: number) {
    this.#parts = parts;
    this.#size = size;
  }

  readonly wake = (): void => this.#wake?.();

  readonly leave = (): void => {
    this.#left = true;
    this.wake();
  };

  tick(of: string, data: object): void {
    this.#ticks.set(of, data);
    this.wake();
  }

  async *frames(): AsyncGenerator<Uint8Array> {
    while (!this.#left) {
      const frame = (await this.#newHead()) ?? this.#newTick() ?? this.#newState();
      if (frame === undefined) await this.#woken();
      else yield formatFrame(frame);
    }
  }

  async #newHead(): Promise<FollowFrame | undefined> {
    const { published } = this.#parts.record;
    if (published === undefined || published.note === this.#note) return undefined;
    const { size, note } = published;
    // Lines of witnesses that are renewed need not be known at once.
    if (size === this.#size && this.#note !== undefined && !this.#isTime()) return undefined;
    const start = this.#size;
    const entries = start > size ? undefined : await this.#entries(start, size);
    this.#note = note;
    this.#size = size;
    return entries === undefined ? { kind: 'far', size } : { kind: 'head', note, start, entries };
  }

  /** Undefined where there are more than one frame is for. */
  async #entries(start: number, end: number): Promise<readonly Uint8Array[] | undefined> {
    if (end - start > MOST_ENTRIES) return undefined;
    const found: Uint8Array[] = [];
    if (start === end) return found;
    let bytes = 0;
    for await (const entry of this.#parts.entries(start, end)) {
      found.push(entry);
      bytes += entry.length;
      if (bytes > MOST_BYTES) return undefined;
    }
    return found;
  }

  #newTick(): FollowFrame | undefined {
    for (const [of, data] of this.#ticks) {
      this.#ticks.delete(of);
      return { kind: 'tick', of, data };
    }
    return undefined;
  }

  #newState(): FollowFrame | undefined {
    if (!this.#isTime()) return undefined;
    this.#stateAt = performance.now();
    return { kind: 'state', state: this.#parts.state() };
  }

  #isTime(): boolean {
    return performance.now() - this.#stateAt >= STATE_MS;
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake(), STATE_MS / 4);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

/** The readers that follow a publisher, and the route at which they do. */
export class Followers {
  readonly #parts: FollowParts;
  readonly #all = new Set<Follower>();
  #stopped = false;

  constructor(parts: FollowParts) {
    this.#parts = parts;
    parts.events.onPublished(() => {
      for (const each of this.#all) each.wake();
    });
    parts.events.onTick((of, data) => {
      for (const each of this.#all) each.tick(of, data);
    });
  }

  /** How many follow now. */
  get count(): number {
    return this.#all.size;
  }

  /** Ends all streams, so that a server which closes need not wait for them. */
  stop(): void {
    this.#stopped = true;
    for (const each of this.#all) each.leave();
  }

  /** `GET /follow?from=SIZE`: the frames of what is new after so many entries, without an end. */
  route(): Route {
    return route(
      'GET',
      FOLLOW_PATH,
      (request) =>
        stream(BYTES_TYPE, this.#open(request), { cacheControl: NO_STORE, filler: FILLER }),
      { unversioned: true, budget: 'log', isPage: true },
    );
  }

  async *#open({ query, signal }: ApiRequest): AsyncGenerator<Uint8Array> {
    const from = Number(new URLSearchParams(query).get('from'));
    const follower = new Follower(this.#parts, Number.isSafeInteger(from) && from > 0 ? from : 0);
    signal.addEventListener('abort', follower.leave, { once: true });
    this.#all.add(follower);
    try {
      if (!this.#stopped) yield* follower.frames();
    } finally {
      this.#all.delete(follower);
      signal.removeEventListener('abort', follower.leave);
    }
  }
}
