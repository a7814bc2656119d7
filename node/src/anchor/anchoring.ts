import { setMaxListeners } from 'node:events';
import { messageOf } from '@assay/core/fault';
import type { AnchorQuestions, Concern } from '../api/concern.ts';
import type { FollowerConcern } from '../bitcoin/header-follower.ts';
import type { StampStanding } from '../metrics.ts';
import { Turns } from '../turns.ts';
import type { AnchorEvents, AnchorParts } from './anchor-parts.ts';
import { Beacons } from './beacons.ts';
import { Stamper } from './stamper.ts';
import { untilAborted } from './until-aborted.ts';
import { Upgrader } from './upgrader.ts';

/** Seconds of the node's clock between two questions to the sources of headers: blocks take minutes. */
const HEADERS_EVERY_S = 60;

/**
 * Stamps what the log has, follows the stamps into Bitcoin, and writes beacons; again and again, apart
 * from the rounds, which wait for no calendar.
 */
export class Anchoring {
  readonly #parts: AnchorParts;
  readonly #events: AnchorEvents;
  readonly #beacons: Beacons;
  readonly #stamper: Stamper;
  readonly #upgrader: Upgrader;
  readonly #everyMs: number;
  /** One look at a time. */
  readonly #turns = new Turns(1);
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #started = false;
  /** When the sources of headers were last asked. */
  #asked = Number.NEGATIVE_INFINITY;

  /** Looks `everyMs` after the end of each look. */
  constructor(parts: AnchorParts, everyMs: number, events: AnchorEvents) {
    this.#parts = parts;
    this.#everyMs = everyMs;
    this.#events = {
      ...events,
      onStamped: (batch, calendars) => {
        this.#upgrader.added(batch);
        events.onStamped(batch, calendars);
      },
    };
    const { signal } = this.#stop;
    // Each question that is under way listens to it, and no longer.
    setMaxListeners(0, signal);
    this.#beacons = new Beacons(parts, this.#events);
    this.#stamper = new Stamper(parts, this.#events, signal);
    this.#upgrader = new Upgrader(parts, this.#events, signal);
  }

  /** Looks at once, then again and again. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    void this.#again();
  }

  /** One look at everything that is due, after the one under way. Never throws: a failure is told. */
  look(): Promise<void> {
    return this.#turns.take(async () => {
      await this.#try('headers', () => this.#follow());
      await this.#try('beacon', () => this.#beacons.look());
      await this.#try('stamp', () => this.#stamper.look());
      await this.#try('upgrade', () => this.#upgrader.look());
    });
  }

  /** Gives up what is under way with calendars and waits for the look to end; none follows. */
  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#turns.take(() => Promise.resolve());
  }

  get standing(): StampStanding {
    const { pending, attestedHeight } = this.#upgrader;
    return { pending, attestedHeight };
  }

  /** Whom it asks about the batches that wait. */
  get questions(): AnchorQuestions {
    return {
      open: () => this.#upgrader.open,
      asked: (row) => this.#upgrader.asked(row),
    };
  }

  /** What is wrong with the headers and with the stamps that are to be followed, for readers. */
  concerns(): readonly Concern[] {
    return [...this.#headerConcerns(), ...this.#upgrader.concerns()];
  }

  #headerConcerns(): readonly Concern[] {
    const { headers } = this.#parts;
    const found = headers?.concerns ?? [];
    // One source of several that fails takes nothing away.
    const serious = headers?.tip === undefined ? found : found.filter(isDisagreement);
    return serious.map(({ detail }) => ({
      level: 'degraded',
      reason: `Bitcoin headers: ${detail}.`,
    }));
  }

  async #again(): Promise<void> {
    await this.look();
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => void this.#again(), this.#everyMs);
  }

  async #follow(): Promise<void> {
    const { headers, now } = this.#parts;
    const since = now() - this.#asked;
    if (headers === undefined) return;
    if (headers.tip !== undefined && since >= 0 && since < HEADERS_EVERY_S) return;
    this.#asked = now();
    // What comes too late for a stop changes nothing but what is known of the chain.
    await untilAborted(this.#stop.signal, headers.refresh());
  }

  async #try(what: string, work: () => Promise<void>): Promise<void> {
    if (this.#stop.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#events.onTrouble(what, messageOf(error));
    }
  }
}

function isDisagreement({ kind }: FollowerConcern): boolean {
  return kind === 'disagreement';
}
