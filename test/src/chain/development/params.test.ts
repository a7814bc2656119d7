import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addressParam,
  configParam,
  flagParam,
  integerParam,
  listParam,
  signatureParam,
  textParam,
} from '@assay/chain/development/params';
import { SYSTEM } from './world.ts';

const REFUSED = { code: 'invalid_params' };

test('params: each kind takes its own and refuses the rest', () => {
  assert.equal(addressParam(SYSTEM), SYSTEM);
  for (const value of [undefined, null, 7, '', 'x', `${SYSTEM}1`, 'O'.repeat(32), {}]) {
    assert.throws(() => addressParam(value), REFUSED);
    assert.throws(() => signatureParam(value), REFUSED);
  }
  assert.equal(signatureParam('1'.repeat(64)), '1'.repeat(64));
  assert.throws(() => textParam(7, 'text'), REFUSED);
  assert.equal(flagParam(undefined, 'flag'), false);
  assert.equal(flagParam(null, 'flag'), false);
  assert.throws(() => flagParam('true', 'flag'), REFUSED);
  assert.equal(integerParam(5n, 'n', 0, 5), 5);
  for (const value of [6, -1, 1.5, '1', 2 ** 53, 2n ** 60n, undefined]) {
    assert.throws(() => integerParam(value, 'n', 0, 5), REFUSED);
  }
  assert.throws(() => listParam('x', 'list', 1, String), REFUSED);
  assert.throws(() => listParam([1, 2], 'list', 1, String), REFUSED);
});

test('params: options name a commitment that exists and a slot that was', () => {
  assert.deepEqual(configParam(undefined, 5), {});
  assert.deepEqual(configParam(null, 5), {});
  const good = { commitment: 'confirmed', minContextSlot: 5n, encoding: 'base64' };
  assert.equal(configParam(good, 5), good);
  assert.throws(() => configParam([], 5), REFUSED);
  assert.throws(() => configParam({ commitment: 'soon' }, 5), REFUSED);
  assert.throws(() => configParam({ preflightCommitment: 1 }, 5), REFUSED);
  assert.throws(() => configParam({ minContextSlot: 6 }, 5), {
    code: 'min_context_slot',
    data: { contextSlot: 5 },
  });
});
