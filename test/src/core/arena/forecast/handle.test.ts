import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  foldName,
  houseHandle,
  keyHandle,
  RESERVED_NAMES,
  secretHandle,
} from '@assay/core/arena/forecast/handle';
import { sha256 } from '../../fixture/fixture.ts';

test('handle: a name has one form, whatever the case of its letters', () => {
  assert.equal(foldName('Ada_Lovelace-2'), 'ada_lovelace-2');
  assert.equal(foldName('abc'), 'abc');
  assert.equal(foldName('a'.repeat(24)), 'a'.repeat(24));
});

test('handle: what is no name', () => {
  // The fourth is a Kelvin sign, which other foldings turn into a k.
  for (const name of [
    '',
    'ab',
    'a'.repeat(25),
    '\u212Aelvin',
    'é'.repeat(4),
    'a b c',
    'a.b.c',
    'abc\n',
  ]) {
    assert.throws(() => foldName(name), { code: 'malformed' }, JSON.stringify(name));
  }
});

test('handle: reserved names, however they are written', () => {
  for (const name of RESERVED_NAMES) {
    assert.throws(() => foldName(name.toUpperCase()), { code: 'malformed' }, name);
    assert.throws(() => foldName(`_${name}-`), { code: 'malformed' }, name);
  }
  for (const name of ['a_s-s_a-y', 'House-Last', 'house_median', 'house-anything']) {
    assert.throws(() => foldName(name), { code: 'malformed' }, name);
  }
  for (const name of ['household', 'assayer', 'my-house', 'rooted']) {
    assert.equal(foldName(name), name);
  }
});

test('handle: ids, byte by byte', () => {
  const salt = Buffer.alloc(32, 7);
  const idOf = (...parts: readonly (Buffer | string)[]): string => {
    const hash = createHash('sha256').update('assay/handle/v1\0');
    for (const part of parts) hash.update(part);
    return hash.digest('hex').slice(0, 32);
  };
  assert.equal(secretHandle(sha256, salt, 'ada'), idOf(Buffer.of(0), salt, 'ada'));
  assert.equal(keyHandle(sha256, salt), idOf(Buffer.of(1), salt));
  assert.equal(houseHandle(sha256, 'house-last'), idOf(Buffer.of(2), 'house-last'));
  assert.throws(() => secretHandle(sha256, salt.subarray(1), 'ada'), { code: 'bad_length' });
  assert.throws(() => keyHandle(sha256, salt.subarray(1)), { code: 'bad_length' });
});
