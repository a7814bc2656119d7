import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { cursorOf, readByte } from '@assay/core/ots/cursor';
import {
  apply,
  compareOperations,
  hashNameOf,
  hashTag,
  type Operation,
  operationBytes,
  readOperation,
  resultLength,
  writeOperation,
} from '@assay/core/ots/operation';
import { emptyOutput, written } from '@assay/core/ots/output';
import fc from 'fast-check';
import { sha256 } from '../fixture/fixture.ts';
import { HASHES, operations } from './fixture.ts';

function bytesOf(operation: Operation): Uint8Array {
  const output = emptyOutput();
  writeOperation(output, operation);
  return written(output);
}

const append = (length: number): Operation => ({ op: 'append', argument: new Uint8Array(length) });

test('operation: written and read', () => {
  fc.assert(
    fc.property(operations, (operation) => {
      const bytes = bytesOf(operation);
      const cursor = cursorOf(bytes);
      assert.deepEqual(readOperation(cursor, readByte(cursor)), operation);
      assert.equal(cursor.at, bytes.length);
    }),
  );
});

test('operation: its length is known before it is written', () => {
  for (const length of [1, 127, 128, 4096]) {
    assert.equal(operationBytes(append(length)), bytesOf(append(length)).length);
  }
  assert.equal(operationBytes({ op: 'sha256' }), bytesOf({ op: 'sha256' }).length);
  for (const length of [0, 4097]) assert.throws(() => bytesOf(append(length)), TypeError);
});

test('operation: what each makes of a message', () => {
  const message = Uint8Array.of(0x0a, 0xff, 0x00);
  const argument = Uint8Array.of(1, 2);
  const of = (operation: Operation): string => formatHex(apply(operation, message, HASHES));
  assert.equal(of({ op: 'append', argument }), '0aff000102');
  assert.equal(of({ op: 'prepend', argument }), '01020aff00');
  assert.equal(of({ op: 'reverse' }), '00ff0a');
  assert.equal(of({ op: 'hexlify' }), formatHex(Buffer.from('0aff00', 'latin1')));
  assert.equal(of({ op: 'sha256' }), formatHex(sha256(message)));
  assert.deepEqual(message, Uint8Array.of(0x0a, 0xff, 0x00));
});

test('operation: none writes over the message, not even over a Buffer', () => {
  fc.assert(
    fc.property(operations, (operation) => {
      const message = sha256(Uint8Array.of(1));
      const before = formatHex(message);
      apply(operation, message, HASHES);
      assert.equal(formatHex(message), before);
    }),
  );
});

test('operation: the length of a result is what apply makes', () => {
  fc.assert(
    fc.property(operations, fc.uint8Array({ minLength: 1, maxLength: 99 }), (operation, bytes) => {
      assert.equal(apply(operation, bytes, HASHES).length, resultLength(operation, bytes.length));
    }),
  );
});

test('operation: a message of 4096 bytes, and not one more', () => {
  const cases: readonly (readonly [Operation, number])[] = [
    [append(96), 4000],
    [{ op: 'prepend', argument: new Uint8Array(4095) }, 1],
    [{ op: 'hexlify' }, 2048],
  ];
  for (const [operation, length] of cases) {
    assert.equal(apply(operation, new Uint8Array(length), HASHES).length, 4096);
    assert.equal(resultLength(operation, length), 4096);
    assert.throws(() => apply(operation, new Uint8Array(length + 1), HASHES), {
      code: 'bad_proof',
    });
    assert.equal(resultLength(operation, length + 1), undefined);
  }
});

test('operation: the tag of a hash, and no other', () => {
  const names = Array.from({ length: 256 }, (_, tag) => hashNameOf(tag));
  for (const [tag, name] of names.entries())
    if (name !== undefined) assert.equal(hashTag(name), tag);
  assert.deepEqual(
    names.filter((name) => name !== undefined),
    ['sha1', 'ripemd160', 'sha256', 'keccak256'],
  );
});

test('operation: the order is that of the bytes but for the argument’s length', () => {
  fc.assert(
    fc.property(operations, operations, (a, b) => {
      const [tagA, tagB] = [bytesOf(a)[0] ?? 0, bytesOf(b)[0] ?? 0];
      const expected =
        tagA === tagB && 'argument' in a && 'argument' in b
          ? Buffer.compare(a.argument, b.argument)
          : Math.sign(tagA - tagB);
      assert.equal(Math.sign(compareOperations(a, b)), expected);
    }),
  );
});
