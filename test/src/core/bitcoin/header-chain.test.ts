import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BITCOIN, type BitcoinNetwork, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { HEADER_BYTES, headerHash } from '@assay/core/bitcoin/header';
import { checkHeaders, type HeaderChain } from '../fixture/header-chain.ts';
import { LAST_EPOCH } from '@assay/core/bitcoin/epochs';
import { meetsTarget, workOf } from '@assay/core/bitcoin/work';
import type { Fault } from '@assay/core/fault';
import { parseHex } from '@assay/core/bytes/hex';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import fc from 'fast-check';
import { sha256, vectors } from '../fixture/fixture.ts';
import { cut, EASY, evenTime, mineAfter, mineChain, weakChain, weakSha256 } from './mined.ts';

interface ChainVector {
  readonly note: string;
  readonly network: 'bitcoin' | 'development';
  readonly first: number;
  readonly headers: string;
}
interface AcceptedChain extends ChainVector {
  readonly work: string;
  readonly tip: HeaderChain['tip'];
}
interface RefusedChain extends ChainVector {
  readonly at: string;
  readonly expected: string;
}
const NETWORKS = { bitcoin: BITCOIN, development: DEVELOPMENT };

const check = (network: BitcoinNetwork, bytes: Uint8Array): HeaderChain =>
  checkHeaders(nodeSha256, network, bytes, { first: 0 });

/** The place and the expectation of a refusal. */
function refusal(run: () => unknown): { at: string | undefined; expected: string | undefined } {
  try {
    run();
  } catch (error) {
    const { code, at, expected } = error as Fault;
    assert.equal(code, 'bad_header', String(error));
    return { at, expected };
  }
  return { at: undefined, expected: 'nothing: it passed' };
}

test('header chain: chains by example', () => {
  for (const { note, network, first, headers, work, tip } of vectors<readonly AcceptedChain[]>(
    'bitcoin/chains',
  )) {
    const bytes = parseHex(headers);
    const chain = checkHeaders(sha256, NETWORKS[network], bytes, { first });
    assert.equal(chain.network, NETWORKS[network], note);
    assert.equal(chain.first, first, note);
    assert.equal(chain.count, bytes.length / HEADER_BYTES, note);
    assert.equal(chain.work, BigInt(work), note);
    assert.deepEqual(chain.tip, tip, note);
  }
});

test('header chain: refused chains, each at its place', () => {
  for (const { note, network, first, headers, at, expected } of vectors<readonly RefusedChain[]>(
    'bitcoin/refused-chains',
  )) {
    const found = refusal(() =>
      checkHeaders(sha256, NETWORKS[network], parseHex(headers), { first }),
    );
    assert.deepEqual(found, { at, expected }, note);
  }
});

test('header chain: mined headers pass with their work, and each is found at its height', () => {
  const bytes = mineChain(40);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: -2, max: 45 }), (count, at) => {
      const chain = check(DEVELOPMENT, cut(bytes, 0, count));
      assert.equal(chain.work, 2n * BigInt(count));
      assert.equal(chain.tip.height, count - 1);
      assert.equal(chain.tip.time, evenTime(count - 1));
      const header = at >= 0 && at < count ? cut(bytes, at, 1) : undefined;
      assert.deepEqual(chain.header(at), header);
    }),
  );
  assert.equal(check(DEVELOPMENT, bytes).header(0.5), undefined);
});

test('header chain: any changed bit is refused at its height, or by the next link', () => {
  const bytes = mineChain(20);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(7), (place, bit) => {
      const changed = bytes.slice();
      changed[place] = (changed[place] as number) ^ (1 << bit);
      const height = Math.floor(place / HEADER_BYTES);
      const header = cut(changed, height, 1);
      const within = place % HEADER_BYTES;
      // Every second hash is work enough here: a new version, root, nonce or later time may have it.
      const lucky =
        height > 0 &&
        (within < 4 || (within >= 36 && within < 72) || within >= 76) &&
        meetsTarget(headerHash(sha256, header), DEVELOPMENT.limit);
      const { at } = refusal(() => check(DEVELOPMENT, changed));
      if (at === `height ${height}`) return;
      assert.ok(lucky, `byte ${within} of height ${height} passed as ${at}`);
      assert.equal(at, height === 19 ? undefined : `height ${height + 1}`);
    }),
    { numRuns: 500 },
  );
});

test('header chain: development headers never pass for the main chain', () => {
  const bytes = mineChain(8);
  assert.equal(refusal(() => check(BITCOIN, bytes)).at, 'height 0');
  // Not even with the main chain's own first header before them.
  const mixed = new Uint8Array(2 * HEADER_BYTES);
  mixed.set(BITCOIN.genesis);
  const easy = mineAfter(BITCOIN.genesis, { time: 1_231_469_665, bits: DEVELOPMENT.limit });
  mixed.set(easy, HEADER_BYTES);
  assert.equal(refusal(() => check(BITCOIN, mixed)).at, 'height 1');
  const after = (): unknown => checkHeaders(sha256, BITCOIN, bytes, { first: 832_608 });
  assert.equal(refusal(after).at, 'height 832608');
});

test('header chain: the bits change with the time that an epoch took, within the clamps', () => {
  const cases: readonly (readonly [note: string, seconds: number, next: number])[] = [
    ['a second a header: four times harder', 1, 0x201fffff],
    ['half the time', 300, 0x203ff7de],
    ['four days short of two weeks', 429, 0x205b797e],
    ['ten minutes a header are one interval short', 600, 0x207fefbd],
    ['slower than it should: the limit', 601, 0x207fffff],
  ];
  for (const [note, seconds, next] of cases) {
    const time = (height: number): number => 1_296_688_602 + height * seconds;
    const bits = (height: number): number => (height < 2016 ? EASY.limit : next);
    const bytes = mineChain(2018, { time, bits });
    assert.equal(check(EASY, bytes).count, 2018, note);
    const other = mineAfter(cut(bytes, 2015, 1), { time: time(2016), bits: next - 1 });
    bytes.set(other, 2016 * HEADER_BYTES);
    const { at, expected } = refusal(() => check(EASY, bytes));
    assert.equal(at, 'height 2016', note);
    assert.equal(expected, `bits ${next.toString(16)}, as the epoch before it took`, note);
  }
});

test('header chain: bits change at the epoch and nowhere else', () => {
  const time = (height: number): number => 1_296_688_602 + height;
  const wrong = [2015, 2017].map((changed) => {
    const bits = (height: number): number => (height < changed ? EASY.limit : 0x201fffff);
    return refusal(() => check(EASY, mineChain(2020, { time, bits }))).at;
  });
  assert.deepEqual(wrong, ['height 2015', 'height 2016']);
  // The development network has no epochs.
  assert.equal(check(DEVELOPMENT, mineChain(2020, { time })).count, 2020);
});

test('header chain: the second change counts from its own epoch', () => {
  // An epoch of a second a header, clamped, then one of 300 s: 300 times 2015 of 1209600.
  const bitsOf = [EASY.limit, 0x201fffff, 0x200ffdf7];
  const time = (height: number): number =>
    1_296_688_602 + Math.min(height, 2016) + Math.max(0, height - 2016) * 300;
  const bits = (height: number): number => bitsOf[Math.floor(height / 2016)] as number;
  const chain = check(EASY, mineChain(4034, { time, bits }));
  assert.equal(chain.work, 2016n * 2n + 2016n * 8n + 2n * 16n);
});

test('header chain: progress is reported every 2016 headers and at the end', () => {
  const told = (count: number): readonly number[] => {
    const out: number[] = [];
    const progress = (checked: number): void => void out.push(checked);
    checkHeaders(nodeSha256, DEVELOPMENT, mineChain(count), { first: 0 }, progress);
    return out;
  };
  assert.deepEqual(told(4040), [2016, 4032, 4040]);
  assert.deepEqual(told(2016), [2016]);
});

test('header chain: from the table on, its last epoch sets the bits and its end the link', () => {
  // The first epoch takes half its time, so that the second is twice as hard.
  const fields = (next: number): { time: number; bits: number }[] =>
    Array.from({ length: 2018 }, (_, i) => ({
      time: LAST_EPOCH.lastTime + 600 + i * 300,
      bits: i < 2016 ? 0x17038c12 : next,
    }));
  const checkAfter = (next: number): HeaderChain => {
    const bytes = weakChain(LAST_EPOCH.hash, fields(next));
    return checkHeaders(weakSha256, BITCOIN, bytes, { first: 832_608 });
  };
  // 300 s times 2015 of 1209600 s, of 0x038c12 << 160.
  const next = 0x1701c5cf;
  const chain = checkAfter(next);
  assert.equal(chain.first, 832_608);
  assert.equal(chain.tip.height, 834_625);
  assert.equal(chain.work, 2016n * workOf(0x17038c12) + 2n * workOf(next));
  assert.equal(chain.header(832_607), undefined);
  assert.deepEqual(chain.header(832_608)?.slice(4, 36), new Uint8Array(LAST_EPOCH.hash));
  assert.equal(refusal(() => checkAfter(next + 1)).at, 'height 834624');
});
