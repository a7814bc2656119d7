import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OverlayViews } from '@assay/core/view/overlay';
import { MemoryViews } from '@assay/core/view/state';
import fc from 'fast-check';

test('overlay: reads as if its rows had been written below, and writes nothing there', () => {
  const writes = fc.array(
    fc.record({
      table: fc.constantFrom('a', 'b'),
      key: fc.string({ maxLength: 2 }),
      value: fc.nat(),
    }),
  );
  fc.assert(
    fc.property(writes, writes, (first, second) => {
      const below = new MemoryViews();
      const whole = new MemoryViews();
      below.write(first);
      whole.write(first);
      const before = ['a', 'b'].map((table) => [...below.list(table)]);
      const overlay = new OverlayViews(below);
      overlay.write(second);
      whole.write(second);
      for (const table of ['a', 'b']) {
        assert.deepEqual([...overlay.list(table)], [...whole.list(table)]);
        assert.deepEqual([...overlay.descend(table)], [...whole.descend(table)]);
        for (const { key } of [...first, ...second]) {
          assert.deepEqual([...overlay.descend(table, key)], [...whole.descend(table, key)]);
          assert.equal(overlay.get(table, key), whole.get(table, key));
        }
      }
      assert.deepEqual(
        ['a', 'b'].map((table) => [...below.list(table)]),
        before,
      );
    }),
  );
});
