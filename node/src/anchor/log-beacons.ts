import { MAX_FUTURE_BLOCK_SECONDS, parseHeader } from '@assay/core/bitcoin/header';
import { MAX_REORGANISED } from '@assay/core/kind/anchor';
import { type BeaconRow, newestBeacon } from '@assay/core/view/beacons';
import type { AnchorParts } from './anchor-parts.ts';

/** Lost beacons that are remembered. */
const MAX_LOST = 16;

/** Blocks between a beacon that a reorganisation took back and the one that took its place. */
const NEAR = 144;

/** `unknown` while the chain that is followed has not come so far, or nobody shows it there. */
export type BeaconState = 'stands' | 'lost' | 'unknown';

/** Which beacons of the log name a block that is on the chain that is followed, at its height. */
export class LogBeacons {
  readonly #parts: Pick<AnchorParts, 'ledger' | 'headers'>;
  /** By entry. */
  #lost: ReadonlyMap<number, BeaconRow> = new Map();
  /** Beacons that are higher than each before them, by entry. */
  readonly #highest: { readonly seq: number; readonly height: number }[] = [];
  /** Height of the newest that was found to stand. */
  #stood: number | undefined;

  constructor(parts: Pick<AnchorParts, 'ledger' | 'headers'>) {
    this.#parts = parts;
  }

  /** How it stands with a beacon. */
  async standing(row: BeaconRow): Promise<BeaconState> {
    const standing = await this.#find(row);
    const lost = new Map(this.#lost);
    if (standing === 'stands') {
      lost.delete(row.seq);
      this.#stood = Math.max(this.#stood ?? 0, row.height);
    }
    if (standing === 'lost') lost.set(row.seq, row);
    this.#lost = new Map([...lost].sort(([a], [b]) => a - b).slice(-MAX_LOST));
    return standing;
  }

  /**
   * The greatest height that a beacon before entry `to` names, or any without; -1 without one. It counts
   * whether it stands or not: a verifier takes none that is more than `MAX_REORGANISED` below.
   */
  highest(to: number = Number.POSITIVE_INFINITY): number {
    const { ledger } = this.#parts;
    const fresh: BeaconRow[] = [];
    // One whose write failed may never have been written, or another in its place.
    for (let last = this.#highest.at(-1); last !== undefined; last = this.#highest.at(-1)) {
      const row = newestBeacon(ledger.tip, last.seq + 1);
      if (row?.seq === last.seq && row.height === last.height) break;
      this.#highest.pop();
    }
    const known = this.#highest.at(-1)?.seq ?? -1;
    let row = newestBeacon(ledger.tip);
    while (row !== undefined && row.seq > known) {
      fresh.push(row);
      row = newestBeacon(ledger.tip, row.seq);
    }
    for (const { seq, height } of fresh.reverse()) {
      if (height > (this.#highest.at(-1)?.height ?? -1)) this.#highest.push({ seq, height });
    }
    return this.#highest.findLast(({ seq }) => seq < to)?.height ?? -1;
  }

  /**
   * Plain words for readers, one for each beacon that is known to be lost: the newest, and before it those
   * that no reorganisation explains.
   */
  concerns(): readonly string[] {
    const newest = newestBeacon(this.#parts.ledger.tip)?.seq;
    return [...this.#lost.values()]
      .filter(({ seq, height }) => seq === newest || !this.#isNear(height))
      .map(({ seq, height }) => {
        const words = `The beacon of entry ${seq} names a block that is not on the chain`;
        const tip = this.#parts.headers?.agreed?.height ?? height;
        if (tip >= height - MAX_REORGANISED) return `${words}.`;
        return `${words}: until it is as high as ${height}, no beacon and no block can be recorded.`;
      });
  }

  #isNear(height: number): boolean {
    return this.#stood !== undefined && Math.abs(height - this.#stood) <= NEAR;
  }

  async #find({ height, hash, time }: BeaconRow): Promise<BeaconState> {
    const { headers } = this.#parts;
    const newest = headers?.agreed;
    if (headers === undefined || newest === undefined) return 'unknown';
    if (height > newest.height) {
      // A chain that has blocks of a later time has come past that block, were it on it.
      const after = parseHeader(newest.header).time;
      return after > time + MAX_FUTURE_BLOCK_SECONDS ? 'lost' : 'unknown';
    }
    const id = await headers.idAt(height);
    if (id === undefined) return 'unknown';
    return id === hash ? 'stands' : 'lost';
  }
}
