import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { EntryFrames } from '@assay/node/stream/entry-frames';
import { EventHub } from '@assay/node/stream/event-hub';
import { type EventAnswer, open } from '@assay/verifier';
import { CHECKPOINTS, filledLedger, memoryPlace, note } from '../../ledger/ledger-fixture.ts';
import { terminalWorld } from '../terminal-world.ts';
import { noTransport, serveWorld, TRANSPORTS } from '../world-service.ts';

for (const transport of TRANSPORTS) {
  const skip = noTransport(transport);
  test(
    `${transport}: the client proves what the stream of a service brings`,
    { skip },
    async (t) => {
      const ledger = await filledLedger(await memoryPlace(), 300);
      const hub = new EventHub(new EntryFrames(ledger, nodeSha256), { heartbeatMs: 200 });
      t.after(() => hub.stop());
      const parts = { ledger, blobs: undefined as never, closeParts: { now: () => 0 } as never };
      const { base } = await serveWorld(t, parts, transport, { events: hub });
      t.after(() => ledger.close());
      const client = await open(base, { key: CHECKPOINTS.vkey });
      const events = client.events({ from: 250 });
      const next = async (): Promise<EventAnswer> => (await events.next()).value as EventAnswer;
      for (let seq = 250; seq <= 300; seq += 1) {
        const event = await next();
        assert.ok(event.ok, JSON.stringify(event));
        assert.equal(event.seq, seq);
      }
      // What is published while it reads, beyond a full tile.
      for (let i = 0; i < 5; i += 1) {
        await ledger.write(() => Array.from({ length: 60 }, () => note(`later ${i}`)));
        hub.published(ledger.published?.size ?? 0, new Set());
        const event = await next();
        assert.ok(event.ok, JSON.stringify(event));
      }
      let last = await next();
      while (last.ok && last.seq < 600) last = await next();
      assert.ok(last.ok, JSON.stringify(last));
      await events.return?.();
      // A reader who leaves is no reader of the hub for long.
      for (let i = 0; i < 100 && hub.clients > 0; i += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.equal(hub.clients, 0);
    },
  );
}

test('the client reads the lists of a service to their end', async (t) => {
  const { base } = await terminalWorld(t, 'node', 3);
  const client = await open(base, { key: CHECKPOINTS.vkey });
  const ids: string[] = [];
  for await (const row of client.served('dataset', { limit: 2 })) ids.push(row.event_id);
  assert.equal(new Set(ids).size, ids.length);
  const whole = await (await fetch(`${base}/receipts/dataset?limit=1000`)).json();
  const { rows } = whole as {
    readonly rows: readonly { readonly event_id: string; readonly display: boolean }[];
  };
  assert.ok(rows.length > 2);
  assert.deepEqual(
    ids,
    rows.map((row) => row.event_id),
  );
  const events: string[] = [];
  for await (const row of client.served('receipts', { limit: 2 })) events.push(row.id);
  // Hidden assets are in the dataset alone.
  const shown = rows.filter(({ display }) => display).map((row) => row.event_id);
  assert.deepEqual(events.sort(), shown.sort());
  for await (const row of client.served('questions', { limit: 3 }))
    assert.equal(typeof row.id, 'string');
});
