import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_RESERVATIONS, RESERVATION_CLASSES } from '@assay/verifier/verdict/reservation';

test('the classes on which a settlement rests come first, and each class has a cap', () => {
  assert.deepEqual(RESERVATION_CLASSES, [
    'quorum',
    'completeness',
    'calendar',
    'trust',
    'times',
    'chain',
    'sources',
    'terminal',
    'scope',
  ]);
  assert.deepEqual(Object.keys(MAX_RESERVATIONS), [...RESERVATION_CLASSES]);
});
