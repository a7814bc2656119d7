import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { BITCOIN, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { MAX_FUTURE_BLOCK_SECONDS } from '@assay/core/bitcoin/header';
import { bitsAt, LAST_EPOCH, worthInHeaders } from '@assay/core/bitcoin/epochs';
import { blockId, HEADER_BYTES, headerHash } from '@assay/core/bitcoin/header';
import { checkRun } from '@assay/core/bitcoin/header-run';
import { workOf } from '@assay/core/bitcoin/work';
import { faultCode } from '@assay/core/fault';
import { parseHex } from '@assay/core/bytes/hex';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import fc from 'fast-check';
import { sha256, sharedPath, vectors } from '../fixture/fixture.ts';
import { cut, EASY, mineChain, weakChain, weakSha256 } from './mined.ts';

interface RunVector {
  readonly note: string;
  readonly network: 'bitcoin' | 'development';
  readonly height: number;
  readonly headers: string;
}
interface AcceptedRun extends RunVector {
  readonly work: string;
  readonly ids: readonly string[];
}
interface RefusedRun extends RunVector {
  readonly at: string;
  readonly expected: string;
}
const NETWORKS = { bitcoin: BITCOIN, development: DEVELOPMENT };

test('header run: runs by example', () => {
  for (const vector of vectors<readonly AcceptedRun[]>('bitcoin/runs')) {
    const { note, network, height, work, ids } = vector;
    const headers = parseHex(vector.headers);
    const run = checkRun(sha256, NETWORKS[network], headers, height);
    assert.deepEqual(run, { height, headers, work: BigInt(work), ids }, note);
  }
});

test('header run: refused runs, each at its place', () => {
  for (const vector of vectors<readonly RefusedRun[]>('bitcoin/refused-runs')) {
    const { note, network, height, headers, at, expected } = vector;
    assert.throws(
      () => checkRun(sha256, NETWORKS[network], parseHex(headers), height),
      { code: 'bad_header', at, expected },
      note,
    );
  }
});

test('header run: any piece of a chain is a run, and the work adds up', () => {
  const headers = mineChain(60);
  const range = fc.tuple(fc.nat(59), fc.integer({ min: 1, max: 60 }));
  fc.assert(
    fc.property(range, ([from, length]) => {
      const piece = cut(headers, from, length);
      const run = checkRun(nodeSha256, DEVELOPMENT, piece, from);
      assert.equal(run.work, BigInt(piece.length / HEADER_BYTES) * 2n);
      assert.equal(run.ids[0], blockId(headerHash(nodeSha256, cut(headers, from, 1))));
      assert.equal(run.ids.length, piece.length / HEADER_BYTES);
    }),
  );
});

test('header run: with a whole epoch before them the next bits are recomputed', () => {
  const time = (height: number): number => 1_296_688_602 + height * 300;
  const bitsTo = (next: number) => (height: number) => (height < 2016 ? EASY.limit : next);
  const right = mineChain(2018, { time, bits: bitsTo(0x203ff7de) });
  const wrong = mineChain(2018, { time, bits: bitsTo(0x203ff7df) });
  assert.equal(checkRun(nodeSha256, EASY, right, 0).ids.length, 2018);
  const refused = { code: 'bad_header', at: 'height 2016' };
  assert.throws(() => checkRun(nodeSha256, EASY, wrong, 0), refused);
  // Without the epoch's first header both could be.
  for (const headers of [right, wrong]) {
    assert.equal(checkRun(nodeSha256, EASY, cut(headers, 1, 2017), 1).ids.length, 2017);
  }
});

test('header run: the last block of the table is known, whatever work another has', () => {
  const fields = [1, 2, 3].map((i) => ({ time: LAST_EPOCH.lastTime + i, bits: LAST_EPOCH.bits }));
  const headers = weakChain(new Uint8Array(32), fields);
  const at = (height: number): unknown => checkRun(weakSha256, BITCOIN, headers, height);
  const block = '000000000000000000010e2bc83838d1b9479b88341e4d0033dff524d16d5ef5';
  const refused = { at: 'height 832607', expected: `the table's block ${block}` };
  assert.throws(() => at(832_605), refused);
  assert.throws(() => at(832_607), refused);
  assert.ok(at(832_604), 'it is not among them');
  assert.ok(at(832_609), 'it is before them');
});

test('header run: none after the table is hours older than the table', () => {
  const least = LAST_EPOCH.lastTime - MAX_FUTURE_BLOCK_SECONDS;
  const at = (time: number, height: number): unknown => {
    const headers = weakChain(new Uint8Array(32), [{ time, bits: LAST_EPOCH.bits }]);
    return checkRun(weakSha256, BITCOIN, headers, height);
  };
  assert.ok(at(least, 960_000));
  assert.ok(at(least - 1, 832_606), 'in the table any time goes');
  const refused = { code: 'bad_header', at: 'height 960000', expected: /a time after/ };
  assert.throws(() => at(least - 1, 960_000), refused);
});

test('header run: the real headers of heights 822527 to 830592', (t) => {
  const path = sharedPath('data/bitcoin/headers-822527-830592.bin.gz');
  if (path === undefined) return t.skip('../shared is not here');
  const headers = new Uint8Array(gunzipSync(readFileSync(path)));
  const run = checkRun(nodeSha256, BITCOIN, headers, 822_527);
  assert.equal(run.ids.length, 8066);
  let work = 0n;
  for (let height = 822_527; height <= 830_592; height += 1) {
    work += workOf(bitsAt(height) as number);
  }
  assert.equal(run.work, work);
  assert.ok(worthInHeaders(run.work) > 7000 && worthInHeaders(run.work) < 8066);

  // Four changes of bits, three of them recomputed from a whole epoch: one height off breaks all.
  for (const height of [822_526, 822_528]) {
    assert.throws(() => checkRun(nodeSha256, BITCOIN, headers, height), { code: 'bad_header' });
  }
  fc.assert(
    fc.property(fc.nat(8065), fc.nat(79), fc.integer({ min: 1, max: 255 }), (i, byte, mask) => {
      const from = Math.max(0, i - 3);
      const piece = cut(headers, from, 7);
      const at = (i - from) * HEADER_BYTES + byte;
      piece[at] = (piece[at] as number) ^ mask;
      assert.throws(
        () => checkRun(nodeSha256, BITCOIN, piece, 822_527 + from),
        (error) => {
          assert.equal(faultCode(error), 'bad_header');
          assert.equal((error as { at?: string }).at, `height ${822_527 + i}`);
          return true;
        },
      );
    }),
  );
});
