import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { DigestTable } from '@assay/core/bytes/digest-table';
import { PackedList } from '@assay/core/bytes/packed-list';
import fc from 'fast-check';

const digestOf = (number: number): Uint8Array =>
  new Uint8Array(createHash('sha256').update(`${number}`).digest());
const under = (number: number): Uint8Array => Uint8Array.of(number >> 8, number);

test('digest table: what was added first stands under a digest, after growing and in a copy too', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(300), fc.nat(65_535)), { maxLength: 400 }), (pairs) => {
      const table = new DigestTable(2);
      const model = new Map<number, number>();
      for (const [of, value] of pairs) {
        table.add(digestOf(of), under(value));
        if (!model.has(of)) model.set(of, value);
      }
      const copy = new DigestTable(2);
      copy.addAll(table.bytes);
      assert.deepEqual(copy.bytes, table.bytes);
      for (const each of [table, copy]) {
        assert.equal(each.size, model.size);
        for (let of = 0; of <= 300; of += 1) {
          const value = model.get(of);
          assert.deepEqual(each.get(digestOf(of)), value === undefined ? undefined : under(value));
        }
      }
    }),
    { numRuns: 20 },
  );
});

test('digest table: holds far more than it begins with', () => {
  const table = new DigestTable(2);
  for (let i = 0; i < 20_000; i += 1) table.add(digestOf(i), under(i % 65_536));
  for (let i = 0; i < 20_000; i += 1) assert.deepEqual(table.get(digestOf(i)), under(i % 65_536));
  assert.equal(table.get(digestOf(20_000)), undefined);
});

test('digest table: digests that are nearly the same are told apart', () => {
  const table = new DigestTable(2);
  const same = (last: number): Uint8Array => {
    const digest = new Uint8Array(32);
    digest[31] = last;
    return digest;
  };
  for (let i = 0; i < 200; i += 1) table.add(same(i), under(i));
  for (let i = 0; i < 200; i += 1) assert.deepEqual(table.get(same(i)), under(i));
  assert.equal(table.get(same(200)), undefined);
});

test('digest table: digests that were chosen cost no more than others', (t) => {
  /** How many items are compared while digests are added whose first bits have none of the bits of `not`. */
  const comparedFor = (not: number): number => {
    const startsWith = t.mock.method(PackedList.prototype, 'startsWith');
    const table = new DigestTable(2);
    for (let number = 0; table.size < 3000; number += 1) {
      const digest = digestOf(number);
      if (((digest[0] as number) & not) === 0 && ((digest[3] as number) & not) === 0) {
        table.add(digest, under(0));
      }
    }
    startsWith.mock.restore();
    return startsWith.mock.callCount();
  };
  const [others, chosen] = [comparedFor(0), comparedFor(7)];
  assert.ok(chosen < 2 * others, `${others}, and ${chosen} for chosen digests`);
});

test('digest table: what are not whole items is an error', () => {
  const table = new DigestTable(2);
  assert.throws(() => table.add(digestOf(1), new Uint8Array(3)), RangeError);
  assert.throws(() => table.addAll(new Uint8Array(33)), { code: 'bad_length' });
  assert.equal(table.size, 0);
  assert.equal(table.get(digestOf(1)), undefined);
});
