import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Breadth } from '@assay/core/kind/event';
import { EVENT_GROUPS, groupOf } from '@assay/core/kind/event-group';
import { vectors } from '../fixture/fixture.ts';

test('event group: moves and breadths at their edges, computed apart', () => {
  interface Case {
    readonly move_24h: number | null;
    readonly breadth: Breadth;
    readonly group: string | null;
  }
  const seen = new Set<string>();
  for (const { move_24h, breadth, group } of vectors<Case[]>('base-rate/groups')) {
    const own = groupOf(move_24h, breadth);
    const id = own === undefined ? null : `${own.bucket}/${own.breadth}`;
    assert.equal(id, group, `${move_24h} ${JSON.stringify(breadth)}`);
    if (id !== null) seen.add(id);
  }
  assert.deepEqual(
    [...seen].sort(),
    EVENT_GROUPS.map((each) => Object.values(each).join('/')).sort(),
  );
});
