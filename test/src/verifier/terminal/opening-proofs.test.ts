import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordDigest } from '@assay/core/kind/record-digest';
import { formatTime, parseTime } from '@assay/core/time/time';
import { seqKey } from '@assay/core/view/seq-key';
import type { EventRow } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { countOpenings } from '@assay/verifier/terminal/opening-proofs';
import type { BitcoinTrust, BlockFacts } from '@assay/verifier/verdict/verdict';

const OPENED = '2026-03-01T00:00:00Z';

/** Rows of a log: events, what is stamped of them, and the batches. */
function stateOf(rows: Readonly<Record<string, Readonly<Record<string, unknown>>>>): ViewState {
  return {
    get: (table: string, key: string) => rows[table]?.[key],
    *list(table: string) {
      yield* Object.entries(rows[table] ?? {});
    },
    *descend(table: string) {
      yield* Object.entries(rows[table] ?? {}).reverse();
    },
  } as unknown as ViewState;
}

test('opening proofs: by the time of a block that something vouches for', () => {
  const count = (blocks: readonly (readonly [late: number, trust: BitcoinTrust] | null)[]) => {
    const events: Record<string, unknown> = {};
    const opened: Record<string, unknown> = {};
    const stamped: Record<string, unknown> = {};
    const anchors: Record<string, unknown> = {};
    const held = new Map<number, BlockFacts>();
    for (const [i, block] of blocks.entries()) {
      const id = `id${i}`;
      const of = i === 0 ? 'stock' : 'crypto';
      const body = { id, class: of, opened_at: OPENED } as unknown as EventRow['open']['body'];
      events[id] = { open: { seq: i, body } };
      opened[id] = id;
      stamped[recordDigest(nodeSha256, body)] = { of: 'event', seq: i, at: OPENED, batch: i };
      anchors[seqKey(i)] = { batch: i };
      if (block === null) continue;
      const [late, trust] = block;
      const time = formatTime(parseTime(OPENED) + late);
      held.set(i, { time, trust } as unknown as BlockFacts);
    }
    const state = stateOf({ events, 'events-opened': opened, stamped, anchors });
    return countOpenings(nodeSha256, state, 'crypto', (batch) => held.get(batch));
  };
  const first = [0, 'headers'] as const;
  assert.deepEqual(count([first]), { within_hour: 0, later: 0, unproven: 0 });
  assert.deepEqual(count([first, [3600, 'headers'], [3601, 'work'], null, [60, 'none']]), {
    within_hour: 1,
    later: 1,
    unproven: 2,
  });
  assert.deepEqual(count([first, [-60, 'explorer']]), { within_hour: 1, later: 0, unproven: 0 });
});
