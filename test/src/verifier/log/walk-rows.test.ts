import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewWrite } from '@assay/core/view/view';
import { NO_LIMIT, WorkBudget } from '@assay/core/work-budget';
import { WalkRows } from '@assay/verifier/log/walk-rows';
import type { RowStore } from '@assay/verifier/verdict/environment';
import fc from 'fast-check';

const row = (table: string, key: string, value: number): ViewWrite => ({ table, key, value });

/** A place that is in memory after all, and tells how often it was flushed. */
class Place implements RowStore {
  readonly #views = new MemoryViews();
  readonly get = this.#views.get.bind(this.#views);
  readonly list = this.#views.list.bind(this.#views);
  readonly descend = this.#views.descend.bind(this.#views);
  readonly write = this.#views.write.bind(this.#views);
  flushes = 0;

  flush(): Promise<void> {
    this.flushes += 1;
    return Promise.resolve();
  }

  drop(): Promise<void> {
    this.#views.clear();
    return Promise.resolve();
  }

  async *all(): AsyncGenerator<ViewWrite> {
    for (const table of this.#views.tables()) {
      for (const [key, value] of this.#views.list(table)) yield { table, key, value };
    }
  }
}

async function allOf(rows: WalkRows): Promise<readonly ViewWrite[]> {
  const all: ViewWrite[] = [];
  for await (const each of rows.all()) all.push(each);
  return all;
}

test('walk rows: those that were written after a load, as they are now', async () => {
  for (const most of [0, 100]) {
    const rows = new WalkRows(NO_LIMIT, () => Promise.resolve(new Place()), most);
    rows.load([row('a', '1', 1), row('a', '2', 2)]);
    await rows.flush(50);
    rows.load([row('b', '1', 3)]);
    assert.deepEqual([...(rows.changed ?? [])], []);
    rows.write([row('a', '2', 5)]);
    rows.write([row('a', '3', 6), row('a', '2', 7)]);
    assert.equal(rows.isStored, most === 0);
    assert.deepEqual([...(rows.changed ?? [])], [row('a', '2', 7), row('a', '3', 6)]);
    const all = [row('a', '1', 1), row('a', '2', 7), row('a', '3', 6), row('b', '1', 3)];
    assert.deepEqual(await allOf(rows), all);
  }
});

test('walk rows: without a load nobody knows which have changed', async () => {
  const rows = new WalkRows(NO_LIMIT, undefined, 0);
  rows.write([row('a', '1', 1)]);
  assert.equal(rows.changed, undefined);
  assert.deepEqual(await allOf(rows), [row('a', '1', 1)]);
});

test('walk rows: they move once the entries are more than may be in memory, if there is a place', async () => {
  const place = new Place();
  const rows = new WalkRows(NO_LIMIT, () => Promise.resolve(place), 100);
  rows.write([row('a', '1', 1)]);
  assert.equal(rows.flush(100), undefined);
  assert.equal(rows.isStored, false);
  const moving = rows.flush(101);
  // Checks that are still under way read meanwhile.
  assert.equal(rows.get('a', '1'), 1);
  await moving;
  assert.equal(rows.isStored, true);
  assert.equal(place.get('a', '1'), 1);
  const { flushes } = place;
  await rows.flush(102);
  assert.equal(place.flushes, flushes + 1);
  const without = new WalkRows(NO_LIMIT, undefined, 100);
  without.write([row('a', '1', 1)]);
  assert.equal(without.flush(101), undefined);
  assert.equal(without.isStored, false);
});

test('walk rows: a place that cannot be made leaves everything as it was', async () => {
  const rows = new WalkRows(NO_LIMIT, () => Promise.reject(new Error('full')), 0);
  rows.write([row('a', '1', 1)]);
  await assert.rejects(Promise.resolve(rows.flush(1)), /full/);
  assert.equal(rows.isStored, false);
  assert.equal(rows.get('a', '1'), 1);
});

test('walk rows: a place that could not be filled is given up', async () => {
  let dropped = 0;
  class Full extends Place {
    override flush(): Promise<void> {
      return Promise.reject(new Error('full'));
    }

    override drop(): Promise<void> {
      dropped += 1;
      return super.drop();
    }
  }
  const rows = new WalkRows(NO_LIMIT, () => Promise.resolve(new Full()), 0);
  rows.write([row('a', '1', 1)]);
  await assert.rejects(Promise.resolve(rows.flush(1)), /full/);
  assert.deepEqual([rows.isStored, dropped, rows.get('a', '1')], [false, 1, 1]);
});

test('walk rows: of very many changed rows nobody knows which have changed', () => {
  const rows = new WalkRows(NO_LIMIT, undefined, 0);
  rows.load([row('a', 'kept', 1)]);
  for (let i = 0; i < 100_000; i += 1) rows.write([row('a', `${i}`, i)]);
  assert.equal([...(rows.changed ?? [])].length, 100_000);
  rows.write([row('a', 'one more', 1)]);
  assert.equal(rows.changed, undefined);
  rows.write([row('a', 'another', 1)]);
  assert.equal(rows.changed, undefined);
});

test('walk rows: what is read outside of memory is charged, so that a long list ends with the time', async () => {
  const work = new WorkBudget({ steps: 100_000 });
  const rows = new WalkRows(work, () => Promise.resolve(new Place()), 0);
  rows.write(Array.from({ length: 200 }, (_, i) => row('a', `${i}`.padStart(3, '0'), i)));
  await rows.flush(1);
  assert.throws(() => [...rows.list('a')], { code: 'work_exceeded' });
});

test('walk rows: in memory or not, they are those of a state in memory', async () => {
  const writes = fc.array(
    fc.record({
      table: fc.constantFrom('a', 'b', 'a/b'),
      key: fc.constantFrom('0', '1', '\u{1f600}', '\uffee'),
      value: fc.nat(9),
    }),
    { maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(writes, { maxLength: 8 }), fc.nat(9), async (steps, most) => {
      const rows = new WalkRows(NO_LIMIT, () => Promise.resolve(new Place()), most);
      const model = new MemoryViews();
      for (const [i, some] of steps.entries()) {
        rows.write(some);
        model.write(some);
        await rows.flush(i);
        for (const table of ['a', 'b', 'a/b', 'none']) {
          assert.deepEqual([...rows.list(table)], [...model.list(table)]);
          assert.deepEqual([...rows.descend(table)], [...model.descend(table)]);
          assert.deepEqual([...rows.descend(table, '1')], [...model.descend(table, '1')]);
          assert.equal(rows.get(table, '1'), model.get(table, '1'));
        }
      }
    }),
  );
});

test('walk rows: all of them come by their UTF-8, as a database has them', async () => {
  const rows = new WalkRows(NO_LIMIT, undefined, 0);
  const names = ['b', 'a', '\u{1f600}', '\uffee', 'a\u0001'];
  rows.write(names.flatMap((table) => names.map((key) => row(table, key, 1))));
  const found = (await allOf(rows)).map(({ table, key }) => Buffer.from(`${table}\0${key}`));
  assert.deepEqual(
    found,
    [...found].sort((a, b) => Buffer.compare(a, b)),
  );
  assert.equal(found.length, 25);
});
