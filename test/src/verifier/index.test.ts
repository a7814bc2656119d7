import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as door from '@assay/verifier';

/** What programs outside of this repository import. A name that goes breaks them; one that is added stays for good. */
const NAMES = [
  'DEFAULT_LIMITS',
  'Fault',
  'OPEN_POLICY',
  'PORTABLE',
  'Watch',
  'checkEvidence',
  'httpReader',
  'open',
  'parsePolicy',
  'summarize',
  'verify',
];

test('verifier: the names of the front door', () => {
  assert.deepEqual(Object.keys(door).sort(), NAMES);
});
