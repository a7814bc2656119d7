import type { Shown } from './shown.ts';

/** How often something was looked at under a name, and how often it was so. */
export type Count = readonly [name: string, of: number, hits: number];

/** Sums of counts. They are integers, so that the order in which they are added does not matter. */
export class Counts {
  readonly #sums = new Map<string, [of: number, hits: number]>();

  add(counts: Iterable<Count>): void {
    for (const [name, of, hits] of counts) {
      const sum = this.#sums.get(name) ?? [0, 0];
      this.#sums.set(name, [sum[0] + of, sum[1] + hits]);
    }
  }

  /** The sum over all names that a pattern fits, in which `*` stands for any part between two `|`. */
  of(pattern: string): { readonly of: number; readonly hits: number } {
    const parts = pattern.split('|');
    let [of, hits] = [0, 0];
    for (const [name, sum] of this.#sums) {
      const own = name.split('|');
      if (own.length !== parts.length) continue;
      if (!parts.every((part, i) => part === '*' || part === own[i])) continue;
      of += sum[0];
      hits += sum[1];
    }
    return { of, hits };
  }
}

/** The spans of weeks by which intervals are reported, each with its first number of weeks. */
export const WEEK_SPANS: readonly (readonly [words: string, from: number])[] = [
  ['1 to 4', 1],
  ['5 to 9', 5],
  ['10 to 19', 10],
  ['20 to 29', 20],
  ['30 or more', 30],
];

function spanOf(weeks: number): string {
  return WEEK_SPANS.findLast(([, from]) => weeks >= from)?.[0] ?? 'none';
}

/** How often intervals do not have the truth, in basis points, between their ends: by span of weeks, and by size. */
export function missCounts(
  prefix: string,
  shown: readonly Shown[],
  truth: number,
): readonly Count[] {
  return shown.flatMap(({ interval, weeks, isSized }): readonly Count[] => {
    if (interval === null) return [];
    const missed = truth < interval[0] || truth > interval[1];
    const size = isSized ? 'sized' : 'small';
    return [[`${prefix}|${spanOf(weeks)}|${size}`, 1, Number(missed)]];
  });
}

/** Whether any group holds, and each group by itself. */
export function holdCounts(prefix: string, shown: readonly Shown[]): readonly Count[] {
  const any = shown.some(({ holds }) => holds);
  return [
    [`${prefix}|any`, 1, Number(any)],
    ...shown.map(({ group, holds }): Count => [`${prefix}|${group}`, 1, Number(holds)]),
  ];
}
