import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../core/fixture/fixture.ts';
import { FAULT_MEANINGS } from '@assay/core/fault-meaning';
import { KIND_MEANINGS } from '@assay/core/kind/kind-meaning';
import { METRICS } from '@assay/node/platform/metric-table';
import { RECOUNTER_MEANINGS } from '@assay/node/recounter/recounter-meaning';
import { FINDING_MEANINGS } from '@assay/verifier/summary/finding-meaning';
import { FINDING_REMEDIES } from '@assay/verifier/summary/finding-remedy';
import { FINDING_GROUPS } from '@assay/verifier/summary/finding-text';
import { WATCH_MEANINGS } from '@assay/verifier/watch/watch-meaning';
import { referencePages } from './reference-pages.ts';

const FOLDER = join(ROOT, 'docs', 'reference');

test('reference: the pages are those that the tables in the code make', async (t) => {
  const pages = await referencePages(t);
  for (const [name, text] of pages) {
    assert.ok(
      readFileSync(join(FOLDER, name), 'utf8') === text,
      `docs/reference/${name} is not what the tables make: run npm run reference, and commit the page.`,
    );
  }
  assert.deepEqual(readdirSync(FOLDER).sort(), [...pages.keys()].sort());
});

test('reference: what the tables say of a code is a sentence', () => {
  const told = [
    ...Object.values(FINDING_MEANINGS),
    ...Object.values(FINDING_REMEDIES),
    ...[...Object.values(RECOUNTER_MEANINGS), ...Object.values(WATCH_MEANINGS)].flatMap(
      ({ meaning, remedy }) => [meaning, remedy],
    ),
    ...Object.values(FAULT_MEANINGS),
    ...Object.values(KIND_MEANINGS).map(({ meaning }) => meaning),
  ];
  for (const text of told) assert.match(text, /^[A-Z][^\n]*\.$/);
});

test('reference: each group of findings has one remedy, and none is left over', () => {
  const first = FINDING_GROUPS.map(([, [code]]) => code as string);
  assert.deepEqual(Object.keys(FINDING_REMEDIES).sort(), first.sort());
});

test('reference: each metric of the table is registered, as what the table says', () => {
  // A standby has a registry of its own, and readers are shown by their publisher and by `assay serve`.
  const files = [
    'node/src/metrics.ts',
    'node/src/readers/reader-gauges.ts',
    'node/src/standby/standby-metrics.ts',
  ];
  const code = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
  for (const [name, { type }] of Object.entries(METRICS)) {
    if (type === 'histogram') continue;
    assert.ok(code.includes(`'${name}'`), name);
    const made = new RegExp(`new (Counter|Gauge)\\(\\{\\s*\\.\\.\\.metric\\('${name}'\\)`).exec(
      code,
    );
    // Those that are registered in a loop are gauges.
    assert.equal((made?.[1] ?? 'Gauge').toLowerCase(), type, name);
  }
});
