import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { headerHash } from '@assay/core/bitcoin/header';
import { HeaderWalk } from '@assay/core/bitcoin/header-walk';
import { faultCode } from '@assay/core/fault';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import fc from 'fast-check';
import { cut, EASY, mineChain } from './mined.ts';

/** Steps through headers from `height` on, and gives the height of the first refused one. */
function walk(headers: Uint8Array, height: number, network = DEVELOPMENT): number | HeaderWalk {
  const walker = new HeaderWalk(nodeSha256, network, height);
  const view = new DataView(headers.buffer, headers.byteOffset, headers.byteLength);
  for (let at = 0; at < headers.length; at += 80) {
    try {
      walker.step(headers, view, at);
    } catch (error) {
      assert.equal(faultCode(error), 'bad_header');
      return walker.height;
    }
  }
  return walker;
}

test('header walk: a time is after the median of the 11 before, or of all there are', () => {
  const start = 1_296_688_602;
  const steps = fc.array(fc.integer({ min: -4, max: 8 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(steps, (offsets) => {
      const times = [start];
      for (const offset of offsets) times.push((times.at(-1) as number) + offset);
      const refused = times.findIndex((time, height) => {
        const before = times.slice(Math.max(0, height - 11), height).sort((a, b) => a - b);
        return height > 0 && time <= (before[Math.floor(before.length / 2)] as number);
      });
      const headers = mineChain(times.length, { time: (height) => times[height] as number });
      const end = walk(headers, 0);
      assert.equal(typeof end === 'number' ? end : -1, refused);
    }),
  );
});

test('header walk: in mid-chain a median counts only once it is whole', () => {
  const time = (height: number): number => 1_296_688_602 + (height < 30 ? height * 600 : 0);
  const headers = mineChain(40, { time });
  assert.equal(walk(headers, 0), 30);
  assert.equal(walk(cut(headers, 19, 21), 19), 30, '11 before it');
  assert.notEqual(walk(cut(headers, 20, 11), 20), 30, '10 before it');
});

test('header walk: it ends with the hash, time, height and work of what it saw', () => {
  const headers = mineChain(9);
  const end = walk(cut(headers, 3, 5), 3) as HeaderWalk;
  assert.deepEqual(end.hash, headerHash(nodeSha256, cut(headers, 7, 1)));
  assert.equal(end.time, 1_296_688_602 + 7 * 600);
  assert.equal(end.height, 8);
  assert.equal(end.work, 10n);
  assert.equal(new HeaderWalk(nodeSha256, DEVELOPMENT, 5).work, 0n);
});

test('header walk: a change of bits that cannot be recomputed is at most fourfold', () => {
  const at = (next: number): number | HeaderWalk => {
    const bits = (height: number): number => (height < 2016 ? 0x201fffff : next);
    return walk(cut(mineChain(2017, { bits }), 2010, 7), 2010, EASY);
  };
  for (const next of [0x201fffff, 0x207ffffc, 0x2007ffff]) {
    assert.notEqual(at(next), 2016, next.toString(16));
  }
  for (const next of [0x207ffffd, 0x207fffff, 0x2007fffe, 0x1f7fffff]) {
    assert.equal(at(next), 2016, next.toString(16));
  }
});

test('header walk: a height is a whole number', () => {
  for (const height of [-1, 0.5, Number.NaN, 2 ** 53]) {
    assert.throws(() => new HeaderWalk(nodeSha256, DEVELOPMENT, height), TypeError);
  }
});
