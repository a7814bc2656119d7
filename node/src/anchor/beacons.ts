import { MAX_FUTURE_BLOCK_SECONDS, parseHeader } from '@assay/core/bitcoin/header';
import { formatHex } from '@assay/core/hex';
import { formatTime } from '@assay/core/time';
import { newestBeacon } from '@assay/core/view/beacons';
import type { AnchorEvents, AnchorParts } from './anchor-parts.ts';

/** Writes the newest Bitcoin header that is known into the log, now and then. */
export class Beacons {
  readonly #parts: AnchorParts;
  readonly #events: AnchorEvents;
  #last = Number.NEGATIVE_INFINITY;

  constructor(parts: AnchorParts, events: AnchorEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /**
   * Appends a beacon where one is due and there is a block that the last one does not name; none whose time
   * the clock says cannot be.
   */
  async look(): Promise<void> {
    const { ledger, headers, elapsed, timing } = this.#parts;
    const tip = headers?.tip;
    if (tip === undefined || ledger.blocked !== undefined || ledger.nextSeq === 0) return;
    if (elapsed() < this.#last + timing.beaconEveryS) return;
    const header = formatHex(tip.header);
    const newest = newestBeacon(ledger.tip);
    if (newest?.header === header || (newest?.height ?? 0) > tip.height) return;
    const { time } = parseHeader(tip.header);
    // The log would contradict itself: an entry that says it is older than the block in it.
    if (time > now() + MAX_FUTURE_BLOCK_SECONDS) {
      this.#events.onTrouble(
        'beacon',
        `block ${tip.height} says ${formatTime(time)}, over two hours ahead of this clock: one of them is wrong`,
      );
      return;
    }
    await ledger.append(
      [{ kind: 'beacon/1', body: { height: tip.height, header } }],
      ledger.nextSeq,
    );
    this.#last = elapsed();
    this.#events.onBeacon(tip.height);
  }
}
