import type { Sha256 } from '../../hash/hash.ts';
import { compare, rational, type Rational } from '../../number/rational.ts';
import type { Steps } from '../../steps.ts';
import { formatUtf8 } from '../../bytes/utf8.ts';

/** How many times the clusters are drawn. */
export const BOOTSTRAP_DRAWS = 2000;
/**
 * The denominator of a p-value. The data themselves count as one more draw, so that no p is 0 (A. Davison and
 * D. Hinkley, Bootstrap Methods and their Application, section 4.2).
 */
export const P_DRAWS: number = BOOTSTRAP_DRAWS + 1;

/** Observations that are drawn together: their sum and their number, which is at least one. */
export interface Cluster {
  readonly sum: bigint;
  readonly count: number;
}

/** What the draws give for the mean of all observations. */
export interface Bootstrap {
  /** The ends of the 95 % percentile interval of the mean. */
  readonly low: Rational;
  readonly high: Rational;
  /** The number of draws whose mean is at most, or at least, the mark. A draw that equals it is in both. */
  readonly atMost: number;
  readonly atLeast: number;
}

/**
 * Random integers that are the same for the same seed: the 32-bit words, big endian, of `sha256(seed ":"
 * counter)` with the counter in decimal from 0. For a number below `n`, words from the largest multiple of `n`
 * up are skipped, so that each number is equally likely. `n` is 1 to 2^32.
 */
export function drawer(sha256: Sha256, seed: string): (n: number) => number {
  let counter = 0;
  let at = 32;
  let words: DataView = new DataView(new ArrayBuffer(32));
  const word = (): number => {
    if (at === 32) {
      const digest = sha256(formatUtf8(`${seed}:${counter}`));
      words = new DataView(digest.buffer, digest.byteOffset, 32);
      counter += 1;
      at = 0;
    }
    at += 4;
    return words.getUint32(at - 4);
  };
  return (n) => {
    const limit = 2 ** 32 - (2 ** 32 % n);
    for (;;) {
      const drawn = word();
      if (drawn < limit) return drawn % n;
    }
  };
}

/** About how many numbers are drawn in one step. */
const STEP_NUMBERS = 10_000;

/**
 * The percentile bootstrap of the mean over clusters (B. Efron and R. Tibshirani, An Introduction to the
 * Bootstrap, chapters 8 and 13), in steps of some milliseconds. Each of 2,000 draws takes as many clusters as
 * there are, with replacement. Its mean is the sum of their sums divided by the sum of their counts. The ends
 * of the interval are the draws of ranks ceil(0.025 B) and ceil(0.975 B) in ascending order, counted from 1.
 * `clusters` is not empty.
 */
export function* bootstrapMean(
  sha256: Sha256,
  seed: string,
  clusters: readonly Cluster[],
  mark: Rational,
): Steps<Bootstrap> {
  const draw = drawer(sha256, seed);
  const drawn = new Uint32Array(clusters.length);
  const meanOf = meanOfDrawn(clusters);
  const means: Rational[] = [];
  let numbers = 0;
  while (means.length < BOOTSTRAP_DRAWS) {
    for (let i = 0; i < drawn.length; i += 1) drawn[i] = draw(clusters.length);
    means.push(meanOf(drawn));
    numbers += drawn.length;
    if (numbers < STEP_NUMBERS) continue;
    numbers = 0;
    yield;
  }
  means.sort(compare);
  const ranked = (share: number): Rational => {
    const { n, d } = means[Math.ceil((share * BOOTSTRAP_DRAWS) / 1000) - 1] as Rational;
    return rational(n, d);
  };
  return {
    low: ranked(25),
    high: ranked(975),
    atMost: means.filter((mean) => compare(mean, mark) <= 0).length,
    atLeast: means.filter((mean) => compare(mean, mark) >= 0).length,
  };
}

/**
 * The mean of drawn clusters, not reduced. Sums that no draw can take beyond 2^53 - 1 are added as numbers,
 * which is faster.
 */
function meanOfDrawn(clusters: readonly Cluster[]): (drawn: Uint32Array) => Rational {
  const counts = Float64Array.from(clusters, ({ count }) => count);
  const countOf = (drawn: Uint32Array): bigint => {
    let count = 0;
    for (const at of drawn) count += counts[at] as number;
    return BigInt(count);
  };
  const size = BigInt(clusters.length);
  const limit = BigInt(Number.MAX_SAFE_INTEGER);
  if (clusters.every(({ sum }) => sum * size <= limit && -sum * size <= limit)) {
    const sums = Float64Array.from(clusters, ({ sum }) => Number(sum));
    return (drawn) => {
      let sum = 0;
      for (const at of drawn) sum += sums[at] as number;
      return { n: BigInt(sum), d: countOf(drawn) };
    };
  }
  return (drawn) => {
    let sum = 0n;
    for (const at of drawn) sum += (clusters[at] as Cluster).sum;
    return { n: sum, d: countOf(drawn) };
  };
}
