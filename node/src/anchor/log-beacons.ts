import { MAX_FUTURE_BLOCK_SECONDS, parseHeader } from '@assay/core/bitcoin/header';
import { MAX_REORGANISED } from '@assay/core/kind/anchor';
import { type BeaconRow, newestBeacon } from '@assay/core/view/beacons';
import type { AnchorParts } from './anchor-parts.ts';

/** How many lost beacons are remembered. */
const MAX_LOST = 16;

/** The most blocks between a beacon that a reorganisation removed and the one that replaced it. */
const NEAR = 144;

/** `unknown` while the followed chain is not that long yet, or if no source shows that height. */
export type BeaconState = 'on_chain' | 'lost' | 'unknown';

/** Which beacons of the log name a block that is at its height on the followed chain. */
export class LogBeacons {
  readonly #parts: Pick<AnchorParts, 'ledger' | 'headers'>;
  /** By entry. */
  #lost: ReadonlyMap<number, BeaconRow> = new Map();
  /** Beacons that are higher than every one before them, by entry. */
  readonly #highest: { readonly seq: number; readonly height: number }[] = [];
  /** The height of the newest beacon whose block was found on the chain. */
  #foundHeight: number | undefined;

  constructor(parts: Pick<AnchorParts, 'ledger' | 'headers'>) {
    this.#parts = parts;
  }

  /** The state of a beacon. */
  async stateOf(row: BeaconRow): Promise<BeaconState> {
    const state = await this.#find(row);
    const lost = new Map(this.#lost);
    if (state === 'on_chain') {
      lost.delete(row.seq);
      this.#foundHeight = Math.max(this.#foundHeight ?? 0, row.height);
    }
    if (state === 'lost') lost.set(row.seq, row);
    this.#lost = new Map([...lost].sort(([a], [b]) => a - b).slice(-MAX_LOST));
    return state;
  }

  /**
   * The greatest height that a beacon before entry `to` names, or any beacon by default; -1 if there is none.
   * It counts whether or not its block is still on the chain, because a verifier accepts no beacon that is more
   * than `MAX_REORGANISED` below.
   */
  highest(to: number = Number.POSITIVE_INFINITY): number {
    const { ledger } = this.#parts;
    const fresh: BeaconRow[] = [];
    // A beacon whose write failed may not have been written, or another may be in its place.
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
   * Sentences for readers, one for each beacon that is known to be lost: the newest, and before it those that
   * no reorganisation explains.
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
    return this.#foundHeight !== undefined && Math.abs(height - this.#foundHeight) <= NEAR;
  }

  async #find({ height, hash, time }: BeaconRow): Promise<BeaconState> {
    const { headers } = this.#parts;
    const newest = headers?.agreed;
    if (headers === undefined || newest === undefined) return 'unknown';
    if (height > newest.height) {
      // If the block were on the chain, a chain with blocks of a later time would have reached it.
      const after = parseHeader(newest.header).time;
      return after > time + MAX_FUTURE_BLOCK_SECONDS ? 'lost' : 'unknown';
    }
    const id = await headers.idAt(height);
    if (id === undefined) return 'unknown';
    return id === hash ? 'on_chain' : 'lost';
  }
}
