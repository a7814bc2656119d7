import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TickSourceRead } from '@assay/node/terminal/vendor/tick-source';
import type { VendorAnswer } from '@assay/node/terminal/vendor/vendor-answer';
import {
  noRefusedNames,
  readBatches,
  type RefusedNames,
  type VendorBatches,
} from '@assay/node/terminal/vendor/vendor-batches';
import { never } from '../vendor-fixture.ts';

const SYMBOLS: readonly string[] = Array.from({ length: 60 }, (_, i) => `S${i}`);
const NAMES = Object.fromEntries(SYMBOLS.map((symbol) => [symbol, symbol.toLowerCase()]));
const OK: VendorAnswer = { kind: 'json', value: null };
const BAD: VendorAnswer = { kind: 'nothing', reason: 'status 400', status: 400 };

function batches(
  ask: (names: readonly string[]) => Promise<VendorAnswer>,
  memory?: RefusedNames,
): VendorBatches {
  return {
    provider: 'vendor',
    names: NAMES,
    size: 10,
    ask,
    take: (_answer, batch) =>
      batch.map(({ symbol }) => {
        const said = { provider: 'vendor', price: '1', volume_24h: null, stamped_at: null };
        return { symbol, said, reason: null };
      }),
    ...(memory === undefined ? {} : { refusal: { status: 400, memory } }),
  };
}

const unpriced = (
  reads: readonly TickSourceRead[],
): readonly (readonly [string, string | null])[] =>
  reads.flatMap(({ symbol, reason }) => (reason === null ? [] : [[symbol, reason] as const]));

test('vendor batches: four requests at once, a name each once, in the order that was asked for', async () => {
  let [out, most] = [0, 0];
  const asked: string[] = [];
  const reads = await readBatches(
    batches(async (names) => {
      asked.push(...names);
      out += 1;
      most = Math.max(most, out);
      await new Promise((resolve) => setTimeout(resolve, 2));
      out -= 1;
      return OK;
    }),
    [...SYMBOLS, 'UNKNOWN'],
    never,
  );
  assert.equal(most, 4);
  assert.deepEqual(asked, Object.values(NAMES));
  assert.deepEqual(
    reads.map(({ symbol }) => symbol),
    SYMBOLS,
  );
});

test('vendor batches: when time is over, what was answered counts, whoever listens to the signal', async () => {
  const over = new AbortController();
  let asked = 0;
  const reading = readBatches(
    batches((names) => {
      asked += 1;
      if (names.includes('s0')) return Promise.resolve(OK);
      if (names.includes('s10')) return Promise.reject(new Error('it broke'));
      if (names.includes('s20')) return new Promise(() => {});
      return new Promise((_resolve, reject) => {
        over.signal.addEventListener('abort', () => reject(new Error('over')));
        if (names.includes('s50')) over.abort();
      });
    }),
    SYMBOLS,
    over.signal,
  );
  const reads = await reading;
  assert.equal(asked, 6);
  assert.equal(reads.length, 60);
  assert.deepEqual(
    reads.map(({ reason }) => reason),
    [...Array(10).fill(null), ...Array(10).fill('failed'), ...Array(40).fill('timeout')],
  );
  const late = await readBatches(
    batches(() => Promise.reject(new Error('asked'))),
    ['S1'],
    over.signal,
  );
  assert.deepEqual(unpriced(late), [['S1', 'timeout']]);
});

test('vendor batches: a refused name costs itself alone, once, until it is answered again', async () => {
  const memory = noRefusedNames();
  let bad = ['s3', 's27'];
  let asked: (readonly string[])[] = [];
  const read = async (): Promise<readonly (readonly [string, string | null])[]> => {
    asked = [];
    const reads = await readBatches(
      batches((names) => {
        asked.push(names);
        return Promise.resolve(names.some((name) => bad.includes(name)) ? BAD : OK);
      }, memory),
      SYMBOLS,
      never,
    );
    assert.equal(new Set(reads.map(({ symbol }) => symbol)).size, 60);
    return unpriced(reads);
  };
  const lost = [
    ['S3', 'refused alone'],
    ['S27', 'refused alone'],
  ];
  assert.deepEqual(await read(), lost);
  assert.ok(asked.length > 6 && asked.length < 30, `${asked.length} requests`);
  assert.deepEqual([...memory.apart].sort(), ['s27', 's3']);
  assert.deepEqual(await read(), lost);
  assert.equal(asked.length, 8);
  bad = [];
  assert.deepEqual(await read(), []);
  assert.deepEqual(memory, noRefusedNames());
  await read();
  assert.equal(asked.length, 6);
});

test('vendor batches: a vendor that refuses everything is not asked without end, and no name is to blame', async () => {
  const memory = noRefusedNames();
  let asked = 0;
  const all = batches(() => {
    asked += 1;
    return Promise.resolve(BAD);
  }, memory);
  const reads = await readBatches(all, SYMBOLS, never);
  assert.equal(unpriced(reads).length, 60);
  assert.ok(asked <= 6 + 64, `${asked} requests`);
  assert.deepEqual(memory, noRefusedNames());
  assert.deepEqual(new Set(unpriced(reads).map(([, reason]) => reason)), new Set(['status 400']));
  for (const symbol of SYMBOLS.slice(0, 40)) memory.apart.add(symbol.toLowerCase());
  asked = 0;
  const some = await readBatches({ ...all, size: 20 }, SYMBOLS, never);
  assert.equal(some.length, 60);
  assert.equal(some.filter(({ reason }) => reason === 'refused alone').length, 20);
  assert.ok(asked <= 1 + 20 + 64);
});

/** A vendor of `of` pairs that does not have some of them. */
class Exchange {
  readonly symbols: readonly string[];
  readonly bad: Set<string>;
  readonly memory = noRefusedNames();
  requests = 0;
  refusals = 0;
  asked: string[] = [];
  onRefusal: (count: number) => void = () => {};

  constructor(of: number, bad: number) {
    this.symbols = Array.from({ length: of }, (_, i) => `S${i}`);
    const spread = Array.from({ length: bad }, (_, k) => Math.floor(((k + 0.5) * of) / bad));
    this.bad = new Set(spread.map((i) => `S${i}`));
  }

  /** The pairs without a price, and why, by their symbols. */
  async read(signal = never): Promise<ReadonlyMap<string, string | null>> {
    [this.requests, this.refusals, this.asked] = [0, 0, []];
    const ask = (names: readonly string[]): Promise<VendorAnswer> => {
      this.requests += 1;
      this.asked.push(...names);
      if (!names.some((name) => this.bad.has(name))) return Promise.resolve(OK);
      this.refusals += 1;
      this.onRefusal(this.refusals);
      return Promise.resolve(BAD);
    };
    const names = Object.fromEntries(this.symbols.map((symbol) => [symbol, symbol]));
    const all = { ...batches(ask, this.memory), names, size: 100 };
    const reads = await readBatches(all, this.symbols, signal);
    assert.deepEqual(
      reads.map(({ symbol }) => symbol),
      this.symbols,
    );
    return new Map(unpriced(reads));
  }
}

for (const [of, bad, within] of [
  [80, 10, 2],
  [80, 16, 2],
  [500, 8, 2],
  [500, 15, 3],
  [500, 25, 4],
] as const) {
  test(`vendor batches: ${bad} of ${of} names that are refused are found in ${within} readings`, async () => {
    const exchange = new Exchange(of, bad);
    let lost: readonly string[] = exchange.symbols;
    let known = 0;
    for (let k = 1; k <= within; k += 1) {
      const unread = await exchange.read();
      assert.ok(exchange.requests <= Math.ceil(of / 100) + 64 + 20, `${exchange.requests}`);
      const now = [...unread.keys()].filter((symbol) => !exchange.bad.has(symbol));
      // What had a price has one again.
      assert.ok(now.every((symbol) => lost.includes(symbol)));
      lost = now;
      const { apart } = exchange.memory;
      assert.ok(apart.size > known, `${apart.size} after reading ${k}`);
      known = apart.size;
    }
    assert.deepEqual(lost, []);
    assert.deepEqual(exchange.memory.apart, exchange.bad);
    assert.equal(exchange.memory.pieces.size, 0);
    const unread = await exchange.read();
    assert.deepEqual(new Set(unread.keys()), exchange.bad);
    assert.deepEqual(new Set(unread.values()), new Set(['refused alone']));
    assert.equal(exchange.requests, Math.ceil((of - bad) / 100) + Math.min(bad, 20));
  });
}

test('vendor batches: names that were refused alone are asked for again in turn', async () => {
  const exchange = new Exchange(60, 30);
  for (let k = 0; k < 3; k += 1) await exchange.read();
  assert.deepEqual(exchange.memory.apart, exchange.bad);
  const asked = new Set<string>();
  for (const each of [20, 30]) {
    await exchange.read();
    for (const name of exchange.asked) if (exchange.bad.has(name)) asked.add(name);
    assert.equal(asked.size, each);
  }
  const [back] = [...exchange.memory.apart].slice(25);
  exchange.bad.delete(back as string);
  await exchange.read();
  const unread = await exchange.read();
  assert.equal(unread.size, 29);
  assert.equal(unread.has(back as string), false);
  // Also while nobody is answered.
  exchange.bad.clear();
  for (const symbol of exchange.symbols) exchange.bad.add(symbol);
  const before = [...exchange.memory.apart];
  await exchange.read();
  const after = [...exchange.memory.apart];
  assert.deepEqual(after, [...before.slice(20), ...before.slice(0, 20)]);
});

test('vendor batches: pieces that time was over for are asked for at the next reading', async () => {
  const exchange = new Exchange(200, 2);
  const over = new AbortController();
  exchange.onRefusal = (count): void => {
    if (count === 4) over.abort();
  };
  const first = await exchange.read(over.signal);
  assert.ok([...first.values()].includes('timeout'));
  assert.ok(exchange.memory.pieces.size > 0);
  const second = await exchange.read();
  assert.deepEqual(new Set(second.keys()), exchange.bad);
  assert.equal(exchange.memory.pieces.size, 0);
});
