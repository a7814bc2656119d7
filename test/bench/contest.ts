import { setTimeout as sleep } from 'node:timers/promises';

/** One who does the same work as the others, in its own way. */
export interface Contestant {
  readonly name: string;
  /** Works for about `ms`; how many units of work it did a second. */
  readonly run: (ms: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

export interface ContestOptions {
  readonly rounds: number;
  /** Milliseconds of each turn. */
  readonly ms: number;
}

/** Units a second of each contestant, round by round. */
export type Results = ReadonlyMap<string, readonly number[]>;

/** A disk and a background compaction get this long to come to rest between turns. */
const REST_MS = 60;

/**
 * Lets the contestants work in turns, each round beginning with another one, so that whatever else
 * the machine does falls on all of them. The first round is practice and does not count.
 */
export async function contest(
  contestants: readonly Contestant[],
  { rounds, ms }: ContestOptions,
): Promise<Results> {
  const results = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  try {
    for (let round = 0; round <= rounds; round += 1) {
      for (let turn = 0; turn < contestants.length; turn += 1) {
        const contestant = contestants[(round + turn) % contestants.length] as Contestant;
        await sleep(REST_MS);
        const rate = await contestant.run(ms);
        if (round > 0) results.get(contestant.name)?.push(rate);
      }
    }
  } finally {
    for (const { close } of contestants) await close();
  }
  return results;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

export function rateOf(results: Results, name: string): number {
  return median(results.get(name) ?? []);
}

/** The median of the rounds' ratios: both of a ratio were measured within the same second or two. */
export function ratioOf(results: Results, name: string, peer: string): number {
  const peers = results.get(peer) ?? [];
  return median((results.get(name) ?? []).map((rate, i) => rate / (peers[i] as number)));
}

/** Repeats `work`, which does `units` of work, for about `ms`; units a second. */
export async function rateFor(
  ms: number,
  units: number,
  work: () => Promise<unknown>,
): Promise<number> {
  const start = performance.now();
  let done = 0;
  let elapsed = 0;
  do {
    await work();
    done += units;
    elapsed = performance.now() - start;
  } while (elapsed < ms);
  return (done / elapsed) * 1000;
}
