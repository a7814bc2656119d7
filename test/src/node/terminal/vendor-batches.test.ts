import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TickSourceRead } from '@assay/node/terminal/tick-source';
import type { VendorAnswer } from '@assay/node/terminal/vendor-answer';
import { readBatches, type VendorBatches } from '@assay/node/terminal/vendor-batches';
import { never } from './vendor-fixture.ts';

const SYMBOLS: readonly string[] = Array.from({ length: 60 }, (_, i) => `S${i}`);
const NAMES = Object.fromEntries(SYMBOLS.map((symbol) => [symbol, symbol.toLowerCase()]));
const OK: VendorAnswer = { kind: 'json', value: null };
const BAD: VendorAnswer = { kind: 'nothing', reason: 'status 400', status: 400 };

function batches(
  ask: (names: readonly string[]) => Promise<VendorAnswer>,
  apart?: Set<string>,
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
    ...(apart === undefined ? {} : { refusal: { status: 400, apart } }),
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

test('vendor batches: when time is over, what was said stays said, whoever listens to the signal', async () => {
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
  const apart = new Set<string>();
  let bad = ['s3', 's27'];
  let asked: (readonly string[])[] = [];
  const read = async (): Promise<readonly (readonly [string, string | null])[]> => {
    asked = [];
    const reads = await readBatches(
      batches((names) => {
        asked.push(names);
        return Promise.resolve(names.some((name) => bad.includes(name)) ? BAD : OK);
      }, apart),
      SYMBOLS,
      never,
    );
    assert.equal(new Set(reads.map(({ symbol }) => symbol)).size, 60);
    return unpriced(reads);
  };
  const lost = [
    ['S3', 'status 400'],
    ['S27', 'status 400'],
  ];
  assert.deepEqual(await read(), lost);
  assert.ok(asked.length > 6 && asked.length < 30, `${asked.length} requests`);
  assert.deepEqual([...apart].sort(), ['s27', 's3']);
  assert.deepEqual(await read(), lost);
  assert.equal(asked.length, 8);
  bad = [];
  assert.deepEqual(await read(), []);
  assert.deepEqual([...apart], []);
  await read();
  assert.equal(asked.length, 6);
});

test('vendor batches: a vendor that refuses everything is not asked without end, and no name is to blame', async () => {
  const apart = new Set<string>();
  let asked = 0;
  const all = batches(() => {
    asked += 1;
    return Promise.resolve(BAD);
  }, apart);
  const reads = await readBatches(all, SYMBOLS, never);
  assert.equal(unpriced(reads).length, 60);
  assert.ok(asked <= 6 + 64, `${asked} requests`);
  assert.equal(apart.size, 0);
  for (const symbol of SYMBOLS.slice(0, 40)) apart.add(symbol.toLowerCase());
  asked = 0;
  const some = await readBatches({ ...all, size: 20 }, SYMBOLS, never);
  assert.equal(some.length, 60);
  assert.equal(some.filter(({ reason }) => reason === 'refused before').length, 20);
  assert.ok(asked <= 1 + 20 + 64);
});
