import { hash } from 'node:crypto';
import { formatDate } from '@assay/core/time/time';
import type { Week } from './claims-sample.ts';

/** The centre of the invented claims, in thousands. */
const CENTRE = 215;
const SPREAD = 24;

function draw(label: string, period: number, sides: number): number {
  const digest = hash('sha256', `synthetic/${label}/${formatDate(period)}`, 'buffer');
  return digest.readUInt32BE(0) % sides;
}

/** The invented first print of a week, in persons, which is always the same for the same week. */
export function syntheticFirstPrint(period: number): number {
  const sway = draw('level', period, SPREAD + 1) + draw('noise', period, SPREAD + 1) - SPREAD;
  return (CENTRE + sway) * 1000;
}

/** What the week is revised to at the next release: a few thousand more, or the same. */
export function syntheticRevised(period: number): number {
  const up = draw('revision', period, 4);
  return syntheticFirstPrint(period) + up * 1000;
}

/**
 * The synthetic series once the weeks up to `newest` have been released: the newest as first printed, the ones
 * before it revised.
 */
export function syntheticWeeks(first: number, newest: number): readonly Week[] {
  const weeks: Week[] = [];
  for (let period = first; period <= newest; period += 7) {
    const claims = period === newest ? syntheticFirstPrint(period) : syntheticRevised(period);
    weeks.push({ period, claims });
  }
  return weeks;
}
