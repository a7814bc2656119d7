import type { Reading, Scored } from '@assay/core/terminal/score/score';
import type { ScorePart, ScoreRule } from '@assay/core/terminal/rule/score-rule';

/** A good tick, or from which index on shares are `numerator` for `denominator`. */
export interface SlowReading extends Reading {
  readonly index: number;
}
export interface SlowSplit {
  readonly index: number;
  readonly numerator: number;
  readonly denominator: number;
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** `n / d`, d > 0, half away from zero. */
function rounded(n: bigint, d: bigint): bigint {
  return n < 0n ? -((-2n * n + d) / (2n * d)) : (2n * n + d) / (2n * d);
}

function middle(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const half = sorted.length >> 1;
  const upper = sorted[half] as bigint;
  return sorted.length % 2 === 1 ? upper : rounded((sorted[half - 1] as bigint) + upper, 2n);
}

/** The score as docs/spec/score.md says it, from all readings at once, in big integers and plain arrays. */
export function slowScores(
  rule: ScoreRule,
  readings: readonly SlowReading[],
  splits: readonly SlowSplit[] = [],
): readonly Scored[] {
  const { returns, volume, scale, parts } = rule;
  const byIndex = new Map(readings.map((each) => [each.index, each]));

  function startOf(index: number, width: number): SlowReading | undefined {
    const aways = Array.from({ length: returns.tolerance }, (_, i) => i + 1);
    const places = [0, ...aways.map((away) => -away), ...aways].map((away) => index - width + away);
    return places.map((place) => byIndex.get(place)).find((each) => each !== undefined);
  }

  function returned(unit: bigint, most: bigint, index: number, width: number): bigint | null {
    const start = startOf(index, width);
    if (start === undefined) return null;
    let have = BigInt((byIndex.get(index) as SlowReading).price);
    let had = BigInt(start.price);
    for (const each of splits.filter((one) => one.index > start.index && one.index <= index)) {
      have *= BigInt(each.numerator);
      had *= BigInt(each.denominator);
    }
    const value = rounded(unit * (have - had), had);
    return value > most ? most : value;
  }

  function ppm(index: number, width: number): bigint | null {
    return returned(1_000_000n, 2_000_000_000n, index, width);
  }

  function deviations(index: number, width: number, floor: number): bigint | null {
    const samples = readings
      .filter((each) => each.index >= index - returns.window && each.index < index)
      .filter((each) => each.index % returns.sample === 0)
      .map((each) => ppm(each.index, width))
      .filter((each) => each !== null);
    const value = ppm(index, width);
    if (value === null || samples.length < returns.min_samples) return null;
    const median = middle(samples);
    const mad = middle(samples.map((each) => (each > median ? each - median : median - each)));
    const wide = rounded(mad * BigInt(scale.numerator), BigInt(scale.denominator));
    const off = value > median ? value - median : median - value;
    return rounded(1000n * off, wide > BigInt(floor) ? wide : BigInt(floor));
  }

  function multiple(index: number): bigint | null {
    const now = (byIndex.get(index) as SlowReading).volume;
    const before = Array.from(
      { length: volume.days },
      (_, k) => byIndex.get(index - (k + 1) * volume.day)?.volume ?? null,
    ).filter((each) => each !== null);
    const sum = before.reduce((total, each) => total + BigInt(each), 0n);
    if (now === null || before.length < volume.min_days || sum === 0n) return null;
    const value = rounded(100n * BigInt(now) * BigInt(before.length), sum);
    return value > SAFE ? SAFE : value;
  }

  function score(long: bigint, times: bigint, short: bigint): bigint {
    const three: readonly (readonly [ScorePart, bigint])[] = [
      [parts.long, long],
      [parts.volume, times],
      [parts.short, short],
    ];
    let [n, d] = [0n, 1n];
    for (const [{ weight, from, to }, value] of three) {
      const range = BigInt(to - from);
      const over = value - BigInt(from);
      const inside = over < 0n ? 0n : over > range ? range : over;
      n = n * range + BigInt(weight) * inside * d;
      d *= range;
    }
    return rounded(n, d);
  }

  return readings.map(({ index }) => {
    const long = deviations(index, returns.long, scale.floor_long);
    const short = deviations(index, returns.short, scale.floor_short);
    const times = multiple(index);
    const move = returned(10_000n, SAFE, index, returns.long);
    const whole = long !== null && short !== null && times !== null;
    const plain = (value: bigint | null): number | null => (value === null ? null : Number(value));
    return {
      score: whole ? Number(score(long, times, short)) : null,
      move: plain(move),
      volMult: plain(times),
      zLong: plain(long),
      zShort: plain(short),
    };
  });
}
