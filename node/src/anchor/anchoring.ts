import { Fault } from '@assay/core/fault';
import type { Concern } from '../api/concern.ts';
import type { FollowerConcern } from '../bitcoin/header-follower.ts';
import type { AnchorEvents, AnchorParts } from './anchor-parts.ts';
import { Beacons } from './beacons.ts';
import { Stamper } from './stamper.ts';
import { Upgrader } from './upgrader.ts';

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
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

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
    this.#beacons = new Beacons(parts, this.#events);
    this.#stamper = new Stamper(parts, this.#events);
    this.#upgrader = new Upgrader(parts, this.#events);
  }

  /** Looks at once, then again and again. */
  start(): void {
    if (this.#stopped || this.#running !== undefined) return;
    this.#running = this.look().finally(() => {
      this.#running = undefined;
      if (!this.#stopped) this.#timer = setTimeout(() => this.start(), this.#everyMs);
    });
  }

  /** One look at everything that is due. Never throws: a failure is told. */
  async look(): Promise<void> {
    await this.#try('headers', async () => {
      await this.#parts.headers?.refresh();
    });
    await this.#try('beacon', () => this.#beacons.look());
    await this.#try('upgrade', () => this.#upgrader.look());
    await this.#try('stamp', () => this.#stamper.look());
  }

  /** Waits for the look under way to end; none follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** What is wrong with the headers, for readers. */
  concerns(): readonly Concern[] {
    const { headers } = this.#parts;
    const found = headers?.concerns ?? [];
    // One source of several that fails takes nothing away.
    const serious = headers?.tip === undefined ? found : found.filter(isDisagreement);
    return serious.map(({ detail }) => ({
      level: 'degraded',
      reason: `Bitcoin headers: ${detail}.`,
    }));
  }

  async #try(what: string, work: () => Promise<void>): Promise<void> {
    if (this.#stopped) return;
    try {
      await work();
    } catch (error) {
      if (this.#stopped) return;
      this.#events.onTrouble(what, error instanceof Fault ? error.message : 'an error of the node');
    }
  }
}

function isDisagreement({ kind }: FollowerConcern): boolean {
  return kind === 'disagreement';
}
