import { MAX_FUTURE_BLOCK_SECONDS, parseHeader } from '@assay/core/bitcoin/header';
import { MAX_REORGANISED } from '@assay/core/kind/anchor';
import { formatHex } from '@assay/core/bytes/hex';
import { formatTime } from '@assay/core/time/time';
import { newestBeacon } from '@assay/core/view/beacons';
import type { AnchorEvents, AnchorParts } from './anchor-parts.ts';
import type { LogBeacons } from './log-beacons.ts';

/** Writes the newest known Bitcoin header into the log from time to time. */
export class Beacons {
  readonly #parts: AnchorParts;
  readonly #events: AnchorEvents;
  readonly #log: LogBeacons;
  #last = Number.NEGATIVE_INFINITY;

  constructor(parts: AnchorParts, events: AnchorEvents, log: LogBeacons) {
    this.#parts = parts;
    this.#log = log;
    this.#events = events;
  }

  /**
   * Appends a beacon if one is due and there is a block that the last one does not name. A block whose time
   * cannot be right by the clock is not used.
   */
  async poll(): Promise<void> {
    const { ledger, headers, now, elapsed, timing } = this.#parts;
    const tip = headers?.agreed;
    if (tip === undefined || ledger.blocked !== undefined || ledger.nextSeq === 0) return;
    const newest = newestBeacon(ledger.tip);
    const state = newest === undefined ? undefined : await this.#log.stateOf(newest);
    // A lost beacon is replaced at once, as soon as that does not contradict the log.
    if (state === 'unknown') return;
    if (state !== 'lost' && elapsed() < this.#last + timing.beaconEveryS) return;
    if (tip.height < this.#log.highest() - MAX_REORGANISED) return;
    const header = formatHex(tip.header);
    if (state === 'on_chain' && newest?.header === header) return;
    const { time } = parseHeader(tip.header);
    // Otherwise the log would contradict itself: an entry would claim to be older than the block in it.
    if (time > now() + MAX_FUTURE_BLOCK_SECONDS) {
      this.#events.onError(
        'beacon',
        `block ${tip.height} says ${formatTime(time)}, over two hours ahead of this clock: one of them is wrong`,
      );
      return;
    }
    await ledger.write(() => [{ kind: 'beacon/1', body: { height: tip.height, header } }]);
    this.#last = elapsed();
    this.#events.onBeacon(tip.height);
  }
}
