import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { contentHash, hashHex, toHash, toHashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import {
  formatPrint,
  parsePrint,
  type Print,
  PRINT_BYTES,
  printOf,
  seriesId,
} from '@assay/core/report/print';
import { parseReport } from '@assay/core/report/report';
import type { Ticker } from '@assay/core/rule/ticker';
import type { WireObject } from '@assay/core/wire/wire';
import fc from 'fast-check';
import { sampleReport, sha256, vectors } from '../fixture/fixture.ts';

interface PrintVector {
  readonly name: string;
  readonly report: WireObject;
  readonly print: string;
  readonly hash: string;
}
const PRINTS = vectors<readonly PrintVector[]>('print/prints');

test('print: 128 exact bytes of each report', () => {
  for (const { name, report, print, hash } of PRINTS) {
    const bytes = formatPrint(printOf(sha256, parseReport(report)));
    assert.equal(bytes.length, PRINT_BYTES);
    assert.equal(formatHex(bytes), print, name);
    assert.equal(hashHex(contentHash(sha256, bytes)), hash);
    assert.deepEqual(formatPrint(parsePrint(bytes)), bytes);
    assert.deepEqual(parsePrint(bytes), printOf(sha256, parseReport(report)));
  }
});

test('print: the layout, field by field', () => {
  const bytes = Buffer.from(
    formatPrint(printOf(sha256, sampleReport('lowest i64, three decimals'))),
  );
  assert.equal(bytes.subarray(0, 8).toString(), 'assayPR1');
  assert.equal(bytes.readBigInt64LE(104), -(2n ** 63n));
  assert.equal(bytes.readBigInt64LE(112), BigInt(Date.UTC(2026, 0, 12, 12, 30, 1) / 1000));
  assert.equal(bytes.readInt32LE(120), Date.UTC(2025, 11, 1) / 86_400_000);
  assert.deepEqual([...bytes.subarray(124)], [2, 3, 1, 0]);
});

test('print: a series is named by log and ticker', () => {
  const cases = vectors<{ log: string; ticker: string; series: string }[]>('print/series');
  for (const { log, ticker, series } of cases) {
    assert.equal(formatHex(seriesId(sha256, toHashHex(log), ticker as Ticker)), series);
  }
  assert.equal(new Set(cases.map(({ series }) => series)).size, cases.length);
});

test('print: named refusals', () => {
  for (const { name, hex, fault } of vectors<{ name: string; hex: string; fault: string }[]>(
    'print/refused',
  )) {
    assert.throws(() => parsePrint(parseHex(hex)), { code: fault }, name);
  }
});

test('print: a changed byte fails or is another print', () => {
  for (const { print } of PRINTS) {
    const good = parseHex(print);
    const before = parsePrint(good);
    for (let i = 0; i < PRINT_BYTES; i += 1) {
      for (const value of [0, 1, 2, 3, 4, 5, 0x80, 0xff]) {
        if (good[i] === value) continue;
        const changed = good.slice();
        changed[i] = value;
        let parsed: Print;
        try {
          parsed = parsePrint(changed);
        } catch (error) {
          assert.ok(error instanceof Fault && error.code === 'malformed');
          continue;
        }
        assert.notDeepEqual(parsed, before);
        assert.deepEqual(formatPrint(parsed), changed);
      }
    }
  }
});

test('print: bytes in the middle of a larger buffer are read where they lie', () => {
  const print = parseHex(PRINTS[1]?.print ?? '');
  const padded = new Uint8Array(200).fill(0xee);
  padded.set(print, 33);
  assert.deepEqual(parsePrint(padded.subarray(33, 33 + PRINT_BYTES)), parsePrint(print));
});

test('print: a number that its field cannot hold is refused, not wrapped', () => {
  const good = printOf(sha256, sampleReport('final'));
  const bad: readonly Partial<Print>[] = [
    { value: 2n ** 63n },
    { value: -(2n ** 63n) - 1n },
    { publishedAt: 2n ** 63n },
    { period: 2 ** 31 },
    { period: -(2 ** 31) - 1 },
    { period: 0.5 },
    { decimals: 19 },
    { decimals: -1 },
    { issue: 256 },
    { issue: Number.NaN },
  ];
  for (const change of bad) {
    assert.throws(
      () => formatPrint({ ...good, ...change }),
      { code: 'out_of_range' },
      Object.keys(change)[0],
    );
  }
});

test('print: random prints survive the round trip', () => {
  const hash = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes) => hashHex(toHash(bytes)));
  const prints = fc.record(
    {
      series: hash,
      rule: hash,
      report: hash,
      value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      publishedAt: fc.bigInt({ min: 0n, max: 2n ** 40n }),
      period: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      status: fc.constantFrom('provisional' as const, 'corrected' as const),
      decimals: fc.integer({ min: 0, max: 18 }),
      settleable: fc.constant(false),
      withheld: fc.constant(false),
      issue: fc.integer({ min: 1, max: 255 }),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(prints, (print) => assert.deepEqual(parsePrint(formatPrint(print)), print)),
  );
});
