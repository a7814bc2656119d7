import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import type { EventOpen } from '@assay/core/kind/event';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { moveOf, returnsOf } from '@assay/verifier/terminal/public-returns';
import type { Loose } from '../fixture/forge.ts';
import { publish } from '../fixture/published.ts';
import { tickedLog } from '../fixture/ticked-log.ts';

const LOG = tickedLog();
const { views } = publish(LOG.entries, LOG.blobs, LOG.checkpoints);

test('public returns: those of receipts and benchmarks that have one, over their two ticks', () => {
  const entries = LOG.entries.map((bytes) => parseEntry(bytes) as unknown as Loose);
  const stated = (kind: string) =>
    entries.filter((each) => each['kind'] === kind && each['body'].ret !== null);
  const found = [...returnsOf(views, 'crypto')];
  assert.equal(found.length, stated('receipt/1').length + stated('benchmark/1').length);
  assert.ok(stated('receipt/1').length > 0 && stated('benchmark/1').length > 0);
  const seconds = (text: TimeText) => parseTime(text);
  for (const { body } of stated('benchmark/1')) {
    const by = `the benchmark of event ${body.id} after ${body.horizon}`;
    const [from, to] = [seconds(body.from), seconds(body.to)];
    const same = found.find((each) => each.by === by);
    assert.deepEqual(same, { symbol: 'BTC', from, to, ret: body.ret, by });
  }
  for (const { body } of stated('receipt/1')) {
    const by = `the receipt of event ${body.id} after ${body.horizon}`;
    const event = entries.find((each) => each['kind'] === 'event/1' && each['body'].id === body.id);
    assert.ok(event !== undefined);
    const { symbol, opened_at } = event['body'] as Loose;
    const [from, to] = [seconds(opened_at), seconds(body.resolved_at)];
    const same = found.find((each) => each.by === by);
    assert.deepEqual(same, { symbol, from, to, ret: body.ret, by });
  }
});

test('public returns: none of another class', () => {
  assert.deepEqual([...returnsOf(views, 'stock')], []);
});

test('public returns: the move of an event ends at its opening', () => {
  const event = {
    id: 'an id',
    symbol: 'ADA',
    opened_at: '2026-03-02T00:00:00Z',
    move_24h: -1204,
  } as unknown as EventOpen;
  const [to, by] = [parseTime('2026-03-02T00:00:00Z'), 'the move_24h of event an id'];
  assert.deepEqual(moveOf(event, 900), { symbol: 'ADA', from: 900, to, ret: -1204, by });
  assert.equal(moveOf(event, undefined), undefined);
  assert.equal(moveOf({ ...event, move_24h: null }, 900), undefined);
});
