import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewWrite } from '@assay/core/view/view';
import {
  LayeredViews,
  memoryRows,
  NO_ROWS,
  rowsWithout,
} from '@assay/node/ledger/store/layered-views';
import fc from 'fast-check';
import { requireSameRows, ROW_TABLES } from './row-comparison.ts';

const WRITE = fc.record({
  table: fc.constantFrom(...ROW_TABLES),
  key: fc.constantFrom('0', '1', '2', '3', '4', '5'),
  value: fc.nat(9),
});

/** One entry's rows, of which each is written once. */
const ENTRY = fc.uniqueArray(WRITE, {
  selector: ({ table, key }) => `${table} ${key}`,
  maxLength: 4,
});

test('layered views: with what waits over what is committed, they are the rows of one state', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), entry: ENTRY }),
    fc.record({ kind: fc.constant('take back' as const), entry: ENTRY }),
    fc.record({ kind: fc.constant('commit' as const), entry: fc.constant([]) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const committed = new MemoryViews();
      const rows = memoryRows(committed);
      const views = new LayeredViews(rows);
      const model = new MemoryViews();
      let waiting: ViewWrite[] = [];
      for (const { kind, entry } of steps) {
        const before = entry.map(({ table, key }) => views.get(table, key));
        views.write(entry);
        model.write(entry);
        if (kind === 'take back') {
          views.takeBack(entry, before);
          model.takeBack(entry, before);
        } else if (kind === 'write') waiting.push(...entry);
        else {
          const last = new Map(waiting.map((each) => [`${each.table} ${each.key}`, each]));
          rows.apply([...last.values()], []);
          views.settled(last.values());
          waiting = [];
          requireSameRows(committed, model);
        }
        requireSameRows(views, model);
      }
    }),
  );
});

test('layered views: what a commit has changed again since then stays over it', () => {
  const rows = memoryRows(new MemoryViews());
  const views = new LayeredViews(rows);
  const first = { table: 'a', key: 'k', value: { n: 1 } };
  const second = { table: 'a', key: 'k', value: { n: 2 } };
  views.write([first]);
  views.write([second]);
  rows.apply([first], []);
  views.settled([first]);
  assert.deepEqual(views.get('a', 'k'), { n: 2 });
  rows.apply([second], []);
  views.settled([second]);
  assert.deepEqual([...views.list('a')], [['k', { n: 2 }]]);
  views.rebase(NO_ROWS);
  assert.equal(views.get('a', 'k'), undefined, 'nothing is left in the layer');
  assert.deepEqual([...views.list('a')], []);
  assert.deepEqual([...views.descend('a')], []);
});

test('layered views: a table that is left out is found in no way', () => {
  const views = new MemoryViews();
  views.write([
    { table: 'a', key: 'k', value: 1 },
    { table: 'own', key: 'k', value: 2 },
  ]);
  const rows = rowsWithout(memoryRows(views), 'own');
  const layered = new LayeredViews(rows);
  assert.deepEqual([layered.get('a', 'k'), layered.get('own', 'k')], [1, undefined]);
  assert.deepEqual([[...layered.list('own')], [...layered.descend('own')]], [[], []]);
  rows.apply([{ table: 'a', key: 'k', value: 3 }], [1]);
  assert.deepEqual([...layered.list('a')], [['k', 3]]);
});
