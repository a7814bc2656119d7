import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCsv } from '@assay/core/csv';
import { MAX_PAGE_BYTES, MAX_SOURCE_ROWS, MAX_SOURCE_VALUES } from '@assay/core/limits';
import { parseSourceJson } from '@assay/core/source-json';

// A page may come from anyone: what it becomes in memory has a bound of its own.

test('JSON: as many containers and values as a page may hold, and not one more', () => {
  const containers = (count: number): string => `[${'[],'.repeat(count - 2)}[]]`;
  assert.equal((parseSourceJson(containers(MAX_SOURCE_ROWS)) as []).length, MAX_SOURCE_ROWS - 1);
  assert.throws(() => parseSourceJson(containers(MAX_SOURCE_ROWS + 1)), { code: 'too_large' });
  const values = (count: number): string => `[${'0,'.repeat(count - 2)}0]`;
  assert.equal((parseSourceJson(values(MAX_SOURCE_VALUES)) as []).length, MAX_SOURCE_VALUES - 1);
  assert.throws(() => parseSourceJson(values(MAX_SOURCE_VALUES + 1)), { code: 'too_large' });
});

test('CSV: as many records and fields as a page may hold, and not one more', () => {
  const columns = 1000;
  const header = Array.from({ length: columns }, (_, i) => `c${i}`).join(',');
  const table = (records: number): string =>
    `${header}\n${`${','.repeat(columns - 1)}\n`.repeat(records)}`;
  const most = MAX_SOURCE_VALUES / columns - 1;
  assert.equal(parseCsv(table(most), ',').length, most);
  assert.throws(() => parseCsv(table(most + 1), ','), { code: 'too_large' });
  const wide = ','.repeat(MAX_PAGE_BYTES - 1);
  assert.throws(() => parseCsv(wide, ','), { code: 'too_large' });
});
