import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { bodyParser, type KnownBody } from '@assay/core/kind/kinds';
import type { Horizon } from '@assay/core/kind/horizon';
import type { HorizonReturn } from '@assay/core/terminal/study/return-statistics';
import { StudyEvents } from '@assay/core/terminal/study/study-events';
import { parseTime } from '@assay/core/time/time';
import { eventsByOpening, type EventRow } from '@assay/core/view/terminal-events';
import { sha256 } from '../../fixture/fixture.ts';
import { terminalLog } from '../terminal-log.ts';

const { log } = terminalLog(31);
const ENTRIES: readonly KnownBody[] = log.entries.flatMap((bytes) => {
  const layout = scanEntry(bytes);
  return bodyParser(sha256)(layout.kind, entryBody(bytes, layout)) ?? [];
});

function taken(of: 'crypto' | 'stock', entries: readonly KnownBody[]): StudyEvents['closed'] {
  const events = new StudyEvents(of);
  for (const entry of entries) events.take(entry);
  return events.closed;
}

test('study events: the closed ones, with what the views of the same log say of them', () => {
  const returns = ({ receipts, benchmarks }: EventRow, horizon: Horizon): HorizonReturn => ({
    ret: receipts[horizon]?.body.ret ?? null,
    benchmark: benchmarks[horizon]?.body.ret ?? null,
  });
  const rows = [...eventsByOpening(log.views)].filter(({ close }) => close !== null).reverse();
  assert.deepEqual(
    taken('crypto', ENTRIES),
    rows.map((row) => {
      const { id, symbol, opened_at, move_24h, breadth } = row.open.body;
      return {
        id,
        symbol,
        opened_at: parseTime(opened_at),
        move_24h,
        breadth,
        returns: {
          '1d': returns(row, '24h'),
          '7d': returns(row, '7d'),
          '30d': returns(row, '30d'),
        },
      };
    }),
  );
  // There are returns with a benchmark, without one (its own), and void ones.
  const found = rows.flatMap((row) => {
    const { ret, benchmark } = returns(row, '7d');
    return [`${ret !== null} ${benchmark !== null}`];
  });
  assert.deepEqual(found.sort(), ['false false', 'true false', 'true true']);
  assert.deepEqual(taken('stock', ENTRIES), []);
});

test('study events: the first of two counts, and what is of no event in the range is ignored', () => {
  const whole = taken('crypto', ENTRIES);
  const again = ENTRIES.map((entry): KnownBody =>
    entry.kind === 'receipt/1' || entry.kind === 'benchmark/1'
      ? ({ kind: entry.kind, body: { ...entry.body, ret: 12_345 } } as KnownBody)
      : entry,
  );
  assert.deepEqual(taken('crypto', [...ENTRIES, ...again]), whole);
  const opened = ENTRIES.findIndex(({ kind }) => kind === 'event/1');
  assert.deepEqual(taken('crypto', ENTRIES.slice(opened + 1)), whole.slice(1));
});
