import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseReportEntry } from '@assay/core/kind/report-entry';
import { wire } from '@assay/core/wire/wire';
import { sampleReport } from '../fixture/fixture.ts';

test('report entry: a report and 64 bytes over its print', () => {
  const entry = {
    report: wire(sampleReport('final')),
    signature: 'ab'.repeat(64),
  };
  assert.deepEqual(parseReportEntry(entry, 'body'), entry);
  assert.throws(() => parseReportEntry({ ...entry, signature: 'ab'.repeat(63) }, 'body'), {
    at: 'body.signature',
  });
  assert.throws(() => parseReportEntry({ ...entry, report: null }, 'body'), { at: 'body.report' });
});
