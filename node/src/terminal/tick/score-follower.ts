import { messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { ASSET_CLASSES, type AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { HISTORY_SECONDS, ScoreHistory } from '../answer/score-history.ts';
import { parseTickLeaves } from '@assay/core/terminal/tick/tick-leaf';
import { parseTime } from '@assay/core/time/time';
import { type TickRow, ticksBack } from '@assay/core/view/ticks';
import type { BlobStore } from '../../blob/blob-store.ts';
import type { LogRecord } from '../../ledger/record.ts';
import { readNamedBlob } from '../../blob/named-blob.ts';

/** What the follower needs. */
export interface FollowerParts {
  readonly record: LogRecord;
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly sha256: Sha256;
  /** A tick whose leaves cannot be read is missing in the history until the next start. */
  readonly onError: (tick: string, reason: string) => void;
}

/** The last 30 days of scores of each class, from the blobs of the published ticks. */
export class ScoreFollower {
  readonly #parts: FollowerParts;
  readonly #histories: Readonly<Record<AssetClass, ScoreHistory>> = {
    crypto: new ScoreHistory(),
    stock: new ScoreHistory(),
  };
  /** The newest tick of each class that was read, in unix seconds. */
  readonly #looked: Record<AssetClass, number> = { crypto: -1, stock: -1 };
  #version = 0;
  #reading = false;
  #work: Promise<void> = Promise.resolve();

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** Rises with each tick that is added. */
  get version(): number {
    return this.#version;
  }

  readonly history = (of: AssetClass): ScoreHistory => this.#histories[of];

  /** Whether a published tick has not been added yet. */
  get behind(): boolean {
    return this.#reading || ASSET_CLASSES.some((of) => this.#newer(of));
  }

  /** Resolves when every tick that is published now has been added. It never fails. */
  async follow(): Promise<void> {
    if (this.behind) this.#work = this.#work.then(() => this.#read());
    await this.#work;
  }

  #newer(of: AssetClass): boolean {
    for (const [ts] of ticksBack(this.#parts.record.shown, of)) {
      return parseTime(ts) > this.#looked[of];
    }
    return false;
  }

  async #read(): Promise<void> {
    this.#reading = true;
    for (const of of ASSET_CLASSES) {
      for (const [ts, row] of this.#missing(of)) {
        this.#looked[of] = parseTime(ts);
        try {
          const leaves = await this.#leaves(row);
          this.#histories[of].add(parseTime(ts), leaves);
          this.#version += 1;
        } catch (error) {
          this.#parts.onError(`${of} ${ts}`, messageOf(error));
        }
      }
    }
    this.#reading = false;
  }

  /** The published ticks that have not been added, oldest first, and none from before the last 30 days. */
  #missing(of: AssetClass): readonly (readonly [string, TickRow])[] {
    const found: (readonly [string, TickRow])[] = [];
    let oldest = this.#looked[of];
    for (const [ts, row] of ticksBack(this.#parts.record.shown, of)) {
      const at = parseTime(ts);
      if (found.length === 0) oldest = Math.max(oldest, at - HISTORY_SECONDS - 1);
      if (at <= oldest) break;
      found.push([ts, row]);
    }
    return found.reverse();
  }

  async #leaves({ blob }: TickRow): Promise<ReturnType<typeof parseTickLeaves>> {
    const bytes = await readNamedBlob(this.#parts.blobs, this.#parts.sha256, blob);
    if (bytes === undefined) throw new Error(`blob ${blob} cannot be read`);
    return parseTickLeaves(bytes);
  }
}
