import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, FAULT_CODES, faultCode, messageOf } from '@assay/core/fault';

test('fault: code, place, expected and found are in the message', () => {
  const cause = new Error('below');
  const fault = new Fault('malformed', 'report', { at: 'issue', expected: '0', found: '1', cause });
  assert.equal(fault.message, 'report at issue: expected 0, found 1');
  assert.deepEqual(
    [fault.name, fault.code, fault.at, fault.expected, fault.found, fault.cause],
    ['Fault', 'malformed', 'issue', '0', '1', cause],
  );
  assert.ok(fault instanceof Error);
  const bare = new Fault('timeout', 'calendar');
  assert.equal(bare.message, 'calendar');
  assert.equal('cause' in bare, false);
});

test('fault: a code is read from a fault alone', () => {
  assert.equal(faultCode(new Fault('bad_hex', 'hex')), 'bad_hex');
  assert.equal(faultCode(Object.assign(new Error('no'), { code: 'bad_hex' })), undefined);
  assert.equal(faultCode('bad_hex'), undefined);
  assert.equal(messageOf(new Fault('bad_hex', 'hex')), 'hex');
  assert.equal(messageOf(7), '7');
});

test('fault: each code is listed once, in one style', () => {
  assert.equal(new Set(FAULT_CODES).size, FAULT_CODES.length);
  for (const code of FAULT_CODES) assert.match(code, /^[a-z]+(_[a-z0-9]+)*$/);
});
