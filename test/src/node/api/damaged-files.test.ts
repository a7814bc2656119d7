import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DamagedFiles } from '@assay/node/api/damaged-files';

const reasons = (files: DamagedFiles): readonly string[] =>
  files.concerns().map(({ level, reason }) => `${level}: ${reason}`);

test('damaged files: each is said until it is sound again', () => {
  const files = new DamagedFiles();
  assert.deepEqual(reasons(files), []);
  files.add('2026-07-09/LAYOFFS.json', 'damaged');
  files.add('2026-07-09/LAYOFFS.json', 'damaged');
  const one =
    'degraded: Settlement file is damaged: 2026-07-09/LAYOFFS.json. Copy it back from another mirror.';
  assert.deepEqual(reasons(files), [one]);
  files.add('2026-07-09/jobs.csv', 'missing');
  assert.equal(reasons(files).length, 2);
  // What was damaged may be missing the next time.
  files.add('2026-07-09/LAYOFFS.json', 'missing');
  assert.deepEqual(reasons(files), [
    'degraded: Settlement files are missing: 2026-07-09/LAYOFFS.json, 2026-07-09/jobs.csv. ' +
      'Copy them back from another mirror.',
  ]);
  files.delete('2026-07-09/LAYOFFS.json');
  files.delete('2026-07-09/jobs.csv');
  assert.deepEqual(reasons(files), []);
});

test('damaged files: many are counted', () => {
  const files = new DamagedFiles();
  for (let i = 0; i < 8; i += 1) files.add(`${i}.json`, 'damaged');
  assert.match(
    reasons(files).join(),
    /are damaged: 0\.json, 1\.json, 2\.json, 3\.json, 4\.json and 3 more\. Copy them/,
  );
});
