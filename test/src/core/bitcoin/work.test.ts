import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compactOf,
  formatBits,
  isAtMost,
  meetsTarget,
  targetBytes,
  targetOf,
  workOf,
} from '@assay/core/bitcoin/work';
import fc from 'fast-check';
import { vectors } from '../fixture/fixture.ts';

interface Compact {
  readonly exact: readonly { bits: string; target: string; work: string }[];
  readonly other_spellings: readonly {
    note: string;
    bits: string;
    target: string;
    bits_again: string;
  }[];
  readonly rounded: readonly { note: string; target: string; bits: string }[];
  readonly refused: readonly { note: string; bits: string }[];
}
const COMPACT = vectors<Compact>('bitcoin/compact');
const read = (bits: string): number => Number.parseInt(bits, 16);

test('bitcoin work: compact targets by example', () => {
  for (const { bits, target, work } of COMPACT.exact) {
    assert.equal(targetOf(read(bits)), BigInt(target), bits);
    assert.equal(formatBits(compactOf(BigInt(target))), bits);
    assert.equal(workOf(read(bits)), BigInt(work), bits);
  }
  for (const { note, bits, target, bits_again } of COMPACT.other_spellings) {
    assert.equal(targetOf(read(bits)), BigInt(target), note);
    assert.equal(formatBits(compactOf(BigInt(target))), bits_again, note);
  }
  for (const { note, target, bits } of COMPACT.rounded) {
    assert.equal(formatBits(compactOf(BigInt(target))), bits, note);
  }
});

test('bitcoin work: bits that encode no target', () => {
  for (const { note, bits } of COMPACT.refused) {
    const refused = { code: 'bad_header', found: bits };
    assert.throws(() => targetOf(read(bits)), refused, note);
    assert.throws(() => workOf(read(bits)), refused, note);
    assert.throws(() => targetBytes(read(bits)), refused, note);
    assert.equal(meetsTarget(new Uint8Array(32), read(bits)), false, note);
  }
  for (const bits of [-1, 2 ** 32, 1.5]) assert.throws(() => targetOf(bits), TypeError);
  for (const target of [-1n, 1n << 256n]) assert.throws(() => compactOf(target), TypeError);
});

const targets = fc.bigInt({ min: 1n, max: (1n << 256n) - 1n });

test('bitcoin work: a compact form keeps the first bytes and is its own compact form', () => {
  fc.assert(
    fc.property(targets, fc.nat(255), (wide, shift) => {
      const target = wide >> BigInt(shift);
      if (target === 0n) return;
      const kept = targetOf(compactOf(target));
      assert.ok(kept <= target);
      // 23 bits hold at least 16 of the number.
      assert.ok((target - kept) * 32768n <= target, `${target} became ${kept}`);
      assert.equal(compactOf(kept), compactOf(target));
    }),
  );
});

test('bitcoin work: a hash meets a target as a number, little endian', () => {
  const bytesOf = (value: bigint): Uint8Array =>
    Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
  fc.assert(
    fc.property(targets, targets, (a, b) => {
      const bits = compactOf(b);
      const target = targetOf(bits);
      assert.deepEqual(targetBytes(bits), bytesOf(target));
      assert.equal(isAtMost(bytesOf(a), bytesOf(b)), a <= b);
      assert.equal(meetsTarget(bytesOf(a), bits), a <= target);
      assert.equal(meetsTarget(bytesOf(target), bits), true, 'the target itself');
      if (target < (1n << 256n) - 1n) assert.equal(meetsTarget(bytesOf(target + 1n), bits), false);
    }),
  );
  assert.throws(() => meetsTarget(new Uint8Array(31), 0x1d00ffff), { code: 'bad_length' });
});
