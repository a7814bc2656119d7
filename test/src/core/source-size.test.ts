import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCsv } from '@assay/core/source/csv';
import { MAX_SOURCE_ROWS, MAX_SOURCE_VALUES } from '@assay/core/limits';
import { parseSourceJson } from '@assay/core/source/source-json';
import { NO_LIMIT } from '@assay/core/work-budget';

// A page may come from anyone: what it becomes in memory has a bound of its own.

/** A JSON array of `count` items. */
function items(item: string, count: number): string {
  return `[${`${item},`.repeat(count - 1)}${item}]`;
}

test('JSON: as many containers as a page may hold, and not one more', () => {
  const most = MAX_SOURCE_ROWS - 1;
  assert.equal((parseSourceJson(items('[]', most), NO_LIMIT) as []).length, most);
  assert.throws(() => parseSourceJson(items('[]', most + 1), NO_LIMIT), { code: 'too_large' });
});

test('JSON: as many values as a page may hold, and not one more', () => {
  const most = MAX_SOURCE_VALUES - 1;
  assert.equal((parseSourceJson(items('1', most), NO_LIMIT) as []).length, most);
  assert.throws(() => parseSourceJson(items('1', most + 1), NO_LIMIT), { code: 'too_large' });
});

test('CSV: as many fields as a page may hold, and not one more', () => {
  const header = Array.from({ length: 100 }, (_, i) => `c${i}`).join(',');
  const record = `\n${','.repeat(99)}`;
  const most = MAX_SOURCE_VALUES / 100 - 1;
  assert.equal(parseCsv(header + record.repeat(most), ',', NO_LIMIT).length, most);
  assert.throws(() => parseCsv(header + record.repeat(most + 1), ',', NO_LIMIT), {
    code: 'too_large',
  });
});
