import type { Measured } from './measured.ts';

/** A tick of recorded assets: those that have one at a count of the grid, and where it is among their ticks. */
export interface ClassTick {
  readonly index: number;
  readonly good: ReadonlyMap<string, Place>;
}

interface Place {
  readonly asset: Measured;
  readonly at: number;
}

/** The ticks of recorded assets, oldest first. */
export function* classTicks(assets: readonly Measured[]): Generator<ClassTick> {
  const places = assets.map((asset) => ({ asset, at: 0 }));
  for (;;) {
    let index = Number.POSITIVE_INFINITY;
    for (const { asset, at } of places) {
      if (at < asset.size) index = Math.min(index, asset.index[at] as number);
    }
    if (index === Number.POSITIVE_INFINITY) return;
    const good = new Map<string, Place>();
    for (const place of places) {
      const { asset, at } = place;
      if (at === asset.size || asset.index[at] !== index) continue;
      good.set(asset.symbol, { asset, at });
      place.at = at + 1;
    }
    yield { index, good };
  }
}

/** The price in units of an asset that is among `good`. */
export function priceAt(good: ClassTick['good'], symbol: string): number {
  const { asset, at } = good.get(symbol) as Place;
  return asset.price[at] as number;
}
