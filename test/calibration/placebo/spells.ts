import type { MomentReturn, StudyMoment } from '@assay/core/terminal/edge/study-moment';
import { Draws } from './draws.ts';

/** A common part of the returns of a week that goes on in the next ones: an autoregression of the first order. */
export interface Spell {
  /** Words that the page can show. */
  readonly name: string;
  /** How much of a week's part the next one has. */
  readonly kept: number;
}

/** The standard deviation of the common part, in basis points. */
const SIZE = 300;

export const SPELLS: readonly Spell[] = [
  { name: 'a common part of 3 points, of which the next week has 60 %', kept: 0.6 },
  { name: 'a common part of 3 points, of which the next week has 90 %', kept: 0.9 },
];

const WEEK_SECONDS = 604_800;

/** The moments with a common part in what their assets return after 7 days. Its mean is 0 over all markets. */
export function withSpell(
  moments: readonly StudyMoment[],
  { kept }: Spell,
  seed: number,
): readonly StudyMoment[] {
  if (moments.length === 0) return moments;
  const draws = new Draws(seed);
  const weekOf = ({ entered_at }: StudyMoment): number => Math.floor(entered_at / WEEK_SECONDS);
  const last = Math.max(...moments.map(weekOf));
  const parts = new Map<number, number>();
  let part = SIZE * draws.bell();
  for (let week = Math.min(...moments.map(weekOf)); week <= last; week += 1) {
    parts.set(week, Math.round(part));
    part = kept * part + Math.sqrt(1 - kept * kept) * SIZE * draws.bell();
  }
  return moments.map((moment) => {
    const after = moment.returns['7d'] as MomentReturn;
    const ret = after.ret + (parts.get(weekOf(moment)) ?? 0);
    return { ...moment, returns: { ...moment.returns, '7d': { ...after, ret } } };
  });
}
