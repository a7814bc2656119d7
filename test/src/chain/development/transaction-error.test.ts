import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getSolanaErrorFromTransactionError } from '@solana/kit';
import {
  INSTRUCTION_ERRORS,
  statusOf,
  TRANSACTION_ERRORS,
  type TransactionError,
  transactionErrorOf,
  transactionErrorText,
} from '@assay/chain/development/transaction-error';

test('transaction error: every shape of litesvm has its JSON', () => {
  assert.equal(transactionErrorOf(7), 'BlockhashNotFound');
  assert.equal(transactionErrorOf(999), 'SanitizeFailure');
  const instruction = (err: number | { code?: number }): TransactionError =>
    transactionErrorOf({ index: 2, err: () => err });
  assert.deepEqual(instruction(7), { InstructionError: [2, 'MissingRequiredSignature'] });
  assert.deepEqual(instruction({ code: 6001 }), { InstructionError: [2, { Custom: 6001 }] });
  assert.deepEqual(instruction({}), { InstructionError: [2, 'BorshIoError'] });
  assert.deepEqual(transactionErrorOf({ index: 3 }), { DuplicateInstruction: 3 });
  assert.deepEqual(transactionErrorOf({ accountIndex: 1 }), {
    InsufficientFundsForRent: { account_index: 1 },
  });
  assert.deepEqual(statusOf(null), { Ok: null });
  assert.deepEqual(statusOf('AccountNotFound'), { Err: 'AccountNotFound' });
});

test('transaction error: texts for people', () => {
  const words = transactionErrorText({ InstructionError: [0, { Custom: 1 }] });
  assert.equal(words, 'Error processing Instruction 0: custom program error: 0x1');
  assert.equal(
    transactionErrorText({ InstructionError: [1, 'InvalidSeeds'] }),
    'Error processing Instruction 1: InvalidSeeds',
  );
  assert.equal(transactionErrorText('BlockhashNotFound'), 'Blockhash not found');
  assert.equal(transactionErrorText('CallChainTooDeep'), 'CallChainTooDeep');
  assert.match(transactionErrorText({ DuplicateInstruction: 4 }), /4/);
});

test('transaction error: kit knows every name', () => {
  const unknown = (error: TransactionError): boolean =>
    /unknown|unrecogni/i.test(getSolanaErrorFromTransactionError(error as never).message);
  const names: readonly TransactionError[] = [
    ...TRANSACTION_ERRORS,
    ...INSTRUCTION_ERRORS.filter((name) => name !== 'BorshIoError').map(
      (name): TransactionError => ({ InstructionError: [0, name] }),
    ),
  ];
  assert.deepEqual(names.filter(unknown), []);
});
