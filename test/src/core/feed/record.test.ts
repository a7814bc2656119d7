import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatRecord, parseRecord, RECORD_BYTES } from '@assay/core/feed/record';
import { faultCode } from '@assay/core/fault';
import { STATUSES } from '@assay/core/report/report';
import fc from 'fast-check';
import { recordOf } from './arbitrary.ts';

test('record: what is formatted is parsed', () => {
  fc.assert(
    fc.property(fc.oneof(...STATUSES.map(recordOf)), (record) => {
      assert.deepEqual(parseRecord(formatRecord(record)), record);
    }),
  );
});

test('record: a status that is none is refused', () => {
  for (const status of [0, 5, 255]) {
    const bytes = new Uint8Array(RECORD_BYTES);
    bytes[48] = status;
    assert.throws(
      () => parseRecord(bytes),
      (error) => faultCode(error) === 'malformed',
    );
  }
});
