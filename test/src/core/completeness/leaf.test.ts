import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashHex, leafHash, toHashHex } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import {
  eventLeaf,
  INDEX_LEAF_BYTES,
  type IndexedPrint,
  type IndexLeaf,
  indexLeafHash,
  type IndexList,
  keyLeaf,
  parsePrintLeaf,
  periodKey,
  printLeaf,
  ruleLeaf,
} from '@assay/core/completeness/leaf';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { sha256, vectors } from '../fixture/fixture.ts';

interface LeafVector {
  readonly list: IndexList;
  readonly of: unknown;
  readonly leaf: IndexLeaf;
  readonly hash: string;
}

const LEAVES = vectors<{ readonly leaves: readonly LeafVector[] }>('index/index').leaves;

const PRINT: IndexedPrint = {
  period: 20_659,
  series: toHashHex('ab'.repeat(32)),
  status: 'final',
  issue: 0,
  report: toHashHex('cd'.repeat(32)),
};

test('index leaf: exact bytes and hashes', () => {
  assert.ok(LEAVES.length >= 6);
  for (const { list, of, leaf, hash } of LEAVES) {
    if (list === 'prints') {
      assert.equal(printLeaf(of as IndexedPrint), leaf);
      assert.deepEqual(parsePrintLeaf(leaf), of);
    } else if (list === 'rules') {
      const { series, version, rule } = of as { series: string; version: number; rule: string };
      assert.equal(ruleLeaf(toHashHex(series), version, toHashHex(rule)), leaf);
    } else if (list === 'events') {
      const { opened_at, id, record } = of as { opened_at: number; id: string; record: string };
      assert.equal(eventLeaf(opened_at, id, toHashHex(record)), leaf);
    } else {
      const { purpose, number, held } = of as { purpose: 'next'; number: number; held: string };
      assert.equal(keyLeaf(purpose, number, held), leaf);
    }
    assert.equal(hashHex(indexLeafHash(sha256, list, leaf)), hash);
    // The tag by hand: what is hashed is the RFC 6962 leaf of the tagged bytes.
    const tag = `assay/index/${list.slice(0, -1)}/v1\0`;
    const whole = Uint8Array.from([...formatUtf8(tag), ...parseHex(leaf)]);
    assert.equal(hashHex(leafHash(sha256, whole)), hash);
  }
});

test('index leaf: periods sort as numbers do, on both sides of 1970', () => {
  const periods = [-(2 ** 31), -719_162, -1, 0, 1, 255, 256, 20_659, 2 ** 31 - 1];
  const keys = periods.map((period) => periodKey(period, PRINT.series));
  assert.deepEqual(keys.toSorted(), keys);
  for (const period of periods) {
    assert.deepEqual(parsePrintLeaf(printLeaf({ ...PRINT, period })), { ...PRINT, period });
  }
  assert.ok(printLeaf(PRINT).startsWith(periodKey(PRINT.period, PRINT.series)));
});

test('index leaf: events sort by their opening', () => {
  const id = '00112233-4455-8677-8899-aabbccddeeff';
  const times = [0, 900, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 900, 253_402_300_799];
  const leaves = times.map((time) => eventLeaf(time, id, PRINT.report));
  assert.deepEqual(leaves.toSorted(), leaves);
  for (const leaf of leaves) assert.equal(leaf.length, 2 * INDEX_LEAF_BYTES.events);
});

test('index leaf: what is no leaf of a print is refused', () => {
  const leaf = printLeaf(PRINT);
  for (const bad of [
    '',
    leaf.slice(2),
    `${leaf}00`,
    leaf.toUpperCase(),
    `${leaf.slice(0, 72)}00${leaf.slice(74)}`,
    `${leaf.slice(0, 72)}05${leaf.slice(74)}`,
  ]) {
    assert.throws(() => parsePrintLeaf(bad), { code: 'malformed' }, bad);
  }
  assert.throws(() => indexLeafHash(sha256, 'rules', leaf), { code: 'bad_length' });
  assert.equal(leaf.length, 2 * INDEX_LEAF_BYTES.prints);
});
