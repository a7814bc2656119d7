import type { MomentReturn, StudyMoment } from '@assay/core/terminal/edge/study-moment';
import { Draws } from './draws.ts';

/** A return that is rare and large, and paid for by all others, so that nothing is gained on average. */
export interface Lottery {
  /** Words that the page can show. */
  readonly name: string;
  /** The chance of the rare return, as one in so many, and its size in basis points. */
  readonly oneIn: number;
  readonly size: number;
  /** Whether all events of a week have it together, or each by itself. */
  readonly byWeek: boolean;
  /** Whether it comes on top of what the market does. Otherwise there is nothing else but one point of noise. */
  readonly onTop: boolean;
}

export const LOTTERIES: readonly Lottery[] = [
  { name: '+60 % in one of 10 events', oneIn: 10, size: 6000, byWeek: false, onTop: true },
  { name: '+300 % in one of 50 events', oneIn: 50, size: 30_000, byWeek: false, onTop: true },
  { name: '−80 % in one of 20 events', oneIn: 20, size: -8000, byWeek: false, onTop: true },
  { name: '+30 % in one of 25 weeks', oneIn: 25, size: 3000, byWeek: true, onTop: true },
  {
    name: '+60 % in one of 10 events, and little else',
    oneIn: 10,
    size: 6000,
    byWeek: false,
    onTop: false,
  },
  {
    name: '+300 % in one of 50 events, and little else',
    oneIn: 50,
    size: 30_000,
    byWeek: false,
    onTop: false,
  },
  {
    name: '+30 % in one of 25 weeks, and little else',
    oneIn: 25,
    size: 3000,
    byWeek: true,
    onTop: false,
  },
];

const WEEK_SECONDS = 604_800;
/** Of one point, in basis points. */
const NOISE = 100;

/** The moments with the returns of a lottery after 7 days. Their mean excess is what it was, or 0. */
export function played(
  moments: readonly StudyMoment[],
  { oneIn, size, byWeek, onTop }: Lottery,
  seed: number,
): readonly StudyMoment[] {
  const draws = new Draws(seed);
  const price = size / (oneIn - 1);
  const draw = (): number => (draws.below(oneIn) === 0 ? size : -price);
  const weeks = new Map<number, number>();
  return moments.map((moment) => {
    const week = Math.floor(moment.entered_at / WEEK_SECONDS);
    const drawn = byWeek ? (weeks.get(week) ?? draw()) : draw();
    weeks.set(week, drawn);
    const noise = onTop ? 0 : NOISE * draws.bell();
    return withGain(moment, Math.round(drawn + noise), onTop);
  });
}

function withGain(moment: StudyMoment, gain: number, onTop: boolean): StudyMoment {
  const week = moment.returns['7d'] as MomentReturn;
  const { base } = week;
  const after = onTop
    ? { ...week, ret: week.ret + gain }
    : { ...week, ret: base + gain, gone: false, base_lost: base, gone_controls: 0 };
  return { ...moment, returns: { ...moment.returns, '7d': after } };
}
