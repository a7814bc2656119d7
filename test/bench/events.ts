import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventsRoute } from '@assay/node/api/events/events-route';
import { pipeline } from '@assay/node/http/pipeline';
import { loadUws, type Uws, type UwsListenToken } from '@assay/node/http/uws';
import { uwsServer } from '@assay/node/http/uws-server';
import { FileHeadGuard } from '@assay/node/ledger/guard/file-head-guard';
import type { Ledger } from '@assay/node/ledger/ledger';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { EntryFrames } from '@assay/node/stream/entry-frames';
import { EventHub } from '@assay/node/stream/event-hub';
import { benchLedger, noteText } from './bench-ledger.ts';
import { contest, type ContestOptions, median, rateFor, rateOf, ratioOf } from './contest.ts';
import type { Readers } from './events-child.ts';
import type { Row } from './row.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const CLIENTS = 500;
/** Entries of a commit. */
const BATCH = 50;
/** Commits one after the other, while readers are still being served. */
const ROW = 20;
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
  #expected = 0;
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

  /** Resolves when every reader has so many events more than at the last call. */
  async gains(events: number): Promise<void> {
    this.#expected += events;
    while (this.whole < this.#expected) await once(this.#child, 'message');
  }

  close(): void {
    this.#child.kill();
  }
}

/** A reader that takes nothing of the whole log. Whenever it is cut off, it comes back. */
class Deaf {
  readonly #port: number;
  #socket: Socket | undefined;
  #left = false;

  constructor(port: number) {
    this.#port = port;
    this.#connect();
  }

  #connect(): void {
    if (this.#left) return;
    const socket = connect(this.#port, '127.0.0.1', () => socket.write(requestFor('?from=0')));
    socket.pause();
    socket.on('error', () => undefined);
    socket.on('close', () => this.#connect());
    this.#socket = socket;
  }

  leave(): void {
    this.#left = true;
    this.#socket?.destroy();
  }
}

function requestFor(query = ''): string {
  return `GET /events${query} HTTP/1.1\r\nhost: bench\r\n\r\n`;
}

/** A log on the disk that is published to a hub, and the server of its stream. */
class Stream {
  readonly port: number;
  /** When its newest entries were published, by `clock`. */
  published = 0;
  readonly #ledger: Ledger;
  readonly #close: () => Promise<void>;

  private constructor(ledger: Ledger, port: number, close: () => Promise<void>) {
    this.#ledger = ledger;
    this.port = port;
    this.#close = close;
  }

  static async open(uws: Uws, folder: string): Promise<Stream> {
    const found: { hub?: EventHub; stream?: Stream } = {};
    const guard = await FileHeadGuard.open(`${folder}.guard`);
    const ledger = await benchLedger({
      store: await openLevelStore(folder),
      guard,
      onPublish: ({ size }, tables) => {
        if (found.stream !== undefined) found.stream.published = clock();
        found.hub?.published(size, tables);
      },
    });
    const hub = new EventHub(new EntryFrames(ledger, nodeSha256), { maxOfAddress: CLIENTS + 1 });
    const served = pipeline([eventsRoute(hub)], {
      requestId: () => 'bench',
      now: () => 0,
      onError: (error) => {
        throw error;
      },
    });
    const listening = await uwsServer(uws, served).listen({ host: '127.0.0.1', port: 0 });
    const stream = new Stream(ledger, listening.port, async () => {
      hub.stop();
      await listening.close();
      await ledger.close();
      await guard.close();
    });
    Object.assign(found, { hub, stream });
    return stream;
  }

  /** Commits so many notes; milliseconds until they are published. */
  async write(count: number): Promise<number> {
    const drafts = texts(count).map((text) => ({ kind: 'note/1', body: { text } }) as const);
    const began = clock();
    await this.#ledger.write(() => drafts);
    return this.published - began;
  }

  close(): Promise<void> {
    return this.#close();
  }
}

function texts(count: number): readonly string[] {
  return Array.from({ length: count }, () => MARK + noteText());
}

/** What is measured: a log with readers, one without, and the library alone. */
interface Parts {
  readonly read: Stream;
  readonly unread: Stream;
  readonly ours: Crowd;
  readonly peer: Awaited<ReturnType<typeof publisher>>;
  readonly theirs: Crowd;
}

/** What a stream delivers, beside the library's own way to send one text to many, and what a publication waits for it. */
export async function eventRows(options: ContestOptions): Promise<readonly Row[]> {
  const uws = await loadUws();
  if (uws === undefined)
    return [{ what: WHAT, peer: PEER, skipped: 'uWebSockets.js is not installed' }];
  const folder = await temporaryFolder('events');
  const read = await Stream.open(uws, join(folder, 'read'));
  const unread = await Stream.open(uws, join(folder, 'unread'));
  // More than the sockets of a reader that takes nothing hold.
  for (let i = 0; i < 16; i += 1) await read.write(1000);
  const deaf = new Deaf(read.port);
  const ours = await Crowd.open({ port: read.port, request: requestFor() });
  const peer = await publisher(uws);
  const theirs = await Crowd.open({ port: peer.port, request: UPGRADE });
  const parts = { read, unread, ours, peer, theirs };
  try {
    return [
      await rateRow(parts, options),
      await firstRow(parts),
      await delayRow(parts, options, 1),
      await delayRow(parts, options, ROW),
    ];
  } finally {
    deaf.leave();
    ours.close();
    theirs.close();
    peer.close();
    await read.close();
    await unread.close();
    await removeFolder(folder);
  }
}

const noClose = async (): Promise<void> => undefined;

async function rateRow({ read, ours, peer, theirs }: Parts, options: ContestOptions): Promise<Row> {
  const results = await contest(
    [
      {
        name: 'assay',
        run: (ms) =>
          rateFor(ms, BATCH * CLIENTS, async () => {
            await read.write(BATCH);
            await ours.gains(BATCH);
          }),
        close: noClose,
      },
      {
        name: 'publish',
        run: (ms) =>
          rateFor(ms, BATCH * CLIENTS, async () => {
            for (const text of texts(BATCH)) peer.publish(text);
            await theirs.gains(BATCH);
          }),
        close: noClose,
      },
    ],
    options,
  );
  return {
    what: WHAT,
    unit: 'events/s',
    ours: rateOf(results, 'assay'),
    peer: PEER,
    theirs: rateOf(results, 'publish'),
    ratio: ratioOf(results, 'assay', 'publish'),
    goal: 0.5,
  };
}

/** Times are in microseconds, and the ratio is the time of the peer over ours. */
async function firstRow({ read, ours, peer, theirs }: Parts): Promise<Row> {
  const times: { ours: number; theirs: number }[] = [];
  for (let i = 0; i < 50; i += 1) {
    await read.write(1);
    await ours.gains(1);
    const began = clock();
    peer.publish(texts(1)[0] ?? '');
    await theirs.gains(1);
    times.push({ ours: ours.first - read.published, theirs: theirs.first - began });
  }
  return {
    what: `the first of ${CLIENTS} readers has an event, after its publication`,
    unit: 'µs',
    ours: 1000 * median(times.map((each) => each.ours)),
    peer: 'bare uWebSockets.js, after `publish`',
    theirs: 1000 * median(times.map((each) => each.theirs)),
    ratio: median(times.map((each) => each.theirs / each.ours)),
    goal: null,
  };
}

/**
 * How long a publication takes where there are readers and where there is none: commits in turns, so many in a row and then none until
 * every reader has them.
 */
async function delayRow(
  { read, unread, ours }: Parts,
  { rounds, ms }: ContestOptions,
  row: number,
): Promise<Row> {
  const [withReaders, without]: [number[], number[]] = [[], []];
  for (const end = clock() + rounds * ms; clock() < end;) {
    for (let i = 0; i < row; i += 1) withReaders.push(await read.write(1));
    await ours.gains(row);
    for (let i = 0; i < row; i += 1) without.push(await unread.write(1));
  }
  const [mine, theirs] = [1000 * median(withReaders), 1000 * median(without)];
  const how = row === 1 ? 'when the readers have the one before' : `${row} in a row`;
  return {
    what: `commit to publication, with ${CLIENTS} readers and one that reads nothing, ${how}`,
    unit: 'µs',
    ours: mine,
    peer: 'the same without a reader',
    theirs,
    ratio: theirs / mine,
    goal: row === 1 ? 0.9 : null,
  };
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
