import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import {
  formatTickValues,
  parseTickValues,
  tickCommitment,
  tickSalt,
} from '@assay/core/terminal/tick/tick-values';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { parseWire, type WireObject } from '@assay/core/wire/wire';
import { sha256, vectors } from '../../fixture/fixture.ts';

interface ValuesVector {
  readonly name: string;
  readonly values: WireObject;
  readonly canonical: string;
  /** Unix seconds. */
  readonly time: number;
  readonly seed: string;
  readonly salt: string;
  readonly price_salt: string;
  readonly commitment: string;
}

const VECTORS = vectors<readonly ValuesVector[]>('tick/values');

test('tick values: exact bytes, their salt and their commitment', () => {
  for (const each of VECTORS) {
    const values = parseTickValues(parseWire(formatUtf8(each.canonical)), 'values');
    assert.deepEqual(values, each.values, each.name);
    const bytes = formatTickValues(values);
    assert.equal(Buffer.from(bytes).toString(), each.canonical, each.name);
    const seed = parseHex(each.seed);
    const salt = tickSalt(sha256, seed, 'tick', values.symbol, each.time);
    assert.equal(formatHex(salt), each.salt, each.name);
    const price = tickSalt(sha256, seed, 'price', values.symbol, each.time);
    assert.equal(formatHex(price), each.price_salt, each.name);
    assert.equal(hashHex(tickCommitment(sha256, salt, bytes)), each.commitment, each.name);
  }
});

test('tick values: what is none is refused, with its place', () => {
  interface Refused {
    readonly name: string;
    readonly values: WireObject;
    readonly at: string;
  }
  for (const { name, values, at } of vectors<readonly Refused[]>('tick/refused-values')) {
    assert.throws(() => parseTickValues(values, 'values'), { code: 'malformed', at }, name);
  }
});

test('tick values: a seed or a salt of another length is refused', () => {
  const short = new Uint8Array(31);
  const values = new Uint8Array(2);
  assert.throws(() => tickCommitment(sha256, short, values), { code: 'bad_length' });
  assert.throws(() => tickSalt(sha256, short, 'tick', 'BTC', 0), { code: 'bad_length' });
});
