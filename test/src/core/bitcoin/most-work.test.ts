import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { checkHeaders } from '@assay/core/bitcoin/header-chain';
import { mostWork, type Worked } from '@assay/core/bitcoin/most-work';
import fc from 'fast-check';
import { sha256 } from '../fixture/fixture.ts';
import { cut, EASY, mineChain } from './mined.ts';

test('bitcoin most work: the order of asking matters only between equals', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n }), fc.bigInt({ min: 0n }), (x, y) => {
      const a = { work: x };
      const b = { work: y };
      const chosen = mostWork(a, b);
      assert.equal(chosen.work, x > y ? x : y);
      if (x === y) assert.equal(chosen, a, 'the one seen first stays');
      else assert.equal(mostWork(b, a), chosen);
    }),
  );
});

test('bitcoin most work: harder headers win over more of them', () => {
  // An epoch of one second a header is followed by headers of four times the work.
  const quick = mineChain(2022, {
    time: (height) => 1_296_688_602 + height,
    bits: (height) => (height < 2016 ? EASY.limit : 0x201fffff),
  });
  const slow = mineChain(2030, { time: (height) => 1_296_688_602 + 601 * height });
  const harder = checkHeaders(sha256, EASY, quick, { first: 0 });
  const longer = checkHeaders(sha256, EASY, slow, { first: 0 });
  assert.equal(harder.work - longer.work, 6n * 8n - 14n * 2n);
  assert.equal(mostWork(longer, harder), harder);
  assert.equal(mostWork(harder, longer), harder);
  const same = checkHeaders(sha256, DEVELOPMENT, cut(slow, 0, 2030), { first: 0 });
  assert.equal(mostWork(longer, same), longer);
  assert.equal(mostWork(same, longer), same);
});

test('bitcoin most work: what begins elsewhere is not compared', () => {
  const whole = { work: 10n, first: 0 };
  const rest = { work: 3n, first: 832_608 };
  assert.throws(() => mostWork(whole, rest), TypeError);
  assert.equal(mostWork(rest, { work: 4n, first: 832_608 }).work, 4n);
  assert.equal(mostWork<Worked>({ work: 1n }, rest), rest);
});
