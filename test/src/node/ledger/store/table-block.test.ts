import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWalkable } from '@assay/node/ledger/store/table-block';

/** A row of a block: what its key shares, the rest of the key, and its value. */
type Row = readonly [shared: number, rest: readonly number[], value: readonly number[]];

const MARK = [1, 1, 0, 0, 0, 0, 0, 0];

function blockOf(rows: readonly Row[], restarts: readonly number[] = [0]): Uint8Array {
  const bytes = rows.flatMap(([shared, rest, value]) => [
    shared,
    rest.length,
    value.length,
    ...rest,
    ...value,
  ]);
  for (const each of [...restarts, restarts.length]) bytes.push(each, 0, 0, 0);
  return Uint8Array.from(bytes);
}

test('table block: rows in order, with what they share, can be gone over', () => {
  assert.ok(isWalkable(blockOf([[0, [65, ...MARK], [1, 2]]])));
  assert.ok(
    isWalkable(
      blockOf([
        [0, [65, ...MARK], []],
        [1, [66, ...MARK], [9]],
      ]),
    ),
  );
  // Of one key the newest comes first.
  assert.ok(
    isWalkable(
      blockOf([
        [0, [65, 1, 2, 0, 0, 0, 0, 0, 0], []],
        [0, [65, ...MARK], []],
      ]),
    ),
  );
});

test('table block: what LevelDB would abort over is none', () => {
  const row: Row = [0, [65, ...MARK], [1]];
  assert.ok(!isWalkable(blockOf([[0, [65, 1, 1], []]])), 'a key without its mark');
  assert.ok(!isWalkable(blockOf([[0, [65, 7, 1, 0, 0, 0, 0, 0, 0], []]])), 'a kind of row unknown');
  assert.ok(!isWalkable(blockOf([row, [10, MARK, []]])), 'more shared than there is');
  assert.ok(!isWalkable(blockOf([row, [0, [64, ...MARK], []]])), 'keys in disorder');
  assert.ok(!isWalkable(blockOf([row, row])), 'one key twice');
  assert.ok(!isWalkable(blockOf([row], [1])), 'a restart point inside of a row');
  assert.ok(!isWalkable(blockOf([row]).subarray(1)), 'a row that is shifted');
  assert.ok(!isWalkable(Uint8Array.of(0, 0, 0, 0)), 'no restart points');
  assert.ok(!isWalkable(Uint8Array.of(1)), 'too short');
});
