import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyDiffers } from '@assay/core/read/custody';
import { parseSnapshot } from '@assay/core/read/snapshot';
import { formatWire, type WireObject } from '@assay/core/wire/wire';
import { vectors } from '../fixture/fixture.ts';
import type { CustodyCase } from './custody-cases.ts';

test('custody vectors: which copies have other content than the record', () => {
  const cases = vectors<readonly CustodyCase[]>('custody/copies');
  assert.ok(cases.length >= 14);
  const read = (snapshot: unknown) => parseSnapshot(formatWire(snapshot as WireObject));
  for (const { name, record, copy, differs } of cases) {
    const found = copyDiffers(record === null ? undefined : read(record), read(copy));
    assert.equal(found, differs, name);
  }
});
