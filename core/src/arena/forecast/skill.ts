import { formatScaled, rational, roundScaled } from '../../number/rational.ts';

/** What decides the place of a handle among others. */
export interface SkillRecord {
  /** The handle's id, hex. */
  readonly handle: string;
  /** How many of its forecasts were graded. */
  readonly graded: number;
  /** The sum of its points less those that `ref_value` would have had in the same rounds. */
  readonly excess: number;
}

/**
 * Compares two handles by skill, the better one first: `excess / (graded + shrink)`, exact. Of equal ones the one with
 * more graded forecasts comes first, then the one with the smaller id. The added `shrink` draws those with few forecasts
 * towards 0, as the posterior mean of a normal prior does (J. O. Berger, Statistical Decision Theory, 4.2).
 */
export function compareSkill(a: SkillRecord, b: SkillRecord, shrink: number): number {
  const left = BigInt(a.excess) * BigInt(b.graded + shrink);
  const right = BigInt(b.excess) * BigInt(a.graded + shrink);
  if (left !== right) return left > right ? -1 : 1;
  if (a.graded !== b.graded) return b.graded - a.graded;
  return a.handle < b.handle ? -1 : a.handle > b.handle ? 1 : 0;
}

/** The skill of a handle with 4 decimals, half away from zero; `0.0000` for one without graded forecasts. */
export function skillText({ graded, excess }: SkillRecord, shrink: number): string {
  if (graded === 0) return formatScaled(0n, 4);
  const skill = rational(BigInt(excess), BigInt(graded + shrink));
  return formatScaled(roundScaled(skill, 4, 'half_away'), 4);
}

/** The mean of points over graded forecasts in hundredths, half away from zero; 0 where there are none. */
export function meanHundredths(total: number, graded: number): number {
  if (graded === 0) return 0;
  return Number(roundScaled(rational(BigInt(total), BigInt(graded)), 2, 'half_away'));
}
