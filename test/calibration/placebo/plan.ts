import type { Trial } from './trial.ts';

/** How many panels a run has, by what they are for. */
export interface Plan {
  /** Without any effect: of version 2, and the first of them of version 1 as well. */
  readonly null2: number;
  readonly null1: number;
  /** The same with lopsided returns, of version 2. */
  readonly lopsided: number;
  /** With an effect: 80 and 350 assets, for one year and for three. */
  readonly power: readonly Power[];
}

/** Panels with effects of one size. */
export interface Power {
  readonly assets: number;
  readonly days: number;
  readonly version2: number;
  readonly version1: number;
}

/** What every event adds to the week after it, in basis points. */
export const EFFECTS: readonly number[] = [0, 200, 500, 1000, 1500, 2000, 3000];

/** The panels that the page has. */
export const PANELS = 2000;

/** What is run for so many panels of version 2 without an effect; everything else is a fixed share of them. */
export function planOf(panels: number): Plan {
  const share = (of: number): number => Math.ceil(panels / of);
  return {
    null2: panels,
    null1: share(25),
    lopsided: share(5),
    power: [
      { assets: 80, days: 365, version2: share(5), version1: share(40) },
      { assets: 350, days: 365, version2: share(12.5), version1: share(125) },
      { assets: 80, days: 1095, version2: share(12.5), version1: 0 },
      { assets: 350, days: 1095, version2: share(25), version1: 0 },
    ],
  };
}

/** Every panel of a plan. Those that take longest come first, so that no worker ends long after the others. */
export function trialsOf({ null2, null1, lopsided, power }: Plan): readonly Trial[] {
  const strong = power
    .toReversed()
    .flatMap(({ assets, days, version2, version1 }) => [
      ...seeds(version1).map((seed) => strongTrial(seed, assets, days, 1)),
      ...seeds(version2).map((seed) => strongTrial(seed, assets, days, 2)),
    ]);
  return [
    ...strong,
    ...seeds(lopsided).map((seed) => ({ ...nullTrial(seed, 2), lopsided: true })),
    ...seeds(null1).map((seed) => nullTrial(seed, 1)),
    ...seeds(null2).map((seed) => nullTrial(seed, 2)),
  ];
}

function seeds(n: number): readonly number[] {
  return Array.from({ length: n }, (_, i) => i);
}

function nullTrial(seed: number, version: 1 | 2): Trial {
  return { seed, assets: 80, days: 365, version, effects: [0], monthly: true };
}

/** Markets of 80 assets and one year without an effect are in the other trials already. */
function strongTrial(seed: number, assets: number, days: number, version: 1 | 2): Trial {
  const effects =
    assets === 80 && days === 365 ? EFFECTS.filter((effect) => effect !== 0) : EFFECTS;
  return { seed, assets, days, version, effects, monthly: false };
}
