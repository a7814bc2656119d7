import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FreezeNotes } from '@assay/node/arena/freeze-notes';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

const ROUND = 'layoffs-2026-08-03';

test('freeze notes: a note is there after a restart, until it is dropped', async (t) => {
  const folder = join(await temporaryFolder(t), 'freezes');
  const notes = new FreezeNotes(folder);
  assert.equal(await notes.get(ROUND), undefined);
  await notes.put(ROUND, 'a note\n— of ada\n');
  assert.equal(await notes.get(ROUND), 'a note\n— of ada\n');
  assert.equal(await new FreezeNotes(folder).get(ROUND), 'a note\n— of ada\n');
  assert.equal(await notes.get('layoffs-2026-08-04'), undefined);
  await notes.drop(ROUND);
  await notes.drop(ROUND);
  assert.equal(await notes.get(ROUND), undefined);
  assert.deepEqual(await readdir(folder), []);
});
