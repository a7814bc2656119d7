import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as door from '@assay/chain';

/** What venues import. A name that goes breaks them; one that is added stays for good. */
const NAMES = [
  'Fault',
  'feedAddress',
  'finalOf',
  'finalThrough',
  'pageAddress',
  'printOfPeriod',
  'readPrint',
  'requireFinal',
];

test('chain: the names of the front door', () => {
  assert.deepEqual(Object.keys(door).sort(), NAMES);
});
