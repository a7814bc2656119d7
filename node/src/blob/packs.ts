import type { Sha256 } from '@assay/core/hash/hash';
import { bodyParser, type BodyParser } from '@assay/core/kind/kinds';
import { formatPackPath, MAX_PARTS, type PackPart } from '@assay/core/log/pack';
import { parseEntryBundle, type Tile, TILE_WIDTH } from '@assay/core/log/tile';
import { Semaphore } from '../platform/semaphore.ts';
import type { BlobStore } from './blob-store.ts';
import { packPieces, type PackPlan, planPack, plannedLength } from './pack-plan.ts';

/** Plans that are remembered, some 50 KB each. The parts of a pack are asked for one after the other. */
const MAX_PLANS = 64;
/** Plans that are made at the same time. */
const PLANS_AT_ONCE = 2;

/** Where the entries and the blobs of packs come from. */
export interface PackSource {
  /** The bytes of an entry bundle; undefined where the log has none. */
  readonly tile: (tile: Tile) => Promise<Uint8Array | undefined>;
  readonly blobs: Pick<BlobStore, 'checked'>;
}

/** A part that can be sent. */
export interface ServedPart {
  readonly size: number;
  /** Whether the pack holds all that it should, so that it never changes. */
  readonly whole: boolean;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

/** The packs of one log, made when they are asked for. A few plans are remembered, and no bytes. */
export class Packs {
  readonly #source: PackSource;
  readonly #parseBody: BodyParser;
  /** Least recently used first. */
  readonly #plans = new Map<string, Promise<PackPlan | undefined>>();
  readonly #planning = new Semaphore(PLANS_AT_ONCE);

  constructor(sha256: Sha256, source: PackSource) {
    this.#source = source;
    this.#parseBody = bodyParser(sha256);
  }

  /** A part; undefined where the log has no such bundle, or its pack no such part. Throws as `tile` does. */
  async part({ part, index, width }: PackPart): Promise<ServedPart | undefined> {
    const plan = await this.#plan(index, width);
    if (plan === undefined || part >= plan.parts.length) return undefined;
    const pieces = (): AsyncIterable<Uint8Array> => this.#pieces(`${index} ${width}`, plan, part);
    return { size: plannedLength(plan, part), whole: plan.whole, chunks: pieces };
  }

  /** Every part of the packs of a log of `size`, with its path without a slash at its front: what a static copy has. */
  async *all(size: number): AsyncGenerator<ServedPart & { readonly name: string }> {
    for (let index = 0; index * TILE_WIDTH < size; index += 1) {
      const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
      for (let part = 0; part < MAX_PARTS; part += 1) {
        const found = await this.part({ part, index, width });
        if (found === undefined) break;
        yield { ...found, name: formatPackPath({ part, index, width }) };
      }
    }
  }

  async *#pieces(key: string, plan: PackPlan, part: number): AsyncGenerator<Uint8Array> {
    try {
      yield* packPieces(plan, part, this.#source.blobs);
    } catch (error) {
      // A blob was lost since the plan was made: the next request gets a pack without it.
      this.#plans.delete(key);
      throw error;
    }
  }

  #plan(index: number, width: number): Promise<PackPlan | undefined> {
    const key = `${index} ${width}`;
    const planned = this.#plans.get(key) ?? this.#planning.run(() => this.#make(index, width));
    this.#plans.delete(key);
    this.#plans.set(key, planned);
    planned.then(
      // What was missing may be there the next time.
      (plan) => plan?.whole === true || this.#forget(key, planned),
      () => this.#forget(key, planned),
    );
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > MAX_PLANS && oldest !== undefined) this.#plans.delete(oldest);
    return planned;
  }

  #forget(key: string, planned: Promise<PackPlan | undefined>): void {
    if (this.#plans.get(key) === planned) this.#plans.delete(key);
  }

  async #make(index: number, width: number): Promise<PackPlan | undefined> {
    const { tile, blobs } = this.#source;
    const bundle = await tile({ level: 'entries', index, width });
    if (bundle === undefined) return undefined;
    return planPack(parseEntryBundle(bundle, width), blobs, this.#parseBody);
  }
}
