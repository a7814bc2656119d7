import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointG1, pointG2 } from '@assay/core/timelock/curve-point';
import { QUICKNET } from '@assay/core/timelock/beacon-chain';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { vectorSignature } from './timelock-vectors.ts';

/** Compressed infinity, which the curve's library takes. */
const infinity = (length: number): Uint8Array => Uint8Array.of(0xc0, ...new Uint8Array(length - 1));

test('points: what is taken is written back as it was', () => {
  const signature = vectorSignature('quicknet', 1000);
  assert.equal(formatHex(pointG1(parseHex(signature))?.toBytes(true) ?? infinity(48)), signature);
  const key = QUICKNET.public_key;
  assert.equal(formatHex(pointG2(parseHex(key))?.toBytes(true) ?? infinity(96)), key);
});

test('points: neither infinity nor another length is taken', () => {
  const [g1, g2] = [
    pointG1(parseHex(vectorSignature('quicknet', 1000))),
    pointG2(parseHex(QUICKNET.public_key)),
  ];
  assert.ok(g1 !== undefined && g2 !== undefined);
  assert.equal(pointG1(infinity(48)), undefined);
  assert.equal(pointG2(infinity(96)), undefined);
  assert.equal(pointG1(g1.toBytes(false)), undefined);
  assert.equal(pointG2(g2.toBytes(false)), undefined);
  assert.equal(pointG1(g2.toBytes(true)), undefined);
  assert.equal(pointG2(g1.toBytes(true)), undefined);
  assert.equal(pointG2(new Uint8Array(0)), undefined);
});
