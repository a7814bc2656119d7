import assert from 'node:assert/strict';
import { test } from 'node:test';
import { periodReports, reportName } from '@assay/verifier/watch/publisher-log';
import { ABOUT } from '../fixture/cosigner-log.ts';

test('the reports of a log, period by period, as findings call them', () => {
  const names = [...periodReports(ABOUT.published.views)].map((rows) => rows.map(reportName));
  assert.deepEqual(
    names.find(([name]) => name?.startsWith('LAYOFFS 2026-07-04') === true),
    ['LAYOFFS 2026-07-04 provisional', 'LAYOFFS 2026-07-04 final'],
  );
});
