// Servers of others that speak S3, for the interop tests. What a system does not have is installed once into a folder
// of its own; nothing of it is a dependency of Assay.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { S3Credentials, S3Place } from '@assay/node/objects/s3-store';
import { freePort } from './free-port.ts';
import { INSTALL_MS, installed, peersFolder } from './installed.ts';

const run = promisify(execFile);
const PEERS = peersFolder('s3-peers');
const MOTO = 'moto[s3,server]==5.2.5';
const S3RVER = 's3rver@3.7.1';
/** The release that the tests were run with. It takes a quarter of an hour to build, so that nobody builds it here. */
const VERSITYGW = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const BUCKET = 'assay';
/** One request at a time: with threads, as moto starts by itself, two of eight racing creates of one object have won. */
const MOTO_SERVER = `
import sys
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple
app = DomainDispatcherApplication(create_backend_app)
run_simple('127.0.0.1', int(sys.argv[1]), app, threaded=False)
`;

type Missing = { readonly missing: string };

/** The interpreter that has moto, or why there is none. */
export async function motoPython(): Promise<{ readonly python: string } | Missing> {
  const folder = join(PEERS, 'moto');
  const done = await installed(folder, MOTO, async (into) => {
    await run('python3', ['-m', 'venv', into], { timeout: INSTALL_MS });
    const python = join(into, 'bin', 'python');
    await run(python, ['-m', 'pip', 'install', '--quiet', MOTO], { timeout: INSTALL_MS });
  });
  return done
    ? { python: join(folder, 'bin', 'python') }
    : { missing: `PyPI's ${MOTO} could not be installed` };
}

/** The program of npm's `s3rver`, or why there is none. */
export async function s3rverProgram(): Promise<{ readonly script: string } | Missing> {
  const folder = join(PEERS, 's3rver');
  const done = await installed(folder, S3RVER, async (into) => {
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    const args = ['install', '--prefix', into, ...quiet, S3RVER];
    await run('npm', args, { cwd: into, timeout: INSTALL_MS });
  });
  return done
    ? { script: join(folder, 'node_modules', 's3rver', 'bin', 's3rver.js') }
    : { missing: `npm's ${S3RVER} could not be installed` };
}

/** The program of versitygw where somebody has installed it, or why there is none. */
export function versitygwProgram(): { readonly program: string } | Missing {
  const program = process.env['ASSAY_VERSITYGW'] ?? 'versitygw';
  const found = spawnSync(program, ['--version']);
  return found.status === 0
    ? { program }
    : { missing: `versitygw is not installed (go install ${VERSITYGW})` };
}

/** A server that runs until the end of its test. */
export interface S3Peer {
  readonly place: S3Place;
  readonly credentials: S3Credentials;
  /** Where it keeps the objects of the bucket as files of their names; undefined where it does not. */
  readonly files: string | undefined;
}

export async function startMoto(t: TestContext, python: string): Promise<S3Peer> {
  const port = await freePort();
  await started(t, python, ['-c', MOTO_SERVER, String(port)], port);
  const made = await fetch(`http://127.0.0.1:${port}/${BUCKET}`, { method: 'PUT' });
  if (!made.ok) throw new Error(`moto makes no bucket: status ${made.status}`);
  return peer(port, { keyId: 'test', secret: 'testtest' });
}

export async function startS3rver(t: TestContext, script: string): Promise<S3Peer> {
  const port = await freePort();
  const folder = scratchOf(t);
  const where = ['--directory', folder, '--address', '127.0.0.1', '--port', String(port)];
  await started(t, process.execPath, [script, ...where, '--configure-bucket', BUCKET], port);
  return peer(port, { keyId: 'S3RVER', secret: 'S3RVER' });
}

export async function startVersitygw(t: TestContext, program: string): Promise<S3Peer> {
  const port = await freePort();
  const folder = scratchOf(t);
  const credentials = { keyId: 'assaytest', secret: 'a-secret-of-the-test' };
  mkdirSync(join(folder, BUCKET));
  const args = ['--port', `127.0.0.1:${port}`, 'posix', '--sidecar', scratchOf(t), folder];
  await started(t, program, args, port, {
    ROOT_ACCESS_KEY: credentials.keyId,
    ROOT_SECRET_KEY: credentials.secret,
  });
  return { ...peer(port, credentials), files: join(folder, BUCKET) };
}

function peer(port: number, credentials: S3Credentials): S3Peer {
  const endpoint = `http://127.0.0.1:${port}`;
  const place = { endpoint, bucket: BUCKET, region: 'us-east-1', prefix: '', pathStyle: true };
  return { place, credentials, files: undefined };
}

function scratchOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-s3-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a server and waits until it listens. */
export async function started(
  t: TestContext,
  program: string,
  args: readonly string[],
  port: number,
  variables: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  let said = '';
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...variables },
  });
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (said = (said + text).slice(-4000)));
  t.after(async () => {
    child.kill('SIGKILL');
    await sleep(50);
  });
  for (let i = 0; i < 1200; i += 1) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${said}`);
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return child;
    await sleep(100);
  }
  throw new Error(`${program} does not listen: ${said}`);
}
