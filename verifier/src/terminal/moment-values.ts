import type { MomentReturn, StudyMoment } from '@assay/core/terminal/edge/study-moment';
import { type StudyHorizon, STUDY_HORIZONS } from '@assay/core/terminal/study/study-blob';
import type { Difference } from '../verdict/difference.ts';
import type { PublicReturn } from './public-returns.ts';

/** No asset can lose more than everything, in basis points. */
const LEAST = -10_000;

/** A moment at a horizon that is over. */
interface Reached {
  /** Of its moment. */
  readonly index: number;
  readonly moment: StudyMoment;
  readonly horizon: StudyHorizon;
  readonly stated: MomentReturn;
  /** The time of the tick at which its return ends, 0 where it has none, and undefined where that is not known. */
  readonly end: number | undefined;
}

/**
 * The first contradiction between the returns that a study states, or between one of them and another return that the
 * log states. Returns of an asset over the same two ticks are one number, and so are the bases of moments that share
 * their controls. `made` are the moments made again without prices, whose `ret` is the time at which it ends.
 */
export function contradiction(
  moments: readonly StudyMoment[],
  made: readonly StudyMoment[] | undefined,
  returns: Iterable<PublicReturn>,
): Difference | undefined {
  const reached = reachedOf(moments, made);
  return (
    firstOf(impossible(reached)) ??
    firstOf(twoBases(reached)) ??
    firstOf(twoReturns(reached, returns))
  );
}

/** What the newest study of a class states, and where; empty before the first. */
export interface KeptStated {
  readonly place: string;
  /** By the id of the moment's event. */
  readonly returns: ReadonlyMap<string, StudyMoment['returns']>;
}

/** The returns that the newest study of a class states. Every later study has to repeat them. */
export class StatedReturns {
  #newest: KeptStated = { place: '', returns: new Map() };

  /** What returns need to go on in the place of these. */
  get kept(): KeptStated {
    return this.#newest;
  }

  /** Goes on as the returns that were kept. */
  resume(kept: KeptStated): void {
    this.#newest = kept;
  }

  /** The first return that these moments state otherwise. */
  difference(moments: readonly StudyMoment[]): Difference | undefined {
    return firstOf(this.#differences(moments));
  }

  /** From now on these are the newest; `place` is where they are stated. */
  take(place: string, moments: readonly StudyMoment[]): void {
    this.#newest = { place, returns: new Map(moments.map(({ id, returns }) => [id, returns])) };
  }

  *#differences(moments: readonly StudyMoment[]): Generator<Difference> {
    const { place, returns } = this.#newest;
    for (const { index, moment, horizon, stated } of reachedOf(moments, undefined)) {
      const before = returns.get(moment.id)?.[horizon];
      if (!before) continue;
      for (const name of ['ret', 'base', 'base_lost'] as const) {
        const expected = `${before[name]}, as in the study of ${place}`;
        yield* unless(before[name] === stated[name], { index, horizon, name }, expected, stated);
      }
    }
  }
}

function reachedOf(
  moments: readonly StudyMoment[],
  made: readonly StudyMoment[] | undefined,
): readonly Reached[] {
  return moments.flatMap((moment, index) =>
    STUDY_HORIZONS.flatMap((horizon) => {
      const stated = moment.returns[horizon];
      if (stated === null) return [];
      const again = made?.[index]?.id === moment.id ? made[index]?.returns[horizon] : undefined;
      return [{ index, moment, horizon, stated, end: again?.ret }];
    }),
  );
}

/** Returns that no prices give. */
function* impossible(reached: readonly Reached[]): Generator<Difference> {
  for (const { index, moment, horizon, stated, end } of reached) {
    const { ret, base, base_lost, gone_controls, unpriced_controls } = stated;
    const at = { index, horizon };
    const least = `${LEAST} or more`;
    yield* unless(ret >= LEAST, { ...at, name: 'ret' }, least, stated);
    yield* unless(base >= LEAST, { ...at, name: 'base' }, least, stated);
    const none = '0, without a price after it was entered';
    yield* unless(end !== 0 || ret === 0, { ...at, name: 'ret' }, none, stated);
    const [low, high] = lostBounds(moment.controls, stated);
    const gone = `${gone_controls} of ${moment.controls} controls gone and ${unpriced_controls} without a price since`;
    const between = `${low} to ${high}, with ${gone}`;
    const isBetween = base_lost >= low && base_lost <= high;
    yield* unless(isBetween, { ...at, name: 'base_lost' }, between, stated);
  }
}

/**
 * The least and the largest `base_lost` beside a `base`, both rounded means over the controls. A control that is gone loses
 * everything in the one; in the other it has its last price, or 0 where it has none.
 */
function lostBounds(
  controls: number,
  { base, gone_controls, unpriced_controls }: MomentReturn,
): readonly [low: number, high: number] {
  if (gone_controls === 0) return [base, base];
  if (gone_controls >= controls) return [LEAST, LEAST];
  const [n, lost] = [BigInt(controls), BigInt(-LEAST) * BigInt(unpriced_controls)];
  const high = Math.min(base, base + 1 - Number((lost + n - 1n) / n));
  if (gone_controls !== unpriced_controls) return [LEAST, high];
  return [Math.max(LEAST, base - 1 - Number(lost / n)), high];
}

/** Moments that opened at one tick and were entered at one tick have the same controls. */
function* twoBases(reached: readonly Reached[]): Generator<Difference> {
  const known = new Map<string, Reached>();
  for (const each of reached) {
    const { index, moment, horizon, stated } = each;
    const key = `${moment.opened_at} ${moment.entered_at} ${horizon}`;
    const other = known.get(key);
    known.set(key, other ?? each);
    if (other === undefined) continue;
    for (const name of ['base', 'base_lost'] as const) {
      const expected = `${other.stated[name]}, as of moment ${other.index}, which has the same controls`;
      yield* unless(
        stated[name] === other.stated[name],
        { index, horizon, name },
        expected,
        stated,
      );
    }
  }
}

/** Returns of an asset over the same two ticks. */
function* twoReturns(
  reached: readonly Reached[],
  returns: Iterable<PublicReturn>,
): Generator<Difference> {
  const known = new Map<string, Reached>();
  for (const each of reached) {
    const { index, moment, horizon, stated, end } = each;
    if (!end) continue;
    const key = `${moment.symbol} ${moment.entered_at} ${end}`;
    const other = known.get(key);
    known.set(key, other ?? each);
    if (other === undefined) continue;
    const expected = `${other.stated.ret}, as after ${other.horizon}, which ends at the same tick`;
    yield* unless(
      stated.ret === other.stated.ret,
      { index, horizon, name: 'ret' },
      expected,
      stated,
    );
  }
  for (const { symbol, from, to, ret, by } of returns) {
    const same = known.get(`${symbol} ${from} ${to}`);
    if (same === undefined) continue;
    const { index, horizon, stated } = same;
    const expected = `${ret}, as ${by} states over the same two ticks`;
    yield* unless(stated.ret === ret, { index, horizon, name: 'ret' }, expected, stated);
  }
}

/** A difference in a return of a moment, unless `holds`. */
function* unless(
  holds: boolean,
  {
    index,
    horizon,
    name,
  }: {
    readonly index: number;
    readonly horizon: StudyHorizon;
    readonly name: 'ret' | 'base' | 'base_lost';
  },
  expected: string,
  stated: MomentReturn,
): Generator<Difference> {
  if (holds) return;
  const path = `/moments/${index}/returns/${horizon}/${name}`;
  yield { path, expected, found: `${stated[name]}` };
}

function firstOf(differences: Iterable<Difference>): Difference | undefined {
  for (const difference of differences) return difference;
  return undefined;
}
