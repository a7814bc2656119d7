import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReportRow } from '@assay/core/view/reports';
import { countedReports, MOST_OF_PLACE } from '@assay/node/cosign/counted-reports';

const row = (status: string, issue: number, seq: number): ReportRow =>
  ({ seq, report: { status, issue } }) as unknown as ReportRow;

test('counted reports: the first of each place; a final and a void share one', () => {
  const rows = [
    ...Array.from({ length: 10 }, (_, i) => row('provisional', 1, i)),
    row('provisional', 2, 10),
    row('corrected', 1, 11),
    ...Array.from({ length: 10 }, (_, i) => row(i % 2 === 0 ? 'final' : 'void', 0, 12 + i)),
  ];
  const seqs = countedReports(rows).map(({ seq }) => seq);
  assert.deepEqual(seqs, [0, 1, 2, 3, 10, 11, 12, 13, 14, 15]);
  assert.equal(MOST_OF_PLACE, 4);
});
