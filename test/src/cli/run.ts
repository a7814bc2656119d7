import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { Answer } from '@assay/verifier/log-reader';
import { ROOT } from '../verifier/sample-log.ts';

const PROGRAM = join(ROOT, 'cli', 'bin', 'assay.js');

type Variables = Readonly<Record<string, string>>;

/** Commands that go on, by the folder of their test. */
const children = new Map<string, ChildProcess[]>();

/** What a command line came to. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A folder of one's own that goes with the test, where pins are kept too. */
export async function scratch(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-cli-'));
  t.after(async () => {
    // Whoever still writes there would have the folder last, and the test with it.
    for (const child of children.get(folder) ?? []) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/** The variables of a child: none of this machine's Assay, its state in `folder`. */
function variables(folder: string, more: Variables): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('ASSAY_'));
  return {
    ...Object.fromEntries(kept),
    XDG_STATE_HOME: join(folder, 'state'),
    HOME: folder,
    ...more,
  };
}

function collect(child: ChildProcess): { out: string; err: string } {
  const text = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (text.out += part));
  child.stderr?.setEncoding('utf8').on('data', (part: string) => (text.err += part));
  return text;
}

/** Runs one command line to its end. */
export function assay(folder: string, args: readonly string[], more: Variables = {}): Promise<Ran> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: variables(folder, more),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A command that hangs fails its test, and does not hold up the rest.
    timeout: 600_000,
    killSignal: 'SIGKILL',
  });
  const text = collect(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...text }));
  });
}

/** A command that goes on until it is stopped. */
export interface Running {
  readonly url: string;
  readonly out: () => string;
  /** Sends SIGINT and waits for the end. */
  readonly stop: () => Promise<Ran>;
}

/** Starts a command; it ends with its test's folder at the latest. */
export function spawnAssay(
  folder: string,
  args: readonly string[],
  more: Variables = {},
): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: variables(folder, { ASSAY_PORT: '0', ...more }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.set(folder, [...(children.get(folder) ?? []), child]);
  return child;
}

/** Starts a command that prints a URL and then `ready`, and ends it with the test at the latest. */
export async function startAssay(
  t: TestContext,
  folder: string,
  args: readonly string[],
  ready: string,
  more: Variables = {},
): Promise<Running> {
  const child = spawnAssay(folder, args, more);
  const text = collect(child);
  const ended = new Promise<Ran>((resolve) => {
    child.on('close', (code) => resolve({ code, ...text }));
  });
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => {
      if (text.out.includes(ready)) resolve();
    });
    void ended.then(({ code, err }) => reject(new Error(`ended with ${code}: ${err}`)));
  });
  return {
    url: /http:\/\/[^\s]+/.exec(text.out)?.[0] ?? '',
    out: () => text.out,
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/** Serves answers over a real socket; 404 for the rest. */
export async function serve(
  t: TestContext,
  answers: ReadonlyMap<string, Answer>,
  seen: string[] = [],
): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    seen.push(path);
    const answer = answers.get(path);
    response.statusCode = answer?.status ?? 404;
    if (answer?.logSize !== undefined) response.setHeader('assay-log-size', answer.logSize);
    response.end(answer?.body);
  });
  return listen(t, server);
}

/** The URL of a server on a free port, closed with the test. */
export async function listen(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
