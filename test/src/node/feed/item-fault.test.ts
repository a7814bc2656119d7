import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '@assay/core/fault';
import { isItemFault, isRpcFault, isSilence, isUnseen } from '@assay/node/feed/item-fault';

const of = (code: FaultCode, title: string, at?: string): Fault =>
  new Fault(code, title, at === undefined ? {} : { at });

test('item fault: what is wrong with an account or a print is not what is wrong with the RPC or the disk', () => {
  assert.equal(isItemFault(of('unmet', 'feed account', 'owner')), true);
  assert.equal(isItemFault(of('bad_length', 'page account')), true);
  assert.equal(isItemFault(of('malformed', 'Close account')), true);
  assert.equal(isItemFault(of('out_of_range', 'period')), true);
  assert.equal(isItemFault(new TypeError('x')), true);
  assert.equal(isItemFault(of('malformed', 'Solana RPC', 'getSlot')), false);
  assert.equal(isItemFault(of('refused', 'Solana RPC', 'getSlot')), false);
  assert.equal(isItemFault(of('timeout', 'transaction', 'confirmation')), false);
  assert.equal(isItemFault(of('stopped', 'ledger')), false);
  assert.equal(isItemFault(new Error('EIO')), false);
});

test('item fault: silence is no answer, and what is not seen yet may be seen later', () => {
  assert.equal(isSilence(of('unreachable', 'Solana RPC', 'getSlot')), true);
  assert.equal(isSilence(of('timeout', 'transaction', 'confirmation')), true);
  assert.equal(isSilence(of('malformed', 'outgoing.json')), false);
  assert.equal(isRpcFault(of('malformed', 'Solana RPC', 'getSlot')), true);
  assert.equal(isRpcFault(of('malformed', 'outgoing.json')), false);
  assert.equal(isUnseen(of('unmet', 'print', 'account')), true);
  assert.equal(isUnseen(of('unmet', 'feed account', 'owner')), false);
});
