import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { formatHex } from '@assay/core/bytes/hex';
import { leafHash } from '@assay/core/hash/hash';
import { formatDate, parseDate } from '@assay/core/time/time';
import type { Ledger } from '@assay/node/ledger/ledger';
import type { ServerOptions } from '@assay/node/http/transport';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { EntryFrames, eventId } from '@assay/node/stream/entry-frames';
import { EventHub } from '@assay/node/stream/event-hub';
import { noTransport, serveWorld, TRANSPORTS } from '../api/world-service.ts';
import { type TestNode, testNode } from '../fixture/round-fixture.ts';
import { filledLedger, Gate, memoryPlace, note } from '../ledger/ledger-fixture.ts';

const READERS = 500;
const SILENT = 3;
/** No heartbeat, which would wake a reader that was forgotten. */
const heartbeatMs = 600_000;
const ALL = { kinds: null, tickers: null, symbols: null, ticks: false };

/** A log of rounds whose publications go to a hub, as those of a node do. */
interface StreamedNode {
  readonly node: TestNode;
  readonly hub: EventHub;
  /** Entries are read for readers only while it is open. */
  readonly gate: Gate;
  /** The provisional and the final of so many weeks. */
  readonly rounds: (weeks: number) => Promise<void>;
}

async function streamedNode(t: TestContext): Promise<StreamedNode> {
  let hub: EventHub | undefined;
  const node = await testNode('2026-07-20T00:00:00Z', {}, undefined, {
    onPublish: ({ size }, tables) => hub?.published(size, tables),
  });
  const gate = new Gate();
  hub = new EventHub(new EntryFrames(gated(node.ledger, gate), nodeSha256), {
    heartbeatMs,
    maxOfAddress: READERS + SILENT,
  });
  // Before the server closes, as in a node.
  t.after(() => hub.stop());
  let week = parseDate('2026-07-18');
  return {
    node,
    hub,
    gate,
    async rounds(weeks) {
      for (let i = 0; i < weeks; i += 1, week += 7) {
        const period = formatDate(week);
        node.source.show({ [period]: 200_000 + i });
        for (const time of ['12:30:00', '14:30:00']) {
          node.at(`${formatDate(week + 5)}T${time}Z`);
          const { report } = await node.round(period);
          assert.equal(report?.status, time === '12:30:00' ? 'provisional' : 'final');
          // The round is published when it ends, whoever reads what.
          assert.equal(node.ledger.published?.size, node.ledger.nextSeq);
        }
      }
    },
  };
}

/** A ledger whose entries can be read only while a gate is open. */
function gated(ledger: Ledger, gate: Gate): ConstructorParameters<typeof EntryFrames>[0] {
  return {
    get published() {
      return ledger.published;
    },
    get shown() {
      return ledger.shown;
    },
    entry: (seq) => ledger.entry(seq),
    async *entries(start, end) {
      await gate.pass();
      yield* ledger.entries(start, end);
    },
  };
}

/** A client of the stream by TCP alone. */
class Reader {
  readonly ids: string[] = [];
  closed = false;
  readonly socket: Socket;
  #rest = '';

  constructor(t: TestContext, base: string, query = '') {
    this.socket = connect(Number(new URL(base).port), '127.0.0.1');
    t.after(() => this.socket.destroy());
    this.socket.on('error', () => undefined); // that it was cut off is seen by `closed`
    this.socket.on('close', () => {
      this.closed = true;
    });
    this.socket.on('data', (chunk: Buffer) => {
      const lines = (this.#rest + chunk.toString()).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('id: ')) this.ids.push(line.slice(4));
    });
    this.socket.write(`GET /events${query} HTTP/1.1\r\nhost: a\r\n\r\n`);
  }
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 2000; i += 1) {
    if (holds()) return;
    await sleep(10);
  }
  assert.fail(`not within 20 s: ${what}`);
}

async function idsOf(ledger: Ledger, start: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const bytes of ledger.entries(start, ledger.published?.size ?? 0)) {
    ids.push(eventId(start + ids.length, formatHex(leafHash(nodeSha256, bytes))));
  }
  return ids;
}

async function served(
  t: TestContext,
  { node, hub }: StreamedNode,
  transport: (typeof TRANSPORTS)[number],
  server: ServerOptions,
): Promise<string> {
  const { ledger, blobs, parts } = node;
  const world = { ledger, blobs, closeParts: { now: parts.now } as never };
  const { base } = await serveWorld(t, world, transport, { events: hub, server });
  t.after(() => ledger.close());
  return base;
}

for (const transport of TRANSPORTS) {
  test(
    `stream over ${transport}: while rounds run, ${READERS} readers get every event once and in order, and who reads nothing is dropped`,
    { skip: noTransport(transport) },
    async (t) => {
      const streamed = await streamedNode(t);
      const { node, hub, rounds } = streamed;
      const base = await served(t, streamed, transport, { stallMs: 300 });
      // More than the sockets of a reader that takes nothing hold.
      for (let i = 0; i < 20; i += 1) {
        await node.ledger.write(() =>
          Array.from({ length: 25 }, (_, k) => note(`${i} ${k} `.padEnd(32_000, '.'))),
        );
      }
      const start = node.ledger.published?.size ?? 0;
      const readers = Array.from({ length: READERS }, () => new Reader(t, base));
      await until(() => hub.clients === READERS, 'all read');
      const silent = Array.from({ length: SILENT }, () => new Reader(t, base, '?from=0'));
      for (const { socket } of silent) socket.pause();
      await until(() => hub.clients === READERS + SILENT, 'there are silent ones');
      await rounds(10);
      const expected = await idsOf(node.ledger, start);
      assert.ok(expected.length >= 20, `${expected.length} entries`);
      await until(
        () => readers.every(({ ids }) => ids.length >= expected.length),
        'all have everything',
      );
      for (const { ids, closed } of readers) {
        assert.deepEqual(ids, expected);
        assert.equal(closed, false);
      }
      await until(() => hub.clients === READERS, 'the silent ones are dropped');
      await rounds(1);
      const size = node.ledger.published?.size ?? 0;
      await until(() => readers.every(({ ids }) => ids.length === size - start), 'it goes on');
    },
  );
}

test('stream: rounds are published while nothing can be read for any reader', async (t) => {
  const streamed = await streamedNode(t);
  const { node, hub, gate, rounds } = streamed;
  const base = await served(t, streamed, 'node', {});
  const start = node.ledger.published?.size ?? 0;
  const readers = Array.from({ length: 20 }, () => new Reader(t, base));
  await until(() => hub.clients === readers.length, 'all read');
  gate.shut();
  await rounds(1);
  await until(() => gate.arrived > 0, 'what was published is being read for them');
  await rounds(4);
  await sleep(20);
  assert.ok(readers.every(({ ids }) => ids.length === 0));
  gate.open();
  const expected = await idsOf(node.ledger, start);
  await until(() => readers.every(({ ids }) => ids.length === expected.length), 'all have it');
  for (const { ids } of readers) assert.deepEqual(ids, expected);
});

test('stream: a publication returns before any reader has anything, and readers are served some at a time', async (t) => {
  const ledger = await filledLedger(await memoryPlace(), 0);
  t.after(() => ledger.close());
  const hub = new EventHub(new EntryFrames(ledger, nodeSha256), { heartbeatMs });
  t.after(() => hub.stop());
  let events = 0;
  const streams = Array.from({ length: READERS }, () =>
    hub.open('a', 1, ALL, new AbortController().signal),
  );
  for (const stream of streams) await stream.next();
  for (const stream of streams) void stream.next().then(() => (events += 1));
  await ledger.write(() => [note('new')]);
  hub.published(2, new Set());
  await Promise.resolve();
  assert.equal(events, 0);
  const inTurn: number[] = [];
  for (let i = 0; i < 1000; i += 1) {
    const before = events;
    await turn();
    inTurn.push(events - before);
  }
  assert.equal(events, READERS);
  assert.ok(Math.max(...inTurn) <= READERS / 20, `${Math.max(...inTurn)} in one turn`);
});

test('stream: what is published while readers are served reaches them, too', async (t) => {
  const ledger = await filledLedger(await memoryPlace(), 0);
  t.after(() => ledger.close());
  const hub = new EventHub(new EntryFrames(ledger, nodeSha256), { heartbeatMs });
  t.after(() => hub.stop());
  const texts = Array.from({ length: READERS }, () => '');
  for (const i of texts.keys()) {
    const stream = hub.open('a', 1, ALL, new AbortController().signal);
    await stream.next();
    void (async () => {
      for await (const text of stream) texts[i] += text;
    })();
  }
  const size = 30;
  while ((ledger.published?.size ?? 0) < size) {
    await ledger.write(() => [note('new')]);
    hub.published(ledger.published?.size ?? 0, new Set());
    await turn();
  }
  const count = (text: string): number => text.split('\nevent: note/1\n').length - 1;
  await until(() => texts.every((text) => count(text) === size - 1), 'all have everything');
});
