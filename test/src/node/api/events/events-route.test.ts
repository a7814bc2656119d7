import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { formatHex } from '@assay/core/bytes/hex';
import { leafHash } from '@assay/core/hash/hash';
import type { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { EntryFrames, parseEventId } from '@assay/node/stream/entry-frames';
import { EventHub, type EventHubOptions } from '@assay/node/stream/event-hub';
import { layoffsRule, sampleReport } from '../../../core/fixture/fixture.ts';
import { SIGNATURE } from '../../../core/view/small-log.ts';
import { filledLedger, memoryPlace, note } from '../../ledger/ledger-fixture.ts';
import { noTransport, serveWorld, TRANSPORTS } from '../world-service.ts';

/** An event as a client reads it. */
interface Read {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: Record<string, unknown> | undefined;
}

interface World {
  readonly base: string;
  readonly ledger: Ledger;
  readonly hub: EventHub;
  readonly append: (count: number) => Promise<void>;
}

/** A log of notes and numbers, and its stream. */
async function world(
  t: TestContext,
  transport: (typeof TRANSPORTS)[number],
  options: EventHubOptions = {},
  notes = 0,
): Promise<World> {
  const ledger = await filledLedger(await memoryPlace(), notes);
  await ledger.write(() => [{ kind: 'rule/1', body: { rule: layoffsRule() } }]);
  const hub = new EventHub(new EntryFrames(ledger, nodeSha256), { heartbeatMs: 200, ...options });
  const parts = { ledger, blobs: undefined as never, closeParts: { now: () => 0 } as never };
  // Before the server closes, as in a node: it waits for what is under way.
  t.after(() => hub.stop());
  const { base } = await serveWorld(t, parts, transport, { events: hub });
  t.after(() => ledger.close());
  let week = 0;
  return {
    base,
    ledger,
    hub,
    async append(count) {
      for (let i = 0; i < count; i += 1) {
        const period = new Date(Date.UTC(2020, 0, 4 + 7 * week)).toISOString().slice(0, 10);
        week += 1;
        const report = sampleReport('final', { period });
        await ledger.write(() =>
          i % 2 === 0
            ? [{ kind: 'report/1', body: { report, signature: SIGNATURE } }]
            : [note(`a note of "${i}"\nin two lines`)],
        );
      }
      hub.published(ledger.published?.size ?? 0, new Set());
    },
  };
}

/** A client by the rules of WHATWG, as far as this stream has need of them. */
class Client {
  readonly events: Read[] = [];
  lastId = '';
  comments = 0;
  ended = false;
  readonly #abort = new AbortController();

  static async open(
    t: TestContext,
    url: string,
    headers: Record<string, string> = {},
  ): Promise<Client> {
    const client = new Client();
    const response = await fetch(url, { headers, signal: client.#abort.signal });
    assert.equal(response.status, 200, await (response.status === 200 ? '' : response.text()));
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('x-accel-buffering'), 'no');
    void client.#read(response.body as ReadableStream<Uint8Array>).catch(() => {});
    t.after(() => client.close());
    return client;
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      let end = text.indexOf('\n\n');
      for (; end >= 0; end = text.indexOf('\n\n')) {
        this.#take(text.slice(0, end).split('\n'));
        text = text.slice(end + 2);
      }
    }
    this.ended = true;
  }

  #take(lines: readonly string[]): void {
    const field = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    if (lines.some((line) => line.startsWith(':'))) this.comments += 1;
    const [id, data] = [field('id'), field('data')];
    if (id !== undefined) this.lastId = id;
    if (data === undefined) return;
    this.events.push({
      id,
      event: field('event'),
      data: JSON.parse(data) as Record<string, unknown>,
    });
  }

  get seqs(): readonly unknown[] {
    return this.events.map(({ data }) => data?.['seq']);
  }
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 500; i += 1) {
    if (holds()) return;
    await sleep(10);
  }
  assert.fail(`not within 5 s: ${what}`);
}

const range = (start: number, end: number): readonly number[] =>
  Array.from({ length: end - start }, (_, i) => start + i);

for (const transport of TRANSPORTS) {
  const skip = noTransport(transport);

  test(
    `events over ${transport}: every entry, with the bytes that its leaf is the hash of`,
    { skip },
    async (t) => {
      const { base, ledger, append } = await world(t, transport);
      await append(6);
      const client = await Client.open(t, `${base}/events?from=0`);
      await until(() => client.events.length === 8, 'what is there');
      await append(3);
      await until(() => client.events.length === 11, 'what comes');
      assert.deepEqual(client.seqs, range(0, 11));
      for (const { id, event, data } of client.events) {
        const bytes = new TextEncoder().encode(String(data?.['entry']));
        const leaf = formatHex(leafHash(nodeSha256, bytes));
        assert.equal(data?.['leaf_hash'], leaf);
        assert.equal(id, `${Number(data?.['seq'])}-${leaf.slice(0, 16)}`);
        assert.equal(event, data?.['kind']);
        assert.deepEqual(bytes, new Uint8Array((await ledger.entry(Number(data?.['seq']))) ?? []));
      }
      const [, rule, report] = client.events;
      assert.equal(rule?.data?.['ticker'], 'LAYOFFS');
      assert.equal(report?.data?.['ticker'], 'LAYOFFS');
      assert.equal(report?.data?.['symbol'], null);
    },
  );

  test(
    `events over ${transport}: without a place, what is published from now on`,
    { skip },
    async (t) => {
      const { base, hub, append } = await world(t, transport);
      await append(4);
      const client = await Client.open(t, `${base}/v1/events`);
      await until(() => hub.clients === 1, 'it reads');
      await append(2);
      await until(() => client.events.length === 2, 'the new ones');
      assert.deepEqual(client.seqs, [6, 7]);
      client.close();
      await until(() => hub.clients === 0, 'it has left');
    },
  );

  test(
    `events over ${transport}: after any event and by any filter, exactly what follows`,
    { skip },
    async (t) => {
      const { base, append } = await world(t, transport);
      await append(40);
      const all = await Client.open(t, `${base}/events?from=0`);
      await until(() => all.events.length === 42, 'all');
      await fc.assert(
        fc.asyncProperty(
          fc.nat({ max: 41 }),
          fc.constantFrom(
            '',
            'kinds=report',
            'kinds=note,rule',
            'tickers=layoffs',
            'symbols=SOL',
            'kinds=report&tickers=CPI',
          ),
          fc.boolean(),
          async (at, filter, byHeader) => {
            const id = all.events[at]?.id ?? '';
            // What the header says goes before the query: a browser sends both when it comes back.
            const query = byHeader ? `after=${all.events[0]?.id}` : `after=${id}`;
            const headers: Record<string, string> = byHeader ? { 'last-event-id': id } : {};
            const client = await Client.open(t, `${base}/events?${query}&${filter}`, headers);
            const wanted = all.events.slice(at + 1).filter(({ event, data }) => {
              const noun = event?.split('/')[0] ?? '';
              const asked = new URLSearchParams(filter);
              const kinds = asked.get('kinds')?.split(',');
              if (kinds !== undefined && !kinds.includes(noun)) return false;
              const ticker = asked.get('tickers')?.toUpperCase();
              if (asked.get('symbols') !== null) return false;
              return ticker === undefined || data?.['ticker'] === ticker;
            });
            await until(
              () => client.lastId === all.lastId || client.events.length >= wanted.length,
              'it is at the head',
            );
            await sleep(5);
            assert.deepEqual(client.events, wanted);
            client.close();
          },
        ),
        { numRuns: 25 },
      );
    },
  );

  test(
    `events over ${transport}: a filter that lets nothing through still moves the place`,
    { skip },
    async (t) => {
      const { base, ledger, append } = await world(t, transport);
      const client = await Client.open(t, `${base}/events?kinds=study`);
      await append(5);
      await until(() => client.lastId.startsWith('6-'), 'the id of the newest entry');
      // With data: there are clients that take no id from an event without.
      assert.ok(client.events.length > 0);
      const { size } = ledger.published ?? {};
      assert.deepEqual(client.events.at(-1), {
        id: client.lastId,
        event: 'position',
        data: { size },
      });
      const { comments } = client;
      await until(() => client.comments >= comments + 2, 'it is told that the stream goes on');
    },
  );

  test(
    `events over ${transport}: another history is refused, whatever its length`,
    { skip },
    async (t) => {
      const { base, append } = await world(t, transport);
      await append(3);
      const status = async (
        query: string,
        headers: Record<string, string> = {},
      ): Promise<string> => {
        const response = await fetch(`${base}/events${query}`, { headers });
        const body = (await response.json()) as { error: string };
        return `${response.status} ${body.error}`;
      };
      const zeros = '0'.repeat(16);
      assert.equal(await status(`?after=1-${zeros}`), '409 other_history');
      assert.equal(await status(`?after=5-${zeros}`), '409 other_history');
      assert.equal(await status(`?after=900-${zeros}`), '409 other_history');
      assert.equal(await status('?from=6'), '409 other_history');
      assert.equal(await status('', { 'last-event-id': `1-${zeros}` }), '409 other_history');
      for (const bad of [
        '1',
        `-1-${zeros}`,
        `01-${zeros}`,
        `1-${zeros}0`,
        `1-${'A'.repeat(16)}`,
        '1-',
        'x',
      ]) {
        assert.equal(await status(`?after=${bad}`), '400 bad_request', bad);
        assert.equal(await status('', { 'last-event-id': bad }), '400 bad_request', bad);
      }
      for (const bad of [
        'kinds=nothing',
        'kinds=',
        'kinds=report,',
        'tickers=a-b',
        'ticks=1',
        'from=-1',
        `after=1-${zeros}&from=1`,
        'other=1',
      ]) {
        assert.equal(await status(`?${bad}`), '400 bad_request', bad);
      }
    },
  );

  test(
    `events over ${transport}: there is room for so many readers, and for so many of one address`,
    { skip },
    async (t) => {
      const { base, hub } = await world(t, transport, { maxClients: 3, maxOfAddress: 2 });
      const clients = [
        await Client.open(t, `${base}/events`),
        await Client.open(t, `${base}/events`),
      ];
      await until(() => hub.clients === 2, 'both read');
      const third = await fetch(`${base}/events`);
      assert.equal(third.status, 429);
      assert.ok(Number(third.headers.get('retry-after')) > 0);
      await third.body?.cancel();
      clients[0]?.close();
      await until(() => hub.clients === 1, 'one has left');
      await Client.open(t, `${base}/events`);
      const head = await fetch(`${base}/events`, { method: 'HEAD' });
      assert.equal(
        head.headers.get('content-type') ?? '',
        head.status === 200 ? 'text/event-stream' : head.headers.get('content-type'),
      );
      const small = await world(t, transport, { maxClients: 0 });
      const full = await fetch(`${small.base}/events`);
      assert.equal(full.status, 503);
      assert.equal(((await full.json()) as { error: string }).error, 'busy');
    },
  );

  test(
    `events over ${transport}: ticks come without an id, the newest of each class`,
    { skip },
    async (t) => {
      const { base, hub, append } = await world(t, transport);
      const client = await Client.open(t, `${base}/events?ticks=true&from=0`);
      const other = await Client.open(t, `${base}/events?from=0`);
      await until(() => client.events.length === 2 && other.events.length === 2, 'the log');
      hub.tick('crypto', { class: 'crypto', scores: { SOL: 7 } });
      await until(() => client.events.length === 3, 'a tick');
      assert.deepEqual(client.events[2], {
        id: undefined,
        event: 'tick',
        data: { class: 'crypto', scores: { SOL: 7 } },
      });
      assert.ok(client.lastId.startsWith('1-'));
      await append(1);
      await until(() => other.events.length === 3, 'an entry');
      assert.ok(other.events.every(({ event }) => event !== 'tick'));
    },
  );

  test(
    `events over ${transport}: a service that stops ends its streams at once`,
    { skip },
    async (t) => {
      const { base, hub } = await world(t, transport);
      const client = await Client.open(t, `${base}/events`);
      await until(() => hub.clients === 1, 'it reads');
      hub.stop();
      await until(() => client.ended, 'its stream has an end');
      assert.equal(hub.clients, 0);
      assert.equal((await fetch(`${base}/events`)).status, 503);
    },
  );

  test(
    `events over ${transport}: a reader that takes nothing costs little and delays nobody`,
    { skip },
    async (t) => {
      const { base, hub, append } = await world(t, transport, {}, 20_000);
      // A reader by TCP that never reads what it asked for.
      const deaf = connect(Number(new URL(base).port), '127.0.0.1');
      t.after(() => deaf.destroy());
      deaf.pause();
      deaf.write('GET /events?from=0 HTTP/1.1\r\nhost: a\r\n\r\n');
      await until(() => hub.clients === 1, 'it reads');
      const heap = process.memoryUsage().rss;
      const client = await Client.open(t, `${base}/events`);
      await until(() => hub.clients === 2, 'another reads');
      const began = performance.now();
      await append(20);
      await until(() => client.events.length === 20, 'the other has all');
      assert.ok(performance.now() - began < 4000);
      // The log has some 6 MB of events, of which the sockets hold what they can.
      assert.ok(process.memoryUsage().rss - heap < 64 * 1024 ** 2);
    },
  );

  test(`events over ${transport}: a service without a record says so`, { skip }, async (t) => {
    const ledger = await filledLedger(await memoryPlace(), 0);
    t.after(() => ledger.close());
    const parts = { ledger, blobs: undefined as never, closeParts: { now: () => 0 } as never };
    const { base } = await serveWorld(t, parts, transport);
    assert.equal((await fetch(`${base}/events`)).status, 503);
  });
}

test('event ids: a number, a hyphen and 16 digits, and nothing else', () => {
  assert.deepEqual(parseEventId(`0-${'ab'.repeat(8)}`), { seq: 0, digits: 'ab'.repeat(8) });
  for (const text of [
    '',
    '0',
    `9999999999999999-${'ab'.repeat(8)}`,
    ` 0-${'ab'.repeat(8)}`,
    `0-${'ab'.repeat(8)}\n`,
  ]) {
    assert.equal(parseEventId(text), undefined, text);
  }
});

test('events: what is published is read and formatted once, however many wait for it', async (t) => {
  const ledger = await filledLedger(await memoryPlace(), 3);
  t.after(() => ledger.close());
  let reads = 0;
  const counted = {
    get published() {
      return ledger.published;
    },
    get shown() {
      return ledger.shown;
    },
    entry: (seq: number) => ledger.entry(seq),
    entries(start: number, end: number) {
      reads += 1;
      return ledger.entries(start, end);
    },
  };
  const hub = new EventHub(new EntryFrames(counted, nodeSha256));
  const all = { kinds: null, tickers: null, symbols: null, ticks: false };
  const readers = Array.from({ length: 500 }, () =>
    hub.open('a', 4, all, new AbortController().signal),
  );
  for (const reader of readers) await reader.next();
  const next = readers.map((reader) => reader.next());
  await ledger.write(() => [note('new')]);
  hub.published(5, new Set());
  const texts = await Promise.all(next);
  assert.equal(reads, 1);
  assert.equal(new Set(texts.map(({ value }) => value)).size, 1);
  assert.ok(String(texts[0]?.value).startsWith('id: 4-'));
  hub.stop();
  await Promise.all(readers.map((reader) => reader.return(undefined)));
  assert.equal(hub.clients, 0);
});
