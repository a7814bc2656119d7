import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { storageFault } from '@assay/node/storage-fault';

test('storage fault: what the system or the database says, with a code of ours', async () => {
  const found = await readFile('/nowhere/at/all').catch((error: unknown) => error);
  for (const error of [found, Object.assign(new Error('IO error'), { code: 'LEVEL_IO_ERROR' })]) {
    const fault = storageFault(error, 'ledger');
    assert.ok(fault instanceof Fault);
    assert.equal(fault.code, 'storage_failed');
    assert.equal(fault.cause, error);
    assert.equal(fault.found, (error as Error).message);
  }
});

test('storage fault: faults, mistakes in a call and other errors stay what they are', () => {
  const mistake = Object.assign(new TypeError('no'), { code: 'ERR_INVALID_ARG_TYPE' });
  for (const error of [new Fault('refused', 'x'), mistake, new Error('plain'), undefined, 'text']) {
    assert.equal(storageFault(error, 'ledger'), error);
  }
});
