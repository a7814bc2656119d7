import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftClose } from '@assay/core/answer/settlement';
import type { DateText } from '@assay/core/time/time';
import { closesOf } from '@assay/core/view/closes';
import { sha256, vectors } from '../fixture/fixture.ts';
import { foldedLog } from './folded-log.ts';
import type { SettlementCase } from './settlement-log.ts';

test('settlement vectors: the files of each Close, to the byte', () => {
  const cases = vectors<readonly SettlementCase[]>('settlement/files');
  assert.ok(cases.length >= 5);
  for (const { name, entries, day, version, files } of cases) {
    const views = foldedLog(entries);
    const before = closesOf(views, day as DateText).at(-1);
    const draft = draftClose(views, sha256, day as DateText, before);
    assert.equal(draft?.version, version, name);
    const found = draft?.files.map(({ path, body }) => ({
      path,
      text: Buffer.from(body).toString(),
    }));
    assert.deepEqual(found, files, name);
  }
});
