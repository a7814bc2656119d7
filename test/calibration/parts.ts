import { divideRounded } from '@assay/core/number/scaled';
import type { ScorePart, ScoreRule } from '@assay/core/terminal/rule/score-rule';

type Parts = ScoreRule['parts'];

/** What the score was drafted with. Weights and lower ends stay; how wide the parts are is what is calibrated. */
export const DRAFT: Parts = {
  long: { weight: 45, from: 1000, to: 6000 },
  volume: { weight: 40, from: 100, to: 500 },
  short: { weight: 15, from: 1000, to: 8000 },
};

/** The draft's widths in percent that are tried: one number for all three parts, in coarse steps. */
export const WIDTHS: readonly number[] = Array.from({ length: 21 }, (_, i) => 50 + 5 * i);

/** The draft with each part's width at `percent` of its own. */
export function partsAt(percent: number): Parts {
  const wide = ({ weight, from, to }: ScorePart): ScorePart => ({
    weight,
    from,
    to: from + divideRounded((to - from) * percent, 100),
  });
  return { long: wide(DRAFT.long), volume: wide(DRAFT.volume), short: wide(DRAFT.short) };
}

/** A score of three values, exactly as core rounds it. */
export function scorer(parts: Parts): (zLong: number, volMult: number, zShort: number) => number {
  const [long, volume, short] = [parts.long, parts.volume, parts.short];
  const width = ({ from, to }: ScorePart): number => to - from;
  const inside = ({ weight, from, to }: ScorePart, x: number): number =>
    weight * Math.min(Math.max(x - from, 0), to - from);
  const [l, v, s] = [width(long), width(volume), width(short)];
  return (zLong, volMult, zShort) =>
    divideRounded(
      inside(long, zLong) * v * s + inside(volume, volMult) * l * s + inside(short, zShort) * l * v,
      l * v * s,
    );
}
