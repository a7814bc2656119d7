import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { parseNoteKey } from '@assay/core/log/note';
import type { ViewState } from '@assay/core/view/view';
import { OpenReports } from '@assay/node/cosign/open-reports';
import type { Turns } from '@assay/node/ledger/store/slices';
import { FindingStore } from '@assay/node/recounter/finding-store';
import type { NewEntries } from '@assay/node/recounter/poll/followed-log';
import { Polls, type PollsParts } from '@assay/node/recounter/poll/polls';
import { Silence } from '@assay/node/recounter/poll/silence';
import { httpLogReader } from '@assay/node/mirror/http-log-reader';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { postTo } from '@assay/node/recounter/publisher-post';
import type { PublisherAddress } from '@assay/node/recounter/recounter-parts';
import { CHECKPOINTS } from '../../ledger/ledger-fixture.ts';
import { CosignedWorld, FROZEN, OTHER, RELEASE } from '../../cosign/cosigner-fixture.ts';
import { Disk, heldOf, ownStatements, recounterOn, TestPublisher } from '../recounter-world.ts';

/** Real milliseconds that something may take to come about, on any machine. */
const PATIENCE_MS = 120_000;

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(performance.now() < end, what);
    await delay(10);
  }
}

/** A way to a publisher on which the answers under some paths come a byte at a time, and never whole. */
class SlowWay {
  slow: (path: string) => boolean = () => false;
  /** Paths that were answered slowly. */
  readonly dripped: string[] = [];
  readonly url: string;

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`;
  }

  static async to(t: TestContext, publisher: TestPublisher): Promise<SlowWay> {
    const server = createServer((incoming, response) => {
      const path = incoming.url ?? '';
      if (way.slow(path)) {
        way.dripped.push(path);
        response.writeHead(200);
        const timer = setInterval(() => response.write('a'), 20);
        response.on('close', () => clearInterval(timer));
        return;
      }
      const { method, headers } = incoming;
      const onward = request(`${publisher.url}${path}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      incoming.pipe(onward);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const way = new SlowWay((server.address() as AddressInfo).port);
    return way;
  }

  address(): PublisherAddress {
    return {
      url: this.url,
      reader: httpLogReader(this.url, { timeoutMs: 5 * PATIENCE_MS }),
      key: parseNoteKey(nodeSha256, CHECKPOINTS.vkey),
      logId: null,
      post: postTo(this.url, 5 * PATIENCE_MS),
      witnesses: [],
    };
  }
}

test('polls: a publisher that answers byte by byte delays neither reads on the calendar nor the own log', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const way = await SlowWay.to(t, publisher);
  const disk = await Disk.make();
  const { world } = publisher;
  const { running, source } = await recounterOn(disk, publisher, {
    publisher: way.address(),
    pollMs: 20,
    patience: { followMs: PATIENCE_MS, keptMs: 500 },
  });
  t.after(() => running.close());
  const status = async (): Promise<Record<string, never>> => {
    const response = await fetch(`http://127.0.0.1:${running.port}/status`);
    return (await response.json()) as Record<string, never>;
  };
  await until('it follows', async () => (await status())['publisher']?.['followed_at'] !== null);
  // Bytes and words: it says its word by its own reads, and goes on.
  source.show(OTHER);
  way.slow = (path) => path.startsWith('/blob/') || path === '/statements';
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  await until('a word in its own log', async () => (await status())['log']?.['size'] === 2);
  assert.ok(way.dripped.some((path) => path.startsWith('/blob/')));
  await until('the word is on its way', () => way.dripped.includes('/statements'));
  assert.equal(heldOf(publisher, row, disk.key), 'nothing');
  const read = (): number => source.asked.length;
  // The log itself: a poll that follows it does not end, and its sources are read all the same.
  way.slow = () => true;
  await until('a poll that hangs', () => way.dripped.includes('/checkpoint'));
  const before = read();
  world.clock.now += 7 * 3600;
  await until('its sources are read again', () => read() > before);
  await running.close();
  assert.deepEqual(await ownStatements(disk), ['dissent 198000']);
});

test('polls: following a publisher that is slow ends, and is reported', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const way = await SlowWay.to(t, publisher);
  const { running } = await recounterOn(await Disk.make(), publisher, {
    publisher: way.address(),
    patience: { followMs: 500, keptMs: 500 },
  });
  t.after(() => running.close());
  assert.equal((await running.follow()).trouble, undefined);
  way.slow = () => true;
  assert.match((await running.follow()).trouble ?? '', /could not be followed: .*within 500 ms/);
  way.slow = () => false;
  assert.equal((await running.follow()).trouble, undefined);
});

test('polls: what comes between a first poll that fails and the next is taken, and nothing before a first copy', async () => {
  const world = await CosignedWorld.open();
  world.at(RELEASE);
  await world.round();
  const { ledger } = world;
  let isDamaged = true;
  let isCopied = false;
  const shown: ViewState = {
    get: (table, key) => ledger.shown.get(table, key),
    list(table) {
      if (isDamaged && table === 'index-entries') throw new TypeError('a damaged row');
      return ledger.shown.list(table);
    },
    descend: (table, below) => ledger.shown.descend(table, below),
  };
  const mirror = {
    get size() {
      return ledger.published?.size ?? 0;
    },
    get published() {
      return isCopied ? ledger.published : undefined;
    },
    shown,
    log: ledger.log,
    fork: undefined,
    entry: (seq: number) => ledger.entry(seq),
    follow: () => Promise.resolve({ kind: 'followed', size: 0, grew: 0 }),
  } as unknown as PollsParts['mirror'];
  const open = new OpenReports(64);
  let updates = 0;
  const nothing = () => Promise.resolve();
  const now = (): number => world.clock.now;
  const findings = FindingStore.memory();
  const polls = new Polls({
    mirror,
    peers: new Map(),
    calendar: { poll: nothing },
    words: {
      async update({ reports }: NewEntries, turns: Turns) {
        updates += 1;
        open.changed(reports.map(({ ticker, period }) => `reports/${ticker}/${period}`));
        open.update(shown);
        await open.search(shown, turns);
      },
      poll: nothing,
    } as unknown as PollsParts['words'],
    outbox: { poll: nothing, unposted: 0 } as unknown as PollsParts['outbox'],
    receipts: { poll: nothing } as unknown as PollsParts['receipts'],
    witnessKeys: [],
    silence: new Silence({
      key: 'ab'.repeat(32),
      own: ledger.shown,
      findings,
      entry: (seq) => ledger.entry(seq),
      sha256: nodeSha256,
      now,
    }),
    findings,
    evidence: { put: () => Promise.reject(new Error('none')) },
    sha256: nodeSha256,
    now,
    onError: () => undefined,
  });
  await polls.poll();
  assert.equal(updates, 0, 'there is no copy yet');
  isCopied = true;
  await assert.rejects(polls.poll(), { message: 'a damaged row' });
  isDamaged = false;
  world.at(FROZEN);
  const final = await world.round();
  assert.ok(final !== undefined);
  await polls.poll();
  assert.ok(open.has(final.hash));
  await polls.stop();
});
