import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BITCOIN, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { sha256 } from '../../core/fixture/fixture.ts';
import { HEADER_BYTES } from '@assay/core/bitcoin/header';
import { checkHeaders } from '../../core/fixture/header-chain.ts';
import { HeaderChecker } from '@assay/cli/headers/header-checker';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import fc from 'fast-check';
import { cut, EASY, mineChain } from '../../core/bitcoin/mined.ts';

const BYTES = mineChain(2100);

test('header checker: pieces of any length make the same chain', () => {
  const whole = checkHeaders(nodeSha256, DEVELOPMENT, BYTES, { first: 0 });
  const lengths = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1 });
  fc.assert(
    fc.property(lengths, (pieces) => {
      const checker = new HeaderChecker(nodeSha256, DEVELOPMENT, 0);
      let at = 0;
      for (const length of pieces) {
        // What is checked is a copy: the caller may write over its piece.
        const piece = BYTES.slice(at, at + length);
        checker.add(piece);
        piece.fill(0);
        at = Math.min(at + length, BYTES.length);
        assert.equal(checker.count, Math.floor(at / HEADER_BYTES));
      }
      checker.add(BYTES.subarray(at));
      const chain = checker.end();
      assert.deepEqual([chain.tip, chain.work, chain.count], [whole.tip, whole.work, whole.count]);
      for (const height of [0, 1, 2015, 2016, 2099, 2100]) {
        assert.deepEqual(chain.header(height), whole.header(height));
      }
    }),
    { numRuns: 20 },
  );
});

test('header checker: after a refusal nothing more is taken, and there is no chain', () => {
  const checker = new HeaderChecker(nodeSha256, DEVELOPMENT, 0);
  checker.add(cut(BYTES, 0, 3));
  const refused = { code: 'bad_header', at: 'height 3' };
  assert.throws(() => checker.add(cut(BYTES, 4, 1)), refused);
  assert.throws(() => checker.add(cut(BYTES, 3, 1)), refused);
  assert.throws(() => checker.end(), refused);
});

test('header checker: a chain ends after a whole header, once', () => {
  const checker = new HeaderChecker(nodeSha256, DEVELOPMENT, 0);
  assert.throws(() => checker.end(), { code: 'bad_header', at: 'height 0', found: '0 bytes' });
  checker.add(BYTES.subarray(0, 83));
  assert.throws(() => checker.end(), { code: 'bad_header', at: 'height 1', found: '3 bytes' });
  checker.add(BYTES.subarray(83, 160));
  const chain = checker.end();
  assert.equal(chain.tip.height, 1);
  assert.throws(() => checker.add(BYTES.subarray(160, 240)), TypeError);
  assert.throws(() => checker.end(), TypeError);
  assert.equal(chain.header(2), undefined);
});

test('header checker: a chain begins at genesis or where the table ends', () => {
  for (const first of [-80, 1, 2016, 832_607, 832_609]) {
    assert.throws(() => new HeaderChecker(nodeSha256, BITCOIN, first), TypeError);
  }
  assert.throws(() => new HeaderChecker(nodeSha256, DEVELOPMENT, 832_608), TypeError);
  assert.equal(new HeaderChecker(nodeSha256, BITCOIN, 832_608).count, 0);
});

test('header checker: harder headers are more work than more headers that are easier', () => {
  // An epoch of one second a header is followed by headers of four times the work.
  const quick = mineChain(2022, {
    time: (height) => 1_296_688_602 + height,
    bits: (height) => (height < 2016 ? EASY.limit : 0x201fffff),
  });
  const slow = mineChain(2030, { time: (height) => 1_296_688_602 + 601 * height });
  const harder = checkHeaders(sha256, EASY, quick, { first: 0 });
  const longer = checkHeaders(sha256, EASY, slow, { first: 0 });
  assert.equal(harder.work - longer.work, 6n * 8n - 14n * 2n);
});
