import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Vantage } from '@assay/verifier/watch/vantage';

test('what an address owes is the first larger head, until it has reached it', () => {
  const vantage = new Vantage('https://a.example', undefined as never, false, undefined);
  const after = (...of: Parameters<Vantage['measure']>): unknown => {
    vantage.measure(...of);
    return vantage.behind;
  };
  assert.equal(after(10, 10, 100), null);
  assert.deepEqual(after(10, 12, 200), { size: 12, since: 200 });
  assert.deepEqual(after(11, 15, 300), { size: 12, since: 200 });
  assert.deepEqual(after(12, 15, 400), { size: 15, since: 400 });
  assert.equal(after(15, 15, 500), null);
});
