import type { Market } from './panel.ts';

/** A kind of market with a name that the page can show. */
export interface Regime extends Market {
  readonly name: string;
}

const BETAS = [
  ['alike', 0.35],
  ['unlike', 0.8],
] as const;

/** Every mix of assets that follow the market alike or not, with and without an own drift, with and without failures. */
export const REGIMES: readonly Regime[] = BETAS.flatMap(([words, betas]) =>
  [0, 0.02].flatMap((drift) =>
    [0, 0.06].map((failing) => ({
      name: [words, drift > 0 ? 'own drift' : '', failing > 0 ? 'delistings' : '']
        .filter((part) => part !== '')
        .join(', '),
      betas,
      drift,
      failing,
    })),
  ),
);

/** The regime of a panel: all of them in turn. */
export function regimeOf(seed: number): Regime {
  return REGIMES[seed % REGIMES.length] as Regime;
}
