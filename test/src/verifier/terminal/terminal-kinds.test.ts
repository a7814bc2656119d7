import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DUE_KINDS, isDueKind, isTerminalKind } from '@assay/verifier/terminal/terminal-kinds';

test('terminal kinds: those of the Terminal are, and no other', () => {
  for (const kind of ['tick/1', 'study/1', 'split/1', ...DUE_KINDS] as const) {
    assert.equal(isTerminalKind(kind), true, kind);
  }
  for (const kind of ['genesis/1', 'report/1', 'close/1', 'note/1'] as const) {
    assert.equal(isTerminalKind(kind), false, kind);
  }
  assert.deepEqual(
    ['event/1', 'event-close/1', 'receipt/1', 'benchmark/1', 'tick/1', 'event/2'].map(isDueKind),
    [true, true, true, true, false, false],
  );
});
