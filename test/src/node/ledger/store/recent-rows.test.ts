import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentRows } from '@assay/node/ledger/store/recent-rows';
import fc from 'fast-check';

test('recent rows: a row is the newest of its name, or is not held', () => {
  const step = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), reads: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(0, 150, 300), (steps, most) => {
      const rows = new RecentRows(most);
      const newest = new Map<string, number>();
      for (const [i, { name, reads }] of steps.entries()) {
        if (!reads) {
          rows.hold(name, i, 10);
          newest.set(name, i);
        }
        const found = rows.get(name);
        assert.ok(found === undefined || found === newest.get(name));
      }
    }),
  );
});

test('recent rows: what is used stays, and what is not goes', () => {
  const rows = new RecentRows(2000);
  rows.hold('used', 1, 10);
  rows.hold('idle', null, 10);
  assert.equal(rows.get('idle'), null);
  for (let i = 0; i < 100; i += 1) {
    rows.hold(`${i}`, i, 10);
    assert.equal(rows.get('used'), 1);
  }
  assert.equal(rows.get('idle'), undefined);
  // Half of the room at least, and not more than all of it.
  const held = Array.from({ length: 100 }, (_, i) => rows.get(`${i}`)).filter(
    (value) => value !== undefined,
  );
  assert.ok(held.length >= 12 && held.length <= 26, `${held.length}`);
});
