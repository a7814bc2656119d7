import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { isNoRoom, isStorageFault, storageFault } from '@assay/node/platform/storage-fault';

test('storage fault: what the system or the database says, with a code of ours', async () => {
  const found = await readFile('/nowhere/at/all').catch((error: unknown) => error);
  for (const error of [found, Object.assign(new Error('IO error'), { code: 'LEVEL_IO_ERROR' })]) {
    const fault = storageFault(error, 'ledger');
    assert.ok(fault instanceof Fault);
    assert.equal(fault.code, 'storage_failed');
    assert.equal(fault.cause, error);
    assert.equal(isStorageFault(fault), true);
    assert.equal(isStorageFault(error), false, 'as the system says it');
    assert.equal(fault.found, (error as Error).message);
  }
});

test('storage fault: faults, mistakes in a call and other errors stay what they are', () => {
  const mistake = Object.assign(new TypeError('no'), { code: 'ERR_INVALID_ARG_TYPE' });
  for (const error of [new Fault('refused', 'x'), mistake, new Error('plain'), undefined, 'text']) {
    assert.equal(storageFault(error, 'ledger'), error);
    assert.equal(isStorageFault(error), false);
  }
});

test('storage fault: a disk that is full or read-only is recognised, also where LevelDB has only a message for it', () => {
  const level = (words: string): Error =>
    Object.assign(new Error(`IO error: /d/000005.log: ${words}`), { code: 'LEVEL_IO_ERROR' });
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const deep = Object.assign(new Error('Database failed to open', { cause: full }), { code: 'X' });
  const none = [
    full,
    Object.assign(new Error('quota'), { code: 'EDQUOT' }),
    Object.assign(new Error('read-only'), { code: 'EROFS' }),
    level('No space left on device'),
    level('Read-only file system'),
    deep,
  ];
  for (const error of none) {
    assert.ok(isNoRoom(error), error.message);
    const fault = storageFault(error, 'ledger');
    assert.ok(fault instanceof Fault && fault.code === 'no_room' && fault.cause === error);
  }
  for (const error of [level('Input/output error'), new Error('x'), undefined, 'ENOSPC']) {
    assert.ok(!isNoRoom(error));
  }
});
