import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asksForSample } from '@assay/node/payment/paid-resource';

test('paid resource: a sample is asked for by one parameter and one value', () => {
  const asked = ['sample=true', 'days=3&sample=true'];
  const not = ['', 'sample=false', 'sample=', 'sample=1', 'samples=true', 'days=sample=true'];
  for (const query of asked) assert.equal(asksForSample({ query }), true, query);
  for (const query of not) assert.equal(asksForSample({ query }), false, query);
});
