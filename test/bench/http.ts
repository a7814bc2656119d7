import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { messageOf } from '@assay/core/fault';
import { CODINGS } from '@assay/node/http/content-coding';
import { loadUws } from '@assay/node/http/uws';
import {
  contest,
  type Contestant,
  type ContestOptions,
  median,
  rateOf,
  ratioOf,
} from './contest.ts';
import type { Order, Served, Word } from './http-child.ts';
import type { Row } from './row.ts';

const OURS = 'assay';
const CONNECTIONS = 64;
const CROWD = 10_000;
/** Connections of a crowd that are being made: less than a server's backlog. */
const AT_ONCE = 200;
const CHILD = fileURLToPath(new URL('./http-child.js', import.meta.url));
const WHAT = 'cached read over HTTP, limits, ETag, request id, metrics';
const PATHS = ['/indices', '/indices/LAYOFFS/history.csv'];

interface Peer {
  readonly name: string;
  readonly words: string;
  readonly goal: number | null;
}

const PEERS: readonly Peer[] = [
  { name: 'raw', words: 'raw uWebSockets.js, the same body', goal: 0.75 },
  { name: 'node:http', words: 'node:http, the same body', goal: null },
  { name: 'fastify', words: 'Fastify 5, the same body', goal: 1.7 },
];

const run = promisify(execFile);

/** Each path served by us and by every peer in turn, under the load of another process. */
export async function httpRows(options: ContestOptions): Promise<readonly Row[]> {
  const skip = (skipped: string): readonly Row[] =>
    PEERS.map(({ words }) => ({ what: WHAT, peer: words, skipped }));
  if ((await loadUws()) === undefined) return skip('uWebSockets.js is not installed');
  if (!(await hasWrk())) return skip('wrk is not installed');
  const rows: Row[] = [];
  for (const path of PATHS) rows.push(...(await pathRows(path, options)));
  rows.push(...(await codingRows('/indices', options)));
  rows.push(await memoryRow());
  return rows;
}

/** Memory that a crowd of clients adds, each with an address, a connection and a request of its own. */
async function memoryRow(): Promise<Row> {
  const what = `memory for ${CROWD.toLocaleString('en-US')} addresses at once, a connection each`;
  const peer = 'raw uWebSockets.js, the same connections';
  const [path = ''] = PATHS;
  const servers: Server[] = [];
  try {
    const ours = await startServer(servers, OURS);
    const raw = await startServer(servers, 'raw', await readAnswer(ours.base, path));
    const grown: number[] = [];
    for (const server of [ours, raw]) {
      await crowd(server.base, path, 100); // what a first request costs anyway
      const before = await memoryOf(server);
      const leave = await crowd(server.base, path, CROWD);
      grown.push((await memoryOf(server)) - before);
      leave();
    }
    const [mine = 0, theirs = 0] = grown.map((bytes) => bytes / 2 ** 20);
    return { what, unit: 'MiB', ours: mine, peer, theirs, ratio: mine / theirs, goal: null };
  } catch (error) {
    return { what, peer, skipped: messageOf(error) };
  } finally {
    for (const { child } of servers) child.disconnect();
  }
}

async function memoryOf({ child }: Server): Promise<number> {
  child.send({ memory: true } satisfies Order);
  const [word] = (await once(child, 'message')) as [Word];
  if (!('memory' in word)) throw new Error('a server did not tell its memory');
  return word.memory;
}

async function cpuOf({ child }: Server): Promise<number> {
  child.send({ cpu: true } satisfies Order);
  const [word] = (await once(child, 'message')) as [Word];
  if (!('cpu' in word)) throw new Error('a server did not tell its processor time');
  return word.cpu;
}

/** Connects from `count` addresses of this machine, and gets one answer of 200 for each. */
async function crowd(base: string, path: string, count: number): Promise<() => void> {
  const { hostname, port } = new URL(base);
  const sockets: Socket[] = [];
  const one = async (i: number): Promise<void> => {
    const localAddress = `127.1.${i >> 8}.${i & 255}`; // all of 127.0.0.0/8 is this machine
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    sockets.push(socket);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    const signal = AbortSignal.timeout(10_000);
    const [head] = (await once(socket, 'data', { signal })) as [Buffer];
    const [line = ''] = head.toString('latin1').split('\r\n', 1);
    if (!line.includes(' 200 ')) throw new Error(`${path} answers ${line}`);
    socket.resume();
  };
  for (let i = 0; i < count; i += AT_ONCE) {
    const size = Math.min(AT_ONCE, count - i);
    await Promise.all(Array.from({ length: size }, (_, k) => one(i + k)));
  }
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

async function pathRows(path: string, options: ContestOptions): Promise<readonly Row[]> {
  const servers: Server[] = [];
  try {
    const ours = await startServer(servers, OURS);
    const served = await readAnswer(ours.base, path);
    const clients: Client[] = [new Client(OURS, ours, path)];
    const absent = new Set<string>();
    for (const { name } of PEERS) {
      if (name === 'fastify' && !(await hasFastify())) absent.add(name);
      else clients.push(new Client(name, await startServer(servers, name, served), path));
    }
    const results = await contest(clients, options);
    const of = `${path}, ${Buffer.from(served.body, 'base64').length} bytes`;
    return PEERS.flatMap(({ name, words, goal }): readonly Row[] => {
      const what = `${WHAT}: ${of}`;
      if (absent.has(name)) return [{ what, peer: words, skipped: `${name} is not installed` }];
      const rate: Row = {
        what,
        unit: 'requests/s',
        ours: rateOf(results, OURS),
        peer: words,
        theirs: rateOf(results, name),
        ratio: ratioOf(results, OURS, name),
        goal,
      };
      return [rate, costRow(`processor time of it: ${of}`, clients, [OURS, name, words], null)];
    });
  } finally {
    for (const { child } of servers) child.disconnect();
  }
}

/** What an answer costs the processor as it is and in a coding, both from the cache of one server. */
async function codingRows(path: string, options: ContestOptions): Promise<readonly Row[]> {
  const servers: Server[] = [];
  try {
    const server = await startServer(servers, OURS);
    const plain = await sizeOf(server.base + path, 'identity');
    // They are made behind the first request.
    for (const coding of CODINGS) await sizeOf(server.base + path, coding);
    await sleep(1000);
    const clients = [
      new Client('identity', server, path, 'identity'),
      ...CODINGS.map((coding) => new Client(coding, server, path, coding)),
    ];
    await contest(clients, options);
    const rows: Row[] = [];
    for (const coding of CODINGS) {
      const size = await sizeOf(server.base + path, coding);
      const what = `processor time of ${path} with ${coding}, ${size} bytes of ${plain}`;
      rows.push(costRow(what, clients, [coding, 'identity', 'the same as it is'], 1));
    }
    return rows;
  } finally {
    for (const { child } of servers) child.disconnect();
  }
}

/** Bytes of a body as they are sent. */
async function sizeOf(url: string, coding: string): Promise<number> {
  const headers = { 'accept-encoding': coding };
  const [answer] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
  let size = 0;
  for await (const chunk of answer) size += (chunk as Buffer).length;
  return size;
}

/** Microseconds of the processor for an answer, user and system; the ratio is the peer's over ours. */
function costRow(
  what: string,
  clients: readonly Client[],
  [ours, theirs, words]: readonly [string, string, string],
  goal: number | null,
): Row {
  const costOf = (name: string): readonly number[] =>
    (clients.find((each) => each.name === name)?.costs ?? []).slice(1); // the first is practice
  const peers = costOf(theirs);
  return {
    what,
    unit: 'µs',
    ours: median(costOf(ours)),
    peer: words,
    theirs: median(peers),
    ratio: median(costOf(ours).map((cost, i) => (peers[i] as number) / cost)),
    goal,
  };
}

async function hasWrk(): Promise<boolean> {
  try {
    await run('wrk', ['--version']);
    return true;
  } catch (error) {
    // It prints its version and then fails for want of a URL.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

async function hasFastify(): Promise<boolean> {
  const name: string = 'fastify';
  return import(name).then(
    () => true,
    () => false,
  );
}

async function readAnswer(base: string, path: string): Promise<Served> {
  const answer = await fetch(base + path);
  const { status, headers } = answer;
  if (status !== 200 || headers.get('etag') === null) throw new Error(`${path} answers ${status}`);
  const body = Buffer.from(await answer.arrayBuffer()).toString('base64');
  return { path, contentType: headers.get('content-type') ?? '', body };
}

interface Server {
  readonly child: ChildProcess;
  readonly base: string;
}

async function startServer(servers: Server[], name: string, serve?: Served): Promise<Server> {
  const child = fork(CHILD, [name], { execArgv: ['--expose-gc'] });
  if (serve !== undefined) child.send({ serve } satisfies Order);
  const [word] = (await once(child, 'message')) as [Word];
  if (!('port' in word)) throw new Error(`${name} did not tell its port`);
  const server = { child, base: `http://127.0.0.1:${word.port}` };
  servers.push(server);
  return server;
}

/** A load on one server. */
class Client implements Contestant {
  readonly name: string;
  /** Microseconds of the server's processor time for an answer, turn by turn. */
  readonly costs: number[] = [];
  readonly #server: Server;
  readonly #path: string;
  readonly #coding: string | undefined;

  constructor(name: string, server: Server, path: string, coding?: string) {
    this.name = name;
    this.#server = server;
    this.#path = path;
    this.#coding = coding;
  }

  /** Counts answers of 200 alone: any other, and any error of a socket, ends the comparison. */
  async run(ms: number): Promise<number> {
    const seconds = Math.max(1, Math.round(ms / 1000));
    const load = ['-t', '1', '-c', String(CONNECTIONS), '-d', `${seconds}s`];
    const coding = this.#coding === undefined ? [] : ['-H', `accept-encoding: ${this.#coding}`];
    const before = await cpuOf(this.#server);
    const { stdout } = await run('wrk', [...load, ...coding, this.#server.base + this.#path]);
    const spent = (await cpuOf(this.#server)) - before;
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${this.name}: ${stdout}`);
    const rate = /Requests\/sec:\s+([0-9.]+)/.exec(stdout);
    const count = /(\d+) requests in/.exec(stdout);
    if (rate === null || count === null) throw new Error(`wrk said ${stdout}`);
    this.costs.push(spent / Number(count[1]));
    return Number(rate[1]);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
