import { setMaxListeners } from 'node:events';
import { parseHeader } from '@assay/core/bitcoin/header';
import { messageOf } from '@assay/core/fault';
import { newestBeacon } from '@assay/core/view/beacons';
import type { AnchorQuestions, Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import { Semaphore } from '../platform/semaphore.ts';
import type { AnchorEvents, AnchorParts } from './anchor-parts.ts';
import { Beacons } from './beacons.ts';
import { headerConcerns } from './header-concern.ts';
import { LogBeacons } from './log-beacons.ts';
import { Stamper } from './stamper.ts';
import { untilAborted } from './until-aborted.ts';
import { Upgrader } from './upgrader.ts';

/** How far the stamps have come. */
export interface StampProgress {
  /** Batches for which a calendar still has to answer. */
  readonly pending: number;
  readonly attestedHeight: number | undefined;
  /** Seconds by the node's clock since the time of the newest Bitcoin header that it knows. */
  readonly headerAge: number | undefined;
}

/** Seconds between two requests to the sources of headers. Blocks take minutes. */
const HEADERS_EVERY_S = 60;

/**
 * Stamps the log, follows the stamps into Bitcoin, and writes beacons, again and again. It runs apart from the
 * rounds, which never wait for a calendar. Stamping runs by itself and does not wait for headers.
 */
export class Anchoring implements Service {
  readonly #parts: AnchorParts;
  readonly #events: AnchorEvents;
  readonly #beacons: Beacons;
  readonly #log: LogBeacons;
  readonly #stamper: Stamper;
  readonly #upgrader: Upgrader;
  readonly #everyMs: number;
  /** Each of the two runs one poll at a time. */
  readonly #stamping = new Semaphore(1);
  readonly #following = new Semaphore(1);
  readonly #stop = new AbortController();
  readonly #timers = new Map<Semaphore, NodeJS.Timeout>();
  #started = false;
  /** When the sources of headers were last asked, and when one of them last answered. */
  #asked = Number.NEGATIVE_INFINITY;
  #answered: number;

  /** The next poll begins `everyMs` after the end of each poll. */
  constructor(parts: AnchorParts, everyMs: number, events: AnchorEvents) {
    this.#parts = parts;
    this.#everyMs = everyMs;
    this.#answered = parts.elapsed();
    this.#events = {
      ...events,
      onStamped: (batch, calendars) => {
        this.#upgrader.added(batch);
        events.onStamped(batch, calendars);
      },
    };
    const { signal } = this.#stop;
    // Each request that is under way listens to it, and not longer.
    setMaxListeners(0, signal);
    this.#log = new LogBeacons(parts);
    this.#beacons = new Beacons(parts, this.#events, this.#log);
    this.#stamper = new Stamper(parts, this.#events, signal);
    this.#upgrader = new Upgrader(parts, this.#events, this.#log, signal);
  }

  /** Polls at once, and then again and again. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    void this.#again(this.#stamping, () => this.#stamp());
    void this.#again(this.#following, () => this.#follow());
  }

  /**
   * Does once everything that is due, after the polls that are under way. Never throws: a failure is reported.
   */
  async poll(): Promise<void> {
    await Promise.all([
      this.#stamping.run(() => this.#stamp()),
      this.#following.run(() => this.#follow()),
    ]);
  }

  /** Aborts what is under way with calendars and sources of headers, and waits for the polls to end; no other follows. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#parts.headers?.close();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const semaphore of [this.#stamping, this.#following]) {
      await semaphore.run(() => Promise.resolve());
    }
  }

  get progress(): StampProgress {
    const { headers, now } = this.#parts;
    const { pending, attestedHeight } = this.#upgrader;
    const tip = headers?.tip;
    const headerAge = tip === undefined ? undefined : now() - parseHeader(tip.header).time;
    return { pending, attestedHeight, headerAge };
  }

  /** Whom it asks about the batches that wait. */
  get questions(): AnchorQuestions {
    return {
      open: () => this.#upgrader.open,
      asked: (row) => this.#upgrader.asked(row),
    };
  }

  /** What is wrong with the headers and with the stamps that have to be followed, for readers. */
  concerns(): readonly Concern[] {
    return [...this.#headerConcerns(), ...this.#upgrader.concerns()];
  }

  #headerConcerns(): readonly Concern[] {
    const { headers, ledger, now, elapsed, timing } = this.#parts;
    if (headers === undefined) return [];
    const { agreed: tip, concerns: found, sources } = headers;
    const silentS = elapsed() - this.#answered;
    const beacon = newestBeacon(ledger.shown);
    const lost = this.#log.concerns();
    return headerConcerns({ tip, found, sources, silentS, beacon, lost, now: now() }, timing);
  }

  async #again(semaphore: Semaphore, look: () => Promise<void>): Promise<void> {
    await semaphore.run(look);
    if (this.#stop.signal.aborted) return;
    this.#timers.set(
      semaphore,
      setTimeout(() => void this.#again(semaphore, look), this.#everyMs),
    );
  }

  #stamp(): Promise<void> {
    return this.#try('stamp', () => this.#stamper.poll());
  }

  async #follow(): Promise<void> {
    await this.#try('headers', () => this.#refresh());
    await this.#try('beacon', () => this.#beacons.poll());
    await this.#try('upgrade', () => this.#upgrader.poll());
  }

  async #refresh(): Promise<void> {
    const { headers, elapsed } = this.#parts;
    if (headers === undefined) return;
    if (headers.tip !== undefined && elapsed() - this.#asked < HEADERS_EVERY_S) return;
    this.#asked = elapsed();
    // What arrives after a stop changes only what is known of the chain.
    const { answered } = await untilAborted(this.#stop.signal, headers.refresh());
    if (answered > 0) this.#answered = elapsed();
  }

  async #try(what: string, work: () => Promise<void>): Promise<void> {
    if (this.#stop.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#events.onError(what, messageOf(error));
    }
  }
}
