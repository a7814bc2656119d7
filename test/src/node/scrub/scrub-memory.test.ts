import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TimeText } from '@assay/core/time/time';
import { scrubFile, type ScrubState } from '@assay/node/scrub/scrub-memory';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

const AT = '2026-07-30T12:30:00Z' as TimeText;

const STATE: ScrubState = {
  began_at: AT,
  stage: 'blobs',
  place: 'ab',
  last_began_at: null,
  last_ended_at: null,
  damages: [{ part: 'blob', name: 'cd', copy_of: null, found_at: AT, state: 'damaged' }],
};

test('scrub memory: what was written is read again', async (t) => {
  const memory = scrubFile(join(await temporaryFolder(t), 'scrub.json'));
  assert.equal(await memory.read(), undefined);
  await memory.write(STATE);
  assert.deepEqual(await memory.read(), STATE);
});

test('scrub memory: a file that cannot be read has the scrub begin anew', async (t) => {
  const path = join(await temporaryFolder(t), 'scrub.json');
  const memory = scrubFile(path);
  for (const text of ['', '{', '{}', JSON.stringify({ ...STATE, place: 7 })]) {
    await writeFile(path, text);
    assert.equal(await memory.read(), undefined, text);
  }
});
