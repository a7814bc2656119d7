import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { eventsRoute } from '@assay/node/api/events/events-route';
import { pipeline } from '@assay/node/http/pipeline';
import { loadUws, type Uws, type UwsListenToken } from '@assay/node/http/uws';
import { uwsServer } from '@assay/node/http/uws-server';
import { MemoryHeadGuard } from '@assay/node/ledger/memory-head-guard';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { EntryFrames } from '@assay/node/stream/entry-frames';
import { EventHub } from '@assay/node/stream/event-hub';
import { benchLedger, noteText } from './bench-ledger.ts';
import { contest, type ContestOptions, median, rateFor, rateOf, ratioOf } from './contest.ts';
import type { Readers } from './events-child.ts';
import type { Row } from './row.ts';

const CLIENTS = 500;
/** Entries of a commit. */
const BATCH = 50;
const MARK = '!'; // neither in Base64 nor in a frame of a WebSocket of this length
const CHILD = fileURLToPath(new URL('./events-child.js', import.meta.url));
const WHAT = `events to ${CLIENTS} readers, and one that reads nothing`;
const PEER = 'bare uWebSockets.js, `publish` of the same texts';

/** The parts of uWebSockets.js that only this peer uses. */
interface PublishingApp {
  ws(
    pattern: string,
    behavior: {
      open: (socket: { subscribe(topic: string): void; send(text: string): void }) => void;
    },
  ): PublishingApp;
  publish(topic: string, text: string): boolean;
  listen(
    host: string,
    port: number,
    options: number,
    done: (token: UwsListenToken | false) => void,
  ): void;
  close(): void;
}

/** Readers of a port in a process of their own. */
class Crowd {
  readonly #child: ChildProcess;
  whole = 0;
  /** When the first of them got its newest event, by `clock`. */
  first = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (message: { whole?: number; first?: number }) => {
      this.whole = message.whole ?? this.whole;
      this.first = message.first ?? this.first;
    });
  }

  static async open(readers: Omit<Readers, 'count' | 'mark'>): Promise<Crowd> {
    const child = fork(CHILD);
    const crowd = new Crowd(child);
    child.send({ ...readers, count: CLIENTS, mark: MARK } satisfies Readers);
    await once(child, 'message');
    return crowd;
  }

  /** Resolves when every reader has so many events. */
  async has(events: number): Promise<void> {
    while (this.whole < events) await once(this.#child, 'message');
  }

  close(): void {
    this.#child.kill();
  }
}

/** Events a second that reach all readers, beside the library's own way to send one text to many. */
export async function eventRows(options: ContestOptions): Promise<readonly Row[]> {
  const uws = await loadUws();
  if (uws === undefined)
    return [{ what: WHAT, peer: PEER, skipped: 'uWebSockets.js is not installed' }];
  let hub: EventHub | undefined;
  let committed = 0;
  const ledger = await benchLedger({
    store: await openMemoryStore(),
    guard: new MemoryHeadGuard(),
    onPublish: ({ size }, tables) => {
      committed = clock();
      hub?.published(size, tables);
    },
  });
  hub = new EventHub(new EntryFrames(ledger, nodeSha256), { maxOfAddress: CLIENTS + 1 });
  const served = pipeline([eventsRoute(hub)], {
    requestId: () => 'bench',
    now: () => 0,
    onError: (error) => {
      throw error;
    },
  });
  const listening = await uwsServer(uws, served).listen({ host: '127.0.0.1', port: 0 });
  const request = 'GET /events HTTP/1.1\r\nhost: bench\r\n\r\n';
  const deaf = connect(listening.port, '127.0.0.1', () => deaf.write(request));
  deaf.pause();
  deaf.on('error', () => undefined); // it is cut off after a while
  const ours = await Crowd.open({ port: listening.port, request });
  const peer = await publisher(uws);
  const theirs = await Crowd.open({ port: peer.port, request: UPGRADE });
  let [sent, published] = [0, 0];
  const delays: number[] = [];

  const write = async (texts: readonly string[]): Promise<void> => {
    const began = performance.now();
    sent += texts.length;
    await ledger.write(() => texts.map((text) => ({ kind: 'note/1', body: { text } })));
    delays.push(performance.now() - began);
    await ours.has(sent);
  };
  const texts = (count: number): readonly string[] =>
    Array.from({ length: count }, () => MARK + noteText());
  const results = await contest(
    [
      {
        name: 'assay',
        run: (ms) => rateFor(ms, BATCH * CLIENTS, () => write(texts(BATCH))),
        close: async () => undefined,
      },
      {
        name: 'publish',
        run: (ms) =>
          rateFor(ms, BATCH * CLIENTS, async () => {
            published += BATCH;
            for (const text of texts(BATCH)) peer.publish(text);
            await theirs.has(published);
          }),
        close: async () => undefined,
      },
    ],
    options,
  );
  const first: { ours: number; theirs: number }[] = [];
  for (let i = 0; i < 50; i += 1) {
    await write(texts(1));
    const ourFirst = ours.first - committed;
    published += 1;
    const began = clock();
    peer.publish(texts(1)[0] ?? '');
    await theirs.has(published);
    first.push({ ours: ourFirst, theirs: theirs.first - began });
  }
  ours.close();
  theirs.close();
  deaf.destroy();
  hub.stop();
  peer.close();
  await listening.close();
  await ledger.close();
  console.error(`a commit took ${median(delays).toFixed(1)} ms while ${CLIENTS} read`);
  return [
    {
      what: WHAT,
      unit: 'events/s',
      ours: rateOf(results, 'assay'),
      peer: PEER,
      theirs: rateOf(results, 'publish'),
      ratio: ratioOf(results, 'assay', 'publish'),
      goal: null,
    },
    {
      what: `the first of ${CLIENTS} readers has an event, after its commit`,
      unit: 'ms',
      ours: median(first.map((each) => each.ours)),
      peer: 'bare uWebSockets.js, after `publish`',
      theirs: median(first.map((each) => each.theirs)),
      ratio: median(first.map((each) => each.ours / each.theirs)),
      goal: null,
    },
  ];
}

/** Milliseconds of a clock that all processes of a machine share (CLOCK_MONOTONIC). */
function clock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const UPGRADE =
  'GET /events HTTP/1.1\r\nhost: bench\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

async function publisher(
  uws: Uws,
): Promise<{ port: number; publish: (text: string) => void; close: () => void }> {
  const app = uws.App() as unknown as PublishingApp;
  app.ws('/*', { open: (socket) => socket.subscribe('log') });
  const token = await new Promise<UwsListenToken | false>((resolve) => {
    app.listen('127.0.0.1', 0, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
  });
  if (token === false) throw new Error('no port');
  return {
    port: uws.us_socket_local_port(token),
    publish: (text) => app.publish('log', text),
    close: () => app.close(),
  };
}
