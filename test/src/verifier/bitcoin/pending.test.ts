import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pendingWhy } from '@assay/verifier/bitcoin/pending';

test('who holds it, and what would finish it; a development block would finish nothing', () => {
  const calendars = ['https://a.invalid', 'https://b.invalid'];
  const words = pendingWhy(calendars, 'bitcoin');
  assert.match(
    words,
    /^the publisher says that https:\/\/a\.invalid and https:\/\/b\.invalid have promised a block \(not asked\); /,
  );
  assert.match(words, /a Bitcoin block that includes it finishes it/);
  assert.doesNotMatch(pendingWhy(calendars, 'development'), /Bitcoin/);
});
