import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryViews } from '@assay/core/view/state';
import fc from 'fast-check';

test('state: rows come in ascending order of their keys, whatever the order of writing', () => {
  const writes = fc.array(
    fc.record({
      table: fc.constantFrom('a', 'b'),
      key: fc.string({ maxLength: 2 }),
      value: fc.nat(),
    }),
  );
  fc.assert(
    fc.property(writes, fc.nat(20), (all, cut) => {
      const views = new MemoryViews();
      views.write(all.slice(0, cut));
      // A listing in between must not fix the order for good.
      assert.equal(
        [...views.list('a')].length,
        new Set(
          all
            .slice(0, cut)
            .filter(({ table }) => table === 'a')
            .map(({ key }) => key),
        ).size,
      );
      views.write(all.slice(cut));
      for (const table of ['a', 'b']) {
        const expected = new Map(
          all.filter((each) => each.table === table).map(({ key, value }) => [key, value]),
        );
        const keys = [...expected.keys()].sort();
        assert.deepEqual(
          [...views.list(table)],
          keys.map((key) => [key, expected.get(key)]),
        );
        for (const key of keys) assert.equal(views.get(table, key), expected.get(key));
        const down = [...views.list(table)].reverse();
        assert.deepEqual([...views.descend(table)], down);
        for (const below of [...keys, '', 'b', '\u{10ffff}']) {
          assert.deepEqual(
            [...views.descend(table, below)],
            down.filter(([key]) => key < below),
          );
        }
      }
      assert.deepEqual(views.tables(), [...new Set(all.map(({ table }) => table))].sort());
    }),
  );
  const empty = new MemoryViews();
  assert.equal(empty.get('a', 'b'), undefined);
  assert.deepEqual([...empty.list('a')], []);
  assert.deepEqual([...empty.descend('a')], []);
});

test('state: rows that come at the end are no part of a listing under way', () => {
  const views = new MemoryViews();
  const row = (key: string): { table: string; key: string; value: number } => ({
    table: 'a',
    key,
    value: 1,
  });
  views.write([row('1'), row('2')]);
  const seen: string[] = [];
  for (const [key] of views.list('a')) {
    seen.push(key);
    views.write([row(`${key}0`), row('3')]);
  }
  assert.deepEqual(seen, ['1', '2']);
});

test('state: cleared, it has no rows and takes new ones', () => {
  const views = new MemoryViews();
  views.write([
    { table: 'a', key: 'k', value: 1 },
    { table: 'b', key: 'l', value: 2 },
  ]);
  assert.deepEqual([...views.list('a')], [['k', 1]]);
  views.clear();
  assert.deepEqual([...views.list('a')], []);
  assert.deepEqual(views.tables(), []);
  views.write([{ table: 'a', key: 'j', value: 3 }]);
  assert.deepEqual([...views.list('a')], [['j', 3]]);
});

test('state: writes that are taken back leave the rows and their order as they were', () => {
  const writes = fc.array(
    fc.record({
      table: fc.constantFrom('a', 'b'),
      key: fc.string({ maxLength: 1 }),
      value: fc.nat(),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(writes, writes, fc.boolean(), (first, second, isListed) => {
      const [views, plain] = [new MemoryViews(), new MemoryViews()];
      views.write(first);
      plain.write(first);
      if (isListed) assert.equal([...views.list('a')].length, [...plain.list('a')].length);
      const before = second.map(({ table, key }) => views.get(table, key));
      views.write(second);
      if (isListed) void [...views.list('a')];
      views.takeBack(second, before);
      assert.deepEqual(views.tables(), plain.tables());
      for (const table of ['a', 'b']) {
        assert.deepEqual([...views.list(table)], [...plain.list(table)]);
        assert.deepEqual([...views.descend(table)], [...plain.descend(table)]);
      }
    }),
  );
});
