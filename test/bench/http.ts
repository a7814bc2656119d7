import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadUws } from '@assay/node/http/uws';
import { contest, type Contestant, type ContestOptions, rateOf, ratioOf } from './contest.ts';
import type { Row } from './row.ts';

const OURS = 'assay';
const RAW = 'raw';
const CONNECTIONS = 64;
const CHILD = fileURLToPath(new URL('./http-child.js', import.meta.url));
const WHAT = 'cached read of /indices over HTTP, ETag, request id, metrics';
const PEER = 'raw uWebSockets.js, the same body';

const run = promisify(execFile);

/** One server after the other under the load of a second process. */
export async function httpRows(options: ContestOptions): Promise<readonly Row[]> {
  if ((await loadUws()) === undefined) {
    return [{ what: WHAT, peer: PEER, skipped: 'uWebSockets.js is not installed' }];
  }
  if (!(await hasWrk())) return [{ what: WHAT, peer: PEER, skipped: 'wrk is not installed' }];
  const servers: ChildProcess[] = [];
  try {
    const ours = await startServer(servers, OURS);
    const answer = await fetch(`${ours}/indices`);
    const body = Buffer.from(await answer.arrayBuffer());
    if (answer.status !== 200 || answer.headers.get('etag') === null) {
      throw new Error(`/indices answers ${answer.status}`);
    }
    const raw = await startServer(servers, RAW, body.toString('base64'));
    const results = await contest([client(OURS, ours), client(RAW, raw)], options);
    return [
      {
        what: `${WHAT}, ${body.length} bytes`,
        unit: 'requests/s',
        ours: rateOf(results, OURS),
        peer: PEER,
        theirs: rateOf(results, RAW),
        ratio: ratioOf(results, OURS, RAW),
        goal: 0.7,
      },
    ];
  } finally {
    for (const server of servers) server.disconnect();
  }
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

async function startServer(
  servers: ChildProcess[],
  name: string,
  message?: string,
): Promise<string> {
  const server = fork(CHILD, [name], { serialization: 'json' });
  servers.push(server);
  if (message !== undefined) server.send(message);
  const [port] = (await once(server, 'message')) as [number];
  return `http://127.0.0.1:${port}`;
}

function client(name: string, base: string): Contestant {
  return {
    name,
    async run(ms) {
      const seconds = Math.max(1, Math.round(ms / 1000));
      const { stdout } = await run('wrk', [
        '-t',
        '1',
        '-c',
        String(CONNECTIONS),
        '-d',
        `${seconds}s`,
        `${base}/indices`,
      ]);
      if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${name}: ${stdout}`);
      const match = /Requests\/sec:\s+([0-9.]+)/.exec(stdout);
      if (match === null) throw new Error(`wrk said ${stdout}`);
      return Number(match[1]);
    },
    close: () => Promise.resolve(),
  };
}
