import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryCounts } from '@assay/node/terminal/tick/study-entries';

/** Leaves of which some are good, and which counts of them were read. */
class Leaves {
  readonly #read = new Set<number>();
  readonly #good: Readonly<Record<string, readonly number[]>>;

  constructor(good: Readonly<Record<string, readonly number[]>>) {
    this.#good = good;
  }

  read(from: number, to: number): Promise<void> {
    for (let at = from; at <= to; at += 1) this.#read.add(at);
    return Promise.resolve();
  }

  readonly isGood = (index: number, symbol: string): boolean =>
    this.#read.has(index) && this.#good[symbol]?.includes(index) === true;
}

const DAY = Array.from({ length: 96 }, (_, i) => 960 + i);

async function entries(good: readonly number[], index: number): Promise<readonly number[]> {
  const opening = { symbol: 'BTC', index, silent: 6 };
  const leaves = new Leaves({ BTC: good, ETH: DAY });
  return [...(await entryCounts([opening], DAY, leaves))];
}

test('study entries: after an opening the first count at which its own asset is good', async () => {
  assert.deepEqual(await entries([970, 971, 972], 970), [971]);
  assert.deepEqual(await entries([970, 976, 977], 970), [976]);
});

test('study entries: none where the asset is not good in time', async () => {
  assert.deepEqual(await entries([970, 977], 970), []);
});

test('study entries: an opening of the day before counts, and an entry of another day does not', async () => {
  assert.deepEqual(await entries([959, 960], 958), []);
  assert.deepEqual(await entries([958, 961], 958), [961]);
  assert.deepEqual(await entries([1055, 1056], 1055), []);
  assert.deepEqual(await entries([958, 964], 953), []);
});
