import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import type { HeaderSource } from '@assay/node/bitcoin/header-source';
import { mined } from './mined-headers.ts';

/** A source of `headers`, which begin at genesis, and a way to give it others. */
export interface SourceWorld {
  readonly source: HeaderSource;
  readonly replace: (headers: readonly Uint8Array[]) => Promise<void>;
}

const hex = (headers: readonly Uint8Array[]) => headers.map((each) => formatHex(each));

/** What every header source does. */
export function headerSourceSuite(
  name: string,
  make: (t: TestContext, headers: readonly Uint8Array[]) => Promise<SourceWorld>,
): void {
  test(`${name}: the headers of a chain, from anywhere, and fewer at its end`, async (t) => {
    const headers = mined(130);
    const { source } = await make(t, headers);
    assert.equal(await source.tip(), 130);
    for (const [from, count] of [
      [0, 1],
      [0, 131],
      [5, 7],
      [130, 1],
      [128, 10],
      [131, 1],
      [2000, 5],
    ] as const) {
      const found = hex(await source.headers(from, count));
      assert.deepEqual(found, hex(headers.slice(from, from + count)), `${from} ${count}`);
    }
  });

  test(`${name}: genesis alone is a chain`, async (t) => {
    const { source } = await make(t, mined(0));
    assert.equal(await source.tip(), 0);
    assert.equal((await source.headers(0, 3)).length, 1);
  });

  test(`${name}: each call sees the chain as it is then`, async (t) => {
    const { source, replace } = await make(t, mined(4));
    assert.equal(await source.tip(), 4);
    const other = mined(3, 1, mined(2));
    await replace(other);
    assert.equal(await source.tip(), 5);
    assert.deepEqual(hex(await source.headers(1, 9)), hex(other.slice(1)));
    await replace(mined(1));
    assert.equal(await source.tip(), 1);
    assert.deepEqual(await source.headers(2, 1), []);
  });

  test(`${name}: a range that is none is the caller's mistake`, async (t) => {
    const { source } = await make(t, mined(1));
    await assert.rejects(source.headers(-1, 1), TypeError);
    await assert.rejects(source.headers(0, 0), TypeError);
    await assert.rejects(source.headers(0, 2017), TypeError);
  });
}
