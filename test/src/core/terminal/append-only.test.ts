import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { bodyParser } from '@assay/core/kind/kinds';
import { datasetPayload } from '@assay/node/terminal/answer/dataset';
import { receiptsPayload } from '@assay/core/answer/terminal/receipts';
import { HORIZONS } from '@assay/core/kind/horizon';
import { toDate } from '@assay/core/time/time';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import { assetsView } from '@assay/core/view/assets';
import { scoreRulesView } from '@assay/core/view/score-rules';
import { splitsView } from '@assay/core/view/splits';
import { studiesView } from '@assay/core/view/studies';
import { terminalEventsView } from '@assay/core/view/terminal-events';
import { ticksView } from '@assay/core/view/ticks';
import type { FoldedEntry, View, ViewWrite } from '@assay/core/view/view';
import type { SampleLog } from '../fixture/fixture.ts';
import { sha256, SOME_HASH } from '../fixture/fixture.ts';
import { marketEvent, terminalLog } from './terminal-log.ts';

/** Every view of the Terminal. */
const VIEWS: readonly View[] = [
  assetsView,
  scoreRulesView,
  splitsView,
  studiesView,
  terminalEventsView,
  ticksView,
];

/** Tables whose rows stand for what is now: an asset's newest entry, the events that are open, how many have closed. */
const CURRENT = new Set(['assets', 'events-open', 'closed-days']);

/** A value as it may become: what was null may be filled, a list may not change, and nothing goes away. */
function assertGrown(before: unknown, after: unknown, place: string): void {
  if (before === null) return;
  if (typeof before !== 'object') {
    assert.deepEqual(after, before, place);
    return;
  }
  assert.ok(typeof after === 'object' && after !== null, `${place} is gone`);
  if (Array.isArray(before)) assert.equal((after as unknown[]).length, before.length, place);
  for (const [key, value] of Object.entries(before)) {
    assertGrown(value, (after as Record<string, unknown>)[key], `${place}.${key}`);
  }
}

interface Walk {
  versions: number;
  tables: Set<string>;
}

/** Folds a log entry by entry, and looks at every version of every row of the Terminal and of its answers. */
function walk(log: SampleLog): Walk {
  const views = new MemoryViews();
  const seen: Walk = { versions: 0, tables: new Set() };
  const events = new Map<string, unknown>();
  const rows: unknown[] = [];
  for (const bytes of log.entries) {
    const layout = scanEntry(bytes);
    const { seq, at, kind } = layout;
    const known = bodyParser(sha256)(kind, entryBody(bytes, layout));
    if (known === undefined) continue;
    const entry: FoldedEntry = { ...known, seq, at, log: log.log };
    for (const write of VIEWS.flatMap((view) => view.apply(entry, views, sha256))) {
      look(views, write, seq);
      seen.versions += 1;
      seen.tables.add(write.table.split('/')[0] ?? '');
    }
    views.write(foldEntry(entry, views, sha256));
    // Ticks change none of these answers.
    if (kind === 'tick/1') continue;
    lookAtAnswers(views, events, rows);
  }
  return seen;
}

function look(views: MemoryViews, { table, key, value }: ViewWrite, seq: number): void {
  if (CURRENT.has(table)) return;
  const before = views.get(table, key);
  if (before !== undefined) assertGrown(before, value, `entry ${seq}: ${table} ${key}`);
}

/** A receipt that is there stays to the letter; what is still to come may come. */
function lookAtAnswers(views: MemoryViews, events: Map<string, unknown>, rows: unknown[]): void {
  const answer = receiptsPayload(views, sha256, 100);
  const ids = new Set(answer.events.map(({ id }) => id));
  for (const id of events.keys()) assert.ok(ids.has(id), `event ${id} is lost`);
  for (const event of answer.events) {
    const { status: _, proofs: __, receipts, ...fixed } = event;
    const before = events.get(event.id) as
      | { readonly fixed: unknown; readonly receipts: typeof receipts }
      | undefined;
    if (before !== undefined) {
      assert.deepEqual(fixed, before.fixed, event.id);
      for (const horizon of HORIZONS) {
        const { status, ...was } = before.receipts[horizon];
        if (status !== 'pending') {
          assertGrown({ ...was, status }, receipts[horizon], `${event.id} ${horizon}`);
        }
      }
    }
    events.set(event.id, { fixed, receipts });
  }
  const dataset = datasetPayload(views, { since: toDate('2026-08-27'), limit: 5000, offset: 0 });
  assert.ok(dataset.rows.length >= rows.length, 'a row of the dataset is lost');
  for (const [i, row] of dataset.rows.entries()) {
    const before = rows[i] as typeof row | undefined;
    for (const [name, value] of Object.entries(before ?? {})) {
      const isPending = value === 'pending' || (name === 'status' && value === 'cooling');
      if (!isPending) assertGrown(value, row[name], `row ${i}.${name}`);
    }
    rows[i] = row;
  }
}

test('append only: no receipt ever changes, and no row is ever lost', () => {
  const { log } = terminalLog(31);
  const { versions, tables } = walk(log);
  assert.ok(versions > 3000, `${versions} versions`);
  for (const table of ['assets', 'events', 'events-closed', 'closings', 'score-rules', 'ticks']) {
    assert.ok(tables.has(table), table);
  }
});

test('append only: entries that say something else the second time change nothing either', () => {
  const { log, market } = terminalLog(9);
  const id = marketEvent('ETH', 8);
  const at = '2026-09-05T00:02:00Z';
  for (const { kind, body } of market.drafts) {
    const of = body as { readonly id?: string; readonly ts?: string; readonly rule?: object };
    if (of.id === id) {
      if (kind === 'event/1') log.append(kind, { ...body, score: 99, price: SOME_HASH }, at);
      if (kind === 'event-close/1') log.append(kind, { ...body, peak_score: 99 }, at);
      if (kind === 'receipt/1') log.append(kind, { ...body, ret: 7, price: SOME_HASH }, at);
      if (kind === 'benchmark/1') log.append(kind, { ...body, ret: 7 }, at);
    }
    if (of.ts === '2026-08-27T02:00:00Z') log.append(kind, { ...body, blob: SOME_HASH }, at);
  }
  walk(log);
});
