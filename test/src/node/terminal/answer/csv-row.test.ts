import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCsv } from '@assay/core/source/csv';
import { formatCsvRow } from '@assay/node/terminal/answer/csv-row';
import fc from 'fast-check';
import { NO_LIMIT } from '@assay/core/work-budget';

test('csv row: null is empty, and text in quotes where a reader could take it for more', () => {
  assert.equal(formatCsvRow(['a', 1, -2.5, true, null, '']), 'a,1,-2.5,true,,');
  assert.equal(
    formatCsvRow(['a,b', 'say "x"', 'two\nlines', ' pad']),
    '"a,b","say ""x""","two\nlines"," pad"',
  );
});

test('csv row: what is read again is what was written', () => {
  const field = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', 'é') });
  fc.assert(
    fc.property(fc.tuple(field, field, field), (fields) => {
      const [row] = parseCsv(`a,b,c\n${formatCsvRow(fields)}\n`, ',', NO_LIMIT);
      assert.deepEqual(row === undefined ? [] : [...row.values()], fields);
    }),
  );
});
