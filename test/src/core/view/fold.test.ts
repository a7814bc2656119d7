import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalize } from '@assay/core/canonical';
import { entryBody, scanEntry } from '@assay/core/entry';
import { bodyParser } from '@assay/core/kind/kinds';
import { foldEntry, VIEWS } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import { sha256, table } from '../fixture.ts';
import { appendAttested, appendBatch, appendBeacon, blockAt } from '../anchor-fixture.ts';
import { appendClose } from '../close-fixture.ts';
import { smallLog } from './small-log.ts';

/** Every row of every table. */
function dump(views: MemoryViews): string {
  return canonicalize(views.tables().map((name) => [name, table(views, name)]));
}

test('fold: folding the entries again gives the same rows to the byte', () => {
  const { entries, log, views } = smallLog();
  const again = new MemoryViews();
  for (const bytes of entries) {
    const { seq, kind, at, ...layout } = scanEntry(bytes);
    const known = bodyParser(sha256)(kind, entryBody(bytes, { seq, kind, at, ...layout }));
    if (known !== undefined) again.write(foldEntry({ ...known, seq, at, log }, again, sha256));
  }
  assert.equal(dump(again), dump(views));
  assert.deepEqual(views.tables(), [
    'log',
    'periods/CPI',
    'periods/LAYOFFS',
    'printed',
    'reports/LAYOFFS/2026-07-25',
    'reports/LAYOFFS/2026-08-01',
    'rules/CPI',
    'rules/LAYOFFS',
    'stamped',
    'stamps',
    'tickers',
  ]);
});

test('fold: no two views write to one table', () => {
  const sample = smallLog();
  appendClose(sample, '2026-08-21');
  appendBeacon(sample, 7);
  appendBatch(sample);
  appendAttested(sample, 0, [blockAt(9)]);
  const { entries, log } = sample;
  const owners = new Map<string, string>();
  const views = new MemoryViews();
  for (const bytes of entries) {
    const layout = scanEntry(bytes);
    const known = bodyParser(sha256)(layout.kind, entryBody(bytes, layout));
    if (known === undefined) continue;
    const entry = { ...known, seq: layout.seq, at: layout.at, log };
    const writes = VIEWS.flatMap((view) =>
      view.apply(entry, views, sha256).map((write) => {
        assert.equal(owners.get(write.table) ?? view.name, view.name, write.table);
        owners.set(write.table, view.name);
        return write;
      }),
    );
    assert.deepEqual(writes, foldEntry(entry, views, sha256));
    views.write(writes);
  }
  assert.deepEqual(new Set(owners.values()), new Set(VIEWS.map(({ name }) => name)));
});
