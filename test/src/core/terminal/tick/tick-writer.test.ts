import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTickLeaves, parseTickLeaves, tickRoot } from '@assay/core/terminal/tick/tick-leaf';
import {
  formatTickValues,
  parseTickValues,
  tickCommitment,
  tickSalt,
  type TickSource,
  type TickValues,
} from '@assay/core/terminal/tick/tick-values';
import { type TickRow, TickWriter } from '@assay/core/terminal/tick/tick-writer';
import { formatTime } from '@assay/core/time/time';
import { parseWire } from '@assay/core/wire/wire';
import { sha256 } from '../../fixture/fixture.ts';
import { Random } from '../random.ts';

const SEED = new Uint8Array(32).fill(5);
const TS = 1_767_225_600;

function source(change: Partial<TickSource> = {}): TickSource {
  return { provider: 'one', price: '1.5', volume_24h: '7', stamped_at: formatTime(TS), ...change };
}

function row(change: Partial<TickRow> = {}): TickRow {
  const values = { price: '1.5', volume_24h: '7', sources: [source()] };
  return { symbol: 'BTC', score: 12, good: true, ...values, ...change };
}

/** Rows of every form that there is. */
function someRows(random: Random): readonly TickRow[] {
  const decimals = [null, '0', '-0.5', '123456789.000000001', '1', '99999999999999999999'];
  const pick = <T>(from: readonly T[]): T => from[random.below(from.length)] as T;
  const symbols = ['1000PEPE', 'A', 'BTC', 'SIXTEENLETTERS16'].filter(() => !random.oneIn(4));
  return symbols.map((symbol) => {
    const [price, volume] = [pick(decimals), pick(decimals)];
    const good = price !== null && !random.oneIn(3);
    const sources = Array.from({ length: random.below(9) }, (_, i) => ({
      provider: `source_${i}`,
      price: random.oneIn(2) ? price : pick(decimals),
      volume_24h: random.oneIn(2) ? volume : pick(decimals),
      stamped_at: random.oneIn(3) ? null : formatTime(TS - random.below(100)),
    }));
    const score = good && !random.oneIn(3) ? random.below(101) : null;
    return { symbol, score, good, price, volume_24h: volume, sources };
  });
}

test('tick writer: the bytes of the functions for one leaf, one after the other', () => {
  const writer = new TickWriter(sha256, SEED);
  const random = new Random(11);
  for (let i = 0; i < 300; i += 1) {
    const rows = someRows(random);
    if (rows.length === 0) continue;
    const ts = TS + 900 * i;
    const all = rows.map(({ symbol, price, volume_24h, sources }): TickValues => {
      const type = 'assay-tick-values/1';
      return { type, symbol, ts: formatTime(ts), price, volume_24h, sources };
    });
    const leaves = rows.map(({ symbol, score, good }, k) => {
      const bytes = formatTickValues(all[k] as TickValues);
      const salt = tickSalt(sha256, SEED, 'tick', symbol, ts);
      return { symbol, ts, score, good, commitment: tickCommitment(sha256, salt, bytes) };
    });
    const blob = formatTickLeaves(leaves);
    const written = writer.write(ts, rows, true);
    assert.deepEqual(written.blob, blob);
    assert.deepEqual(Buffer.from(written.root), Buffer.from(tickRoot(sha256, blob)));
    assert.equal(parseTickLeaves(written.blob).length, rows.length);
    for (const [k, { symbol, salt, bytes }] of written.openings.entries()) {
      assert.equal(symbol, rows[k]?.symbol);
      assert.deepEqual(parseTickValues(parseWire(bytes), 'values'), all[k]);
      assert.deepEqual(Buffer.from(salt), Buffer.from(tickSalt(sha256, SEED, 'tick', symbol, ts)));
    }
  }
});

test('tick writer: what was given stays as it was when more is written', () => {
  const writer = new TickWriter(sha256, SEED);
  const first = writer.write(TS, [row()], true);
  const before = structuredClone(first);
  writer.write(TS + 900, [row({ symbol: 'AAA' }), row({ symbol: 'ETH', price: '2' })], true);
  assert.deepEqual(structuredClone(first), before);
  assert.deepEqual(writer.write(TS, [row()], false).openings, []);
});

test('tick writer: values that no reader of an opening would take are refused', () => {
  const writer = new TickWriter(sha256, SEED);
  const bad: readonly Partial<TickRow>[] = [
    { price: '1e5' },
    { price: '1","x":"' },
    { volume_24h: '07' },
    { sources: [source({ price: '.5' })] },
    { sources: [source({ volume_24h: '' })] },
    { sources: [source({ provider: 'A"' })] },
    { sources: [source({ provider: '' })] },
    { sources: Array.from({ length: 9 }, () => source()) },
  ];
  for (const change of bad) {
    const write = (): unknown => writer.write(TS, [row(change)], false);
    assert.throws(write, { code: 'malformed' }, JSON.stringify(change));
  }
  const long = row({ price: '1'.repeat(9000) });
  assert.throws(() => writer.write(TS, [long], false), { code: 'too_large' });
  assert.throws(() => new TickWriter(sha256, new Uint8Array(31)), { code: 'bad_length' });
});
