import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PackedList } from '@assay/core/bytes/packed-list';
import fc from 'fast-check';

const item = (number: number): Uint8Array => Uint8Array.of(number >> 16, number >> 8, number);

/** What a list of numbers does, on both sides. */
const STEP = fc.oneof(
  fc.record({ kind: fc.constant('push' as const), value: fc.nat(0xffffff) }),
  fc.record({ kind: fc.constant('grow' as const), value: fc.nat(9000) }),
  fc.record({ kind: fc.constant('cut' as const), value: fc.nat(9000) }),
  fc.record({ kind: fc.constant('set' as const), value: fc.nat(0xffffff) }),
  fc.record({ kind: fc.constant('move' as const), value: fc.nat(0xffffff) }),
);

test('packed list: has the items of an array, over the edges of its pieces too', () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 20 }), (steps) => {
      const list = new PackedList(3);
      const model: Uint8Array[] = [];
      for (const { kind, value } of steps) {
        const at = model.length === 0 ? 0 : value % model.length;
        if (kind === 'push') {
          list.push(item(value));
          model.push(item(value));
        } else if (kind === 'grow') {
          list.length = model.length + value;
          for (let i = 0; i < value; i += 1) {
            list.set(model.length, item(i));
            model.push(item(i));
          }
        } else if (kind === 'cut') {
          model.length = Math.max(0, model.length - value);
          list.length = model.length;
        } else if (model.length > 0 && kind === 'set') {
          list.set(at, item(value));
          model[at] = item(value);
        } else if (model.length > 0) {
          const to = (value >> 8) % model.length;
          list.move(at, to);
          model[to] = model[at] as Uint8Array;
        }
        assert.equal(list.length, model.length);
      }
      assert.ok(Buffer.from(list.bytes).equals(Buffer.concat(model)));
      for (const index of [0, 4095, 4096, model.length - 1]) {
        if (index < 0 || index >= model.length) continue;
        assert.deepEqual(list.get(index), model[index]);
      }
    }),
  );
});

test('packed list: an item is a copy, and what there is not is an error', () => {
  const list = new PackedList(3);
  list.push(item(1));
  const first = list.get(0);
  list.set(0, item(2));
  assert.deepEqual(first, item(1));
  for (const index of [-1, 1]) assert.throws(() => list.get(index), RangeError);
  assert.deepEqual(
    [item(2), Uint8Array.of(0, 0), item(1)].map((bytes) => list.startsWith(0, bytes)),
    [true, true, false],
  );
  assert.throws(() => list.startsWith(1, item(1)), RangeError);
  assert.throws(() => list.set(1, item(1)), RangeError);
  assert.throws(() => list.set(0, Uint8Array.of(1)), RangeError);
});
