import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventPayload } from '@assay/core/answer/terminal/terminal-event';
import { eventTable } from '@assay/node/page/event-table';
import { CLOSED_EVENT } from './fixture/closed-event.ts';

const NAMES = { label: 'Events', isOfOne: false };

function text(event: EventPayload, isOfOne = false): string {
  return eventTable([event], { ...NAMES, isOfOne })
    .text.replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

test('event table: a return stands beside its benchmark, and what is due or void says so', () => {
  const shown = text(CLOSED_EVENT);
  assert.match(
    shown,
    /21 September 2026 14:15 UTC ETH Ether &lt;b&gt; 72 peak 81 −3\.40 % BTC \+1\.02 % due 28 September 2026 void: the asset is not listed any more opening: block 963,412 24h: not stamped yet/,
  );
  assert.doesNotMatch(text(CLOSED_EVENT, true), /ETH/);
});

test('event table: a receipt without the return of its benchmark says which of three cases it is', () => {
  const resolved = CLOSED_EVENT.receipts['24h'];
  for (const [change, expected] of [
    [{ benchmark_ret_pct: null }, /BTC not known yet/],
    [{ benchmark: null, benchmark_ret_pct: null, benchmark_reason: 'own' }, /is the benchmark/],
    [{ benchmark_ret_pct: null, benchmark_reason: 'no_data' }, /no benchmark/],
  ] as const) {
    const receipts = { ...CLOSED_EVENT.receipts, '24h': { ...resolved, ...change } };
    assert.match(text({ ...CLOSED_EVENT, receipts }), expected);
  }
});

test('event table: a proof without a block is not shown as one', () => {
  const open = { ...CLOSED_EVENT.proofs.open, bitcoin_height: null } as never;
  const { text: markup } = eventTable(
    [{ ...CLOSED_EVENT, proofs: { ...CLOSED_EVENT.proofs, open } }],
    NAMES,
  );
  assert.match(
    markup,
    /href="\/receipts\/proof\?event_id=[0-9a-f-]+&amp;horizon=open&amp;format=ots">opening: no block yet</,
  );
  assert.doesNotMatch(markup, /: block/);
});
