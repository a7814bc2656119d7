import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LIMITS, requireWithin } from '@assay/verifier/limits';

test('at a limit is within it, one more is too large', () => {
  const limits = { ...DEFAULT_LIMITS, entries: 10, folded_bytes: 20 };
  requireWithin(limits, { entries: 10, foldedBytes: 20 });
  assert.throws(() => requireWithin(limits, { entries: 11, foldedBytes: 0 }), {
    code: 'too_large',
    message: /10 entries, the limit of this verification, found 11/,
  });
  assert.throws(() => requireWithin(limits, { entries: 0, foldedBytes: 21 }), {
    code: 'too_large',
  });
});

test('a caller who has had enough ends it', () => {
  const stop = new AbortController();
  const limits = { ...DEFAULT_LIMITS, signal: stop.signal };
  requireWithin(limits, { entries: 1, foldedBytes: 1 });
  stop.abort();
  assert.throws(() => requireWithin(limits, { entries: 1, foldedBytes: 1 }), { code: 'timeout' });
});
