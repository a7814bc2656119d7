import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATION_VECTORS, contextOf, pagesOf, runSteps, stepsOf } from '../reading-fixture.ts';

/** Runs every vector whose name begins with the operation's. */
export function testOperation(op: string): void {
  const own = OPERATION_VECTORS.filter(({ name }) => name.startsWith(`${op}: `));
  test(`${op}: ${own.length} vectors`, () => {
    assert.ok(own.length >= 3);
    for (const vector of own) {
      const { name, gives, stops } = vector;
      const found = runSteps(stepsOf(vector), pagesOf(vector), contextOf(vector));
      assert.deepEqual(found, stops === undefined ? { gives } : { stops }, name);
    }
  });
}
