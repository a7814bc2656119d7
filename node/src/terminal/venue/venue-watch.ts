import { Fault, messageOf } from '@assay/core/fault';
import { DAY_SECONDS, parseTime } from '@assay/core/time/time';
import { assetRows } from '@assay/core/view/assets';
import type { ViewState } from '@assay/core/view/view';
import type { VenueBook } from '../../api/terminal-routes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Source } from '../../source/source.ts';
import type { KeptVenues, VenueStore } from './kept-venues.ts';
import type { CheckedVenues } from './venue-book.ts';
import { checkVenues } from './venue-check.ts';
import type { ListedAssets, Venue } from './venue.ts';

/** Seconds after midnight UTC: 03:00. */
const CHECK_AT_S = 3 * 3600;
/** Milliseconds between two readings of the clock. */
const LOOK_MS = 60_000;

export interface VenueWatchParts {
  readonly venues: readonly Venue[];
  readonly source: Source;
  readonly store: VenueStore;
  readonly book: CheckedVenues;
  readonly now: Clock;
}

/** The events of a watch. */
export interface VenueEvents {
  readonly onChecked: (kept: KeptVenues) => void;
  /** Something could not be read or stored. What is shown stays. */
  readonly onError: (what: string, reason: string) => void;
}

/**
 * Checks the venues each night at 03:00 UTC, and at once if a night was missed or nothing was ever checked.
 * There is no check while no asset is listed. The result of a check is stored across restarts.
 */
export class VenueWatch {
  readonly #parts: VenueWatchParts;
  readonly #events: VenueEvents;
  readonly #abort = new AbortController();
  #kept: KeptVenues | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #ended = false;

  constructor(parts: VenueWatchParts, events: VenueEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** Shows the result of an earlier check. If it cannot be read, that is reported, and a new check is made. */
  async load(): Promise<void> {
    const { store, book } = this.#parts;
    try {
      this.#kept = await store.get();
    } catch (error) {
      this.#events.onError('the stored venues cannot be read', messageOf(error));
    }
    if (this.#kept !== undefined) book.show(this.#kept);
  }

  /** Where the assets trade, as far as it is known now. */
  get book(): VenueBook {
    return this.#parts.book;
  }

  /**
   * Checks at once whether it is time, then a minute after the end of each check. `shown` returns the rows of
   * the log as they are shown then.
   */
  start(shown: () => ViewState): void {
    if (this.#ended || this.#running !== undefined) return;
    this.#running = this.poll(shown()).finally(() => {
      this.#running = undefined;
      if (!this.#ended) this.#timer = setTimeout(() => this.start(shown), LOOK_MS);
    });
  }

  /** Aborts a check under way; no other follows. */
  async stop(): Promise<void> {
    this.#ended = true;
    this.#abort.abort(new Fault('stopped', 'venues'));
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Checks the venues if it is time. Never throws: a failure is reported. */
  async poll(shown: ViewState): Promise<void> {
    const { venues, source, store, book, now } = this.#parts;
    const at = now();
    if (!isDue(this.#kept, at)) return;
    const listed = listedAssets(shown);
    if (listed.all.size === 0) return;
    let kept: KeptVenues;
    try {
      kept = await checkVenues(venues, listed, this.#kept, source, at, this.#abort.signal);
    } catch (error) {
      if (!this.#ended) this.#events.onError('the venues cannot be checked', messageOf(error));
      return;
    }
    this.#kept = kept;
    book.show(kept);
    this.#events.onChecked(kept);
    try {
      await store.set(kept);
    } catch (error) {
      this.#events.onError('the venues cannot be stored', messageOf(error));
    }
  }
}

/** Whether 03:00 UTC has come since the last check, or there was none. */
function isDue(kept: KeptVenues | undefined, now: number): boolean {
  if (kept === undefined) return true;
  const night = Math.floor((now - CHECK_AT_S) / DAY_SECONDS) * DAY_SECONDS + CHECK_AT_S;
  return parseTime(kept.checked_at) < night;
}

function listedAssets(state: ViewState): ListedAssets {
  const rows = [...assetRows(state)].filter(({ listed, display }) => listed && display);
  return {
    crypto: new Set(rows.filter((row) => row.class === 'crypto').map(({ symbol }) => symbol)),
    all: new Set(rows.map(({ symbol }) => symbol)),
  };
}
