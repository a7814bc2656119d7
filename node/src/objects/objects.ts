import { faultCode, messageOf } from '@assay/core/fault';
import type { Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import type { Clock } from '../platform/clock.ts';
import { BucketCopy, type BucketParts } from './bucket-copy.ts';

/** The pause after a failure in seconds: 5, 10, and so on. */
const FIRST_WAIT_S = 5;
const LONGEST_WAIT_S = 300;
/** Seconds after which a bucket that lacks nothing is looked at: its checkpoint may gain lines of witnesses. */
const IDLE_S = 60;

export interface ObjectsSettings {
  /** Seconds between the end of one copy and the begin of the next. */
  readonly everyS: number;
  /** Seconds after which a bucket that is behind is `degraded`. */
  readonly behindAfterS: number;
}

export interface ObjectsEvents {
  readonly onAdvanced: (size: number, written: number) => void;
  readonly onError: (code: string, reason: string) => void;
}

/** What is known of the bucket, for metrics. */
export interface ObjectsFigures {
  /** Entries that the bucket's checkpoint covers; undefined before it was read. */
  readonly size: number | undefined;
  /** Published entries that the bucket lacks, as far as is known. */
  readonly behind: number;
  /** Seconds for which it has lacked some; 0 if it lacks none. */
  readonly behindS: number;
  /** Objects that were written since the start. */
  readonly written: number;
  /** Failures since the start, by their code. */
  readonly errors: ReadonlyMap<string, number>;
  readonly stopped: boolean;
}

/**
 * Codes after which nothing more is written until somebody has looked: the store is none that a log can be kept in, or
 * the bucket holds what this log has not.
 */
const FINAL: Readonly<Record<string, string>> = {
  objects_unsafe: 'the object store does not keep the conditions of writes',
  objects_ahead: 'the bucket has a larger checkpoint of this log than was published here',
  objects_differ: 'the bucket has other bytes than this log in the place of what never changes',
};

/** Keeps a bucket up to date, beside publication, which never waits for it. */
export class Objects implements Service {
  /** Whoever writes blobs through to the bucket must be able to do so until it has ended. */
  readonly stops = 'after';
  readonly #copy: BucketCopy;
  readonly #record: BucketParts['record'];
  readonly #settings: ObjectsSettings;
  readonly #events: ObjectsEvents;
  readonly #elapsed: Clock;
  readonly #close: () => void;
  readonly #errors = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #started = false;
  #isStopped = false;
  #failures = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  /** When the last copy ended. */
  #ended = Number.NEGATIVE_INFINITY;
  #final: string | undefined;
  #lastCode: string | undefined;
  #size: number | undefined;
  #written = 0;
  /** Since when the bucket has lacked something that is published. */
  #behindSince: number | undefined;

  /** `elapsed` counts seconds without steps. `close` ends requests that are under way. */
  constructor(
    parts: BucketParts,
    settings: ObjectsSettings,
    events: ObjectsEvents,
    { elapsed, close }: { readonly elapsed: Clock; readonly close: () => void },
  ) {
    this.#copy = new BucketCopy(parts);
    this.#record = parts.record;
    this.#settings = settings;
    this.#events = events;
    this.#elapsed = elapsed;
    this.#close = close;
  }

  start(): void {
    this.#started = true;
    this.#schedule();
  }

  /** Takes notice that more is published. */
  readonly published = (): void => {
    if (this.#isCurrent()) return;
    this.#behindSince ??= this.#elapsed();
    this.#schedule();
  };

  /** Copies once what is published, after a copy that is under way. Never throws: a failure is reported. */
  async copy(): Promise<void> {
    await this.#running;
    this.#running = this.#try().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#close();
    await this.#running;
  }

  concerns(): readonly Concern[] {
    if (this.#final !== undefined) {
      return [
        {
          level: 'degraded',
          reason: `Nothing is copied to the object store any more: ${this.#final}.`,
        },
      ];
    }
    const { behind, behindS, size } = this.figures;
    if (behindS <= this.#settings.behindAfterS) return [];
    const cause =
      this.#lastCode === undefined ? '' : `, and the last try ended with ${this.#lastCode}`;
    const reason =
      size === undefined
        ? `The object store could not be read for ${Math.floor(behindS)} seconds${cause}.`
        : `The object store lacks ${behind} published entries, for ${Math.floor(behindS)} seconds${cause}.`;
    return [{ level: 'degraded', reason }];
  }

  get figures(): ObjectsFigures {
    const since = this.#behindSince;
    return {
      size: this.#size,
      behind: Math.max(0, (this.#record.published?.size ?? 0) - (this.#size ?? 0)),
      behindS: since === undefined ? 0 : Math.max(0, this.#elapsed() - since),
      written: this.#written,
      errors: this.#errors,
      stopped: this.#final !== undefined,
    };
  }

  #isCurrent(): boolean {
    return this.#size !== undefined && this.#size === this.#record.published?.size;
  }

  /** Sees to it that a copy begins when its time has come; a later call moves that time. */
  #schedule(): void {
    if (!this.#started || this.#isStopped || this.#final !== undefined) return;
    if (this.#running !== undefined) return;
    clearTimeout(this.#timer);
    const { everyS } = this.#settings;
    const pauseS = this.#isCurrent() ? Math.max(IDLE_S, everyS) : everyS;
    const at = Math.max(this.#notBefore, this.#ended + pauseS);
    this.#timer = setTimeout(
      () => {
        void this.copy().then(() => this.#schedule());
      },
      Math.max(0, at - this.#elapsed()) * 1000,
    );
  }

  async #try(): Promise<void> {
    if (this.#final !== undefined || this.#isStopped) return;
    try {
      const done = await this.#copy.advance();
      this.#failures = 0;
      this.#lastCode = undefined;
      if (done === undefined) return;
      this.#size = done.size;
      this.#written += done.written;
      this.#behindSince = this.#isCurrent() ? undefined : this.#elapsed();
      if (done.written > 0) this.#events.onAdvanced(done.size, done.written);
    } catch (error) {
      if (this.#isStopped) return;
      this.#fail(error);
    } finally {
      this.#ended = this.#elapsed();
    }
  }

  #fail(error: unknown): void {
    const code = faultCode(error) ?? 'unexpected';
    this.#failures += 1;
    this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1);
    this.#lastCode = code;
    this.#behindSince ??= this.#elapsed();
    const wait = Math.min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (this.#failures - 1));
    this.#notBefore = this.#elapsed() + wait;
    this.#final = Object.hasOwn(FINAL, code) ? FINAL[code] : undefined;
    this.#events.onError(code, messageOf(error));
  }
}
