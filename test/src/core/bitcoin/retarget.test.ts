import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retarget } from '@assay/core/bitcoin/retarget';
import { formatBits, targetOf } from '@assay/core/bitcoin/work';
import fc from 'fast-check';
import { vectors } from '../fixture/fixture.ts';

interface RetargetVector {
  readonly note: string;
  readonly old: string;
  readonly first_time: number;
  readonly last_time: number;
  readonly limit: string;
  readonly bits: string;
}
const read = (bits: string): number => Number.parseInt(bits, 16);

test('bitcoin retarget: by example', () => {
  for (const vector of vectors<readonly RetargetVector[]>('bitcoin/retargets')) {
    const { note, first_time, last_time } = vector;
    const next = retarget(read(vector.old), first_time, last_time, read(vector.limit));
    assert.equal(formatBits(next), vector.bits, note);
  }
});

test('bitcoin retarget: slower is never harder, and both clamps hold', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0x17000001, max: 0x177fffff }),
      fc.nat(6_000_000),
      fc.nat(6_000_000),
      (bits, a, b) => {
        if ((bits & 0x7fffff) < 0x8000) return;
        const after = (took: number): bigint => targetOf(retarget(bits, 0, took, 0x1d00ffff));
        assert.ok(after(Math.min(a, b)) <= after(Math.max(a, b)));
        const target = targetOf(bits);
        assert.ok(after(a) <= target * 4n);
        // The compact form cuts up to one part in 2^15 off.
        assert.ok(after(a) * 4n * 32768n >= target * 32767n);
      },
    ),
  );
});

test('bitcoin retarget: from bits that encode no target there is no next', () => {
  assert.throws(() => retarget(0, 0, 1_209_600, 0x1d00ffff), { code: 'bad_header' });
  assert.throws(() => retarget(0x1d00ffff, 0, 1_209_600, 0xff123456), { code: 'bad_header' });
});
