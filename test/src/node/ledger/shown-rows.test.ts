import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHash } from '@assay/core/hash/hash';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewWrite } from '@assay/core/view/view';
import { type Published, Publishing } from '@assay/node/ledger/publishing';
import { memoryRows } from '@assay/node/ledger/store/layered-views';
import type { WitnessStage } from '@assay/node/ledger/witness-stage';
import fc from 'fast-check';
import { requireSameRows, ROW_TABLES } from './store/row-comparison.ts';

/** Witnesses that answer when they are told to. */
class SlowStage implements WitnessStage {
  readonly required = 1;
  #answers: ((isGood: boolean) => void)[] = [];

  readonly gather = (note: Uint8Array): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      this.#answers.push((isGood) =>
        isGood ? resolve(Uint8Array.of(...note, 9)) : reject(new Error('silent')),
      );
    });

  async answer(isGood: boolean): Promise<void> {
    for (const each of this.#answers.splice(0)) each(isGood);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
}

const WRITES = fc.uniqueArray(
  fc.record({
    table: fc.constantFrom(...ROW_TABLES),
    key: fc.constantFrom('0', '1', '2', '3', '4', '5'),
    value: fc.nat(9),
  }),
  { selector: ({ table, key }) => `${table} ${key}`, maxLength: 5 },
);

const STEP = fc.record({
  kind: fc.constantFrom(
    'commit' as const,
    'commit' as const,
    'witness' as const,
    'silence' as const,
    'lost commit' as const,
    'cut commit' as const,
    'mend' as const,
  ),
  writes: WRITES,
});

function copyOf(views: MemoryViews): MemoryViews {
  const copy = new MemoryViews();
  copy.replace(views);
  return copy;
}

function headOf(size: number): Published {
  return { size, root: toHash(new Uint8Array(32).fill(size)), note: Uint8Array.of(1, size) };
}

test('shown rows: readers have the rows of the head that they are shown, whatever is committed meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 30 }), fc.boolean(), async (steps, isCut) => {
      const stage = new SlowStage();
      let committed = new MemoryViews();
      committed.write([{ table: 'a', key: '1', value: 0 }]);
      let rows = memoryRows(committed);
      const publishing = new Publishing(
        { witness: stage, prove: () => Promise.reject(new Error('none')), onPublish: undefined },
        rows,
      );
      const older = new MemoryViews();
      older.write([{ table: 'b', key: '2', value: 3 }]);
      let isDropped = false;
      const apart = {
        ...memoryRows(older),
        get(table: string, key: string) {
          assert.ok(!isDropped, 'nobody reads rows that were given up');
          return older.get(table, key);
        },
        drop() {
          assert.ok(!isDropped);
          isDropped = true;
          return Promise.resolve();
        },
      };
      /** The rows of each head. */
      const models = new Map<number, MemoryViews>([[1, older]]);
      let size = 2;
      models.set(size, copyOf(committed));
      const kept = isCut ? { head: headOf(1), rows: apart } : { head: headOf(2), rows: undefined };
      publishing.restore(headOf(size), kept);
      void publishing.ask();
      const begin = (writes: readonly ViewWrite[]): void =>
        publishing.begin(
          writes.map((write) => ({ write, before: committed.get(write.table, write.key) })),
        );
      for (const { kind, writes } of steps) {
        switch (kind) {
          case 'commit':
            begin(writes);
            rows.apply(writes, []);
            size += 1;
            models.set(size, copyOf(committed));
            publishing.add(headOf(size), writes);
            break;
          case 'witness':
          case 'silence':
            await stage.answer(kind === 'witness');
            void publishing.ask();
            break;
          case 'lost commit':
            // It failed, and is not on the disk.
            begin(writes);
            committed = copyOf(committed);
            rows = memoryRows(committed);
            publishing.takeUp(rows, undefined);
            break;
          case 'cut commit':
            // It failed, and is on the disk.
            begin(writes);
            committed = copyOf(committed);
            committed.write(writes);
            rows = memoryRows(committed);
            size += 1;
            models.set(size, copyOf(committed));
            publishing.takeUp(rows, headOf(size));
            break;
          case 'mend':
            committed = copyOf(committed);
            rows = memoryRows(committed);
            publishing.mend(rows);
            break;
        }
        const shown = models.get(publishing.published?.size ?? 0);
        assert.ok(shown !== undefined);
        assert.equal(isDropped, isCut && publishing.published?.size !== 1);
        requireSameRows(publishing.shown, shown);
      }
      for (let turn = 0; turn < 3; turn += 1) {
        void publishing.ask();
        await stage.answer(true);
      }
      assert.equal(publishing.published?.size, size);
      requireSameRows(publishing.shown, models.get(size) as MemoryViews);
      await publishing.close();
    }),
    { numRuns: 150 },
  );
});
