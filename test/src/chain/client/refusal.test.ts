import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal, refusalName } from '@assay/chain/client/refusal';

test('refusal: the program’s own by name, others by number, the runtime’s by its message', () => {
  for (const [error, name] of [
    [{ InstructionError: [2, { Custom: 6034 }] }, 'settled'],
    [{ InstructionError: [2n, { Custom: 6034n }] }, 'settled'],
    [{ InstructionError: [0, { Custom: 1 }] }, 'Custom 1'],
    [{ InstructionError: [0, { Custom: 6999 }] }, 'Custom 6999'],
    [{ InstructionError: [0, 'InvalidAccountData'] }, 'InvalidAccountData'],
    [{ InsufficientFundsForRent: { account_index: 1 } }, 'InsufficientFundsForRent'],
    ['BlockhashNotFound', 'BlockhashNotFound'],
    [{ InstructionError: [0, { BorshIoError: 'x' }] }, 'InstructionError'],
    ['see https://user:key@host/', 'unknown'],
    [{ 'https://user:key@host/': 1 }, 'unknown'],
    [7, 'unknown'],
    [{}, 'unknown'],
  ] as const) {
    assert.equal(refusalName(error), name);
  }
  const fault = refusal({ InstructionError: [2, { Custom: 6034 }] });
  assert.deepEqual([fault.code, fault.at, fault.found], ['refused', 'settled', 'instruction 2']);
  assert.equal(refusal('AccountInUse').found, undefined);
});
