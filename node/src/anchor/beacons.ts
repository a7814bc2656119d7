import { formatHex } from '@assay/core/hex';
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

  /** Appends a beacon where one is due and there is a block that the last one does not name. */
  async look(): Promise<void> {
    const { ledger, headers, now, timing } = this.#parts;
    const tip = headers?.tip;
    if (tip === undefined || ledger.blocked !== undefined || ledger.nextSeq === 0) return;
    if (now() < this.#last + timing.beaconEveryS) return;
    const header = formatHex(tip.header);
    const newest = newestBeacon(ledger.tip);
    if (newest?.header === header || (newest?.height ?? 0) > tip.height) return;
    await ledger.append(
      [{ kind: 'beacon/1', body: { height: tip.height, header } }],
      ledger.nextSeq,
    );
    this.#last = now();
    this.#events.onBeacon(tip.height);
  }
}
