import type { TickValues } from '@assay/core/terminal/tick/tick-values';

/** Fields that an answer does not have, and why. */
export interface MissingFields {
  /** The source whose figures they are. */
  readonly source: string;
  readonly fields: readonly string[];
  readonly reason: 'rights';
}

/** A vendor's figures of an asset at a tick, as far as they may be sold. */
export interface SoldFigures {
  readonly price: number | null;
  readonly vol_24h: number | null;
}

const NONE: SoldFigures = { price: null, vol_24h: null };

/**
 * Decides which figures an answer may have. A tick's price and volume are those of the first source that had a price.
 * They are sold only where the operator has said that this source's terms allow it.
 */
export class FigureRights {
  readonly #shown: ReadonlySet<string>;
  readonly #missing = new Set<string>();

  /** `shown`: the providers whose prices and volumes may be sold. */
  constructor(shown: Iterable<string>) {
    this.#shown = new Set(shown);
  }

  /** The figures of a tick, and none of a source that is not shown. */
  figures({ price, volume_24h: volume, sources }: TickValues): SoldFigures {
    const source = sources.find((each) => each.price !== null)?.provider;
    if (source === undefined) return NONE;
    if (!this.#shown.has(source)) {
      this.#missing.add(source);
      return NONE;
    }
    return { price: numberOf(price), vol_24h: numberOf(volume) };
  }

  /** What was left out of the figures so far. */
  get missing(): readonly MissingFields[] {
    return [...this.#missing]
      .sort()
      .map((source) => ({ source, fields: ['price', 'vol_24h'], reason: 'rights' }));
  }
}

function numberOf(decimal: string | null): number | null {
  return decimal === null ? null : Number(decimal);
}
