import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseEntry } from '@assay/core/log/entry';
import { parseNoteKey } from '@assay/core/log/note';
import { TileTree } from '@assay/core/log/tile-tree';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { MemoryNoteSlot } from '@assay/node/ledger/guard/memory-note-slot';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { httpLogReader } from '@assay/node/mirror/http-log-reader';
import { memoryClosingPlace } from '@assay/node/mirror/closing-place';
import { LogMirror } from '@assay/node/mirror/log-mirror';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { freePort } from '../interop/free-port.ts';
import { noPostgres, PostgresServer } from '../interop/postgres-cluster.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';

const WORKER = fileURLToPath(new URL('./standby-worker.js', import.meta.url));
const absent = noPostgres();
const NOW = 1_785_414_600;

/** A process that says what it does, line by line. */
class Spoken {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  #errors = '';

  constructor(command: string, parameters: readonly string[], variables: NodeJS.ProcessEnv) {
    this.child = spawn(command, parameters, {
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let rest = '';
    this.child.stdout?.on('data', (bytes: Buffer) => {
      const [...lines] = `${rest}${bytes.toString()}`.split('\n');
      rest = lines.pop() ?? '';
      this.lines.push(...lines);
    });
    this.child.stderr?.on('data', (bytes: Buffer) => {
      this.#errors = `${this.#errors}${bytes.toString()}`.slice(-6000);
    });
  }

  get errors(): string {
    return this.#errors;
  }

  said(word: string): readonly string[] {
    return this.lines.filter((line) => line.split(' ')[0] === word);
  }

  /** Waits until it has said `count` lines that begin with `word`, besides the first `from`. */
  async until(word: string, count = 1, from = 0): Promise<readonly string[]> {
    for (let tries = 0; tries < 1500; tries += 1) {
      const found = this.said(word).slice(from);
      if (found.length >= count) return found;
      await sleep(40);
    }
    return assert.fail(`no ${word}: ${this.lines.slice(-20).join('; ')} ${this.errors}`);
  }

  /** Waits until it has said a line like this. */
  async untilSaid(line: RegExp): Promise<void> {
    for (let tries = 0; tries < 1500; tries += 1) {
      if (this.lines.some((each) => line.test(each))) return;
      await sleep(40);
    }
    assert.fail(`no ${line}: ${this.lines.slice(-20).join('; ')} ${this.errors}`);
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

/** Two machines of one log, and the databases that its head is in. */
interface World {
  readonly databases: readonly PostgresServer[];
  readonly writer: Spoken;
  readonly standby: Spoken;
  readonly vkey: string;
  readonly promote: (...options: readonly string[]) => Promise<Spoken>;
  /** Runs a ceremony of the first machine's keys, whose node is stopped. */
  readonly keys: (command: string) => Promise<Spoken>;
  /** Starts the first machine's node again. */
  readonly restart: () => Spoken;
  /** Brings the first machine's keys to the second one. */
  readonly bringKeys: () => void;
  readonly close: () => Promise<void>;
}

interface Machines {
  /** How many databases there are, each a standby of the one before. */
  readonly count: number;
  readonly timeoutS?: number;
}

async function worldOf({ count, timeoutS = 10 }: Machines): Promise<World> {
  const opened: (() => void | Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const each of opened.splice(0).reverse()) await each();
  };
  try {
    return await open(count, timeoutS, opened, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  count: number,
  timeoutS: number,
  opened: (() => void | Promise<void>)[],
  close: () => Promise<void>,
): Promise<World> {
  const databases: PostgresServer[] = [];
  for (let i = 1; i <= count; i += 1) {
    const before = databases.at(-1);
    const next =
      before === undefined ? await PostgresServer.start() : await before.standby(`db${i}`);
    opened.push(() => next.close());
    databases.push(next);
    await before?.confirmedBy(`db${i}`);
  }
  const root = mkdtempSync(join(tmpdir(), 'assay-pair-'));
  opened.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const [a, b] = [join(root, 'a'), join(root, 'b')];
  const made = await initData(dataFolder(a), nodeSha256, () => NOW, {
    origin: 'development/pair',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  mkdirSync(b, { mode: 0o700 });
  cpSync(join(a, 'keys'), join(b, 'keys'), { recursive: true });
  const port = await freePort();
  const common = {
    contact: 'test@example.org',
    transport: 'node',
    metrics_port: 0,
    log_level: 'warn',
    log_requests_per_minute: 1_000_000,
    requests_per_minute: 1_000_000,
    head_guard: {
      kind: 'postgres',
      addresses: databases.map((each) => `127.0.0.1:${each.port}`),
      database: 'postgres',
      user: 'assay',
      tls: 'off',
      timeout_s: timeoutS,
    },
  };
  const standby = {
    name: 'b',
    publisher: `http://127.0.0.1:${port}`,
    checkpoint_vkey: made.checkpointVkey,
    poll_s: 0.1,
  };
  const file = (name: string, value: object): string => {
    const path = join(root, `${name}.json`);
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  // The first machine is on the side of the first database, and reaches no other.
  const [only] = common.head_guard.addresses;
  const guard = { ...common.head_guard, addresses: [only] };
  const configA = file('a', { ...common, head_guard: guard, data: 'a', port });
  const configB = file('b', { ...common, data: 'b', port: 0, standby });
  const variables = { ASSAY_GUARD_PASSWORD: databases[0]?.password };
  const run = (mode: string, config: string): Spoken => {
    const spoken = new Spoken(process.execPath, [WORKER, mode, config, mode], variables);
    opened.push(() => spoken.end());
    return spoken;
  };
  const command = async (...options: readonly string[]): Promise<Spoken> => {
    const cli = join(ROOT, 'cli/bin/assay.js');
    const spoken = new Spoken(process.execPath, [cli, ...options], variables);
    if (spoken.child.exitCode === null) await once(spoken.child, 'exit');
    return spoken;
  };
  const writer = run('writer', configA);
  await writer.until('ack', 3);
  const following = run('standby', configB);
  const [line = ''] = await following.until('following');
  await ready(`http://127.0.0.1:${line.split(' ')[1]}/readyz`);
  return {
    databases,
    writer,
    standby: following,
    vkey: made.checkpointVkey,
    promote: (...options) => command('promote', '--config', configB, ...options),
    keys: (each) => command('keys', each, a, '--config', configA, '--yes'),
    restart: () => run('writer', configA),
    bringKeys: () => cpSync(join(a, 'keys'), join(b, 'keys'), { recursive: true }),
    close,
  };
}

/** Waits until a standby has followed once. */
async function ready(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const response = await fetch(url);
    await response.arrayBuffer();
    if (response.status === 200) return;
    await sleep(50);
  }
  assert.fail('the standby is not ready');
}

/**
 * Reads the whole log that the new writer serves, each entry under its signed head, and requires that all that either of
 * the two has told is in it: acknowledged entries at their places, and heads that were shown.
 */
async function requireOneHistory({ writer, standby, vkey }: World): Promise<void> {
  const [listening = ''] = await standby.until('listening');
  const mirror = await LogMirror.open({
    reader: httpLogReader(`http://127.0.0.1:${listening.split(' ')[1]}`),
    store: await openMemoryStore(),
    accepted: new MemoryNoteSlot(),
    closing: memoryClosingPlace(),
    blobs: null,
    key: parseNoteKey(nodeSha256, vkey),
    logId: null,
    sha256: nodeSha256,
    witnesses: null,
    onFork: () => assert.fail('two histories'),
  });
  const acknowledged = [...writer.said('ack'), ...standby.said('ack')];
  const heads = [...writer.said('head'), ...standby.said('head')];
  assert.equal((await mirror.follow()).kind, 'followed');
  const texts: string[] = [];
  const roots = new Map<number, string>();
  const tree = new TileTree(nodeSha256);
  for (let seq = 0; seq < mirror.size; seq += 1) {
    const entry = await mirror.entry(seq);
    assert.ok(entry !== undefined);
    const { kind, body } = parseEntry(entry);
    const { text } = body;
    texts.push(typeof text === 'string' ? text : kind);
    tree.append(leafHash(nodeSha256, entry));
    roots.set(tree.size, hashHex(tree.root()));
  }
  await mirror.close();
  for (const line of acknowledged) {
    const [, seq, text] = line.split(' ');
    assert.equal(texts[Number(seq)], text, line);
  }
  for (const line of heads) {
    const [, size, root] = line.split(' ');
    assert.equal(roots.get(Number(size)), root, line);
  }
}

describe('a standby', { skip: absent ?? false, concurrency: 1 }, () => {
  test('the first machine and its database are killed during commits, and the second one goes on', async () => {
    const world = await worldOf({ count: 3 });
    const [first, second] = world.databases as [PostgresServer, PostgresServer];
    try {
      await world.writer.until('ack', 20);
      const refused = await world.promote();
      assert.notEqual(refused.child.exitCode, 0);
      assert.match(refused.errors, /\[not_fenced\]/);
      assert.ok(world.standby.said('promoted').length === 0, 'it follows again');
      await world.writer.until('ack', 40);
      await Promise.all([world.writer.end(), first.kill()]);
      await second.promote();
      const promoted = await world.promote('--fenced', 'both were killed');
      assert.equal(promoted.child.exitCode, 0, promoted.errors);
      assert.match(promoted.lines.join('\n'), /fenced, as the operator says: both were killed/);
      await world.standby.until('ack', 10);
      await requireOneHistory(world);
    } finally {
      await world.close();
    }
  });

  test('a log whose checkpoint key was replaced is promoted with the key that it has now', async () => {
    const world = await worldOf({ count: 2 });
    try {
      await world.writer.until('ack', 10);
      await world.writer.end();
      for (const each of ['promise-checkpoint', 'rotate-checkpoint']) {
        const done = await world.keys(each);
        assert.equal(done.child.exitCode, 0, done.errors);
      }
      const writer = world.restart();
      await writer.until('ack', 10);
      const [following = ''] = world.standby.said('following');
      await ready(`http://127.0.0.1:${following.split(' ')[1]}/readyz`);
      await writer.end();
      const early = await world.promote('--fenced', 'it was killed');
      assert.notEqual(early.child.exitCode, 0);
      assert.match(early.errors, /\[key_missing\]/, 'it has the key before');
      world.bringKeys();
      const promoted = await world.promote('--fenced', 'it was killed');
      assert.equal(promoted.child.exitCode, 0, promoted.errors);
      await world.standby.until('ack', 10);
      // Whoever knows the first key alone gets to the head of the new writer.
      for (const each of [world.writer, writer])
        await requireOneHistory({ ...world, writer: each });
    } finally {
      await world.close();
    }
  });

  test('a writer that was paused during commits and wakes up after a promotion acknowledges nothing more', async () => {
    const world = await worldOf({ count: 2 });
    try {
      await world.writer.until('ack', 20);
      world.writer.signal('SIGSTOP');
      const promoted = await world.promote('--fenced', 'its machine hangs');
      assert.equal(promoted.child.exitCode, 0, promoted.errors);
      await world.standby.until('ack', 5);
      const told = world.writer.said('ack').length;
      world.writer.signal('SIGCONT');
      // What was on its way may have timed out meanwhile: then it asks for another epoch, and is told.
      await world.writer.untilSaid(/^stopped .*epoch_over/);
      // It may have been paused between the signature of a head that the guard had and the answer to its caller.
      assert.ok(world.writer.said('ack').length <= told + 1, 'what was on its way, and no more');
      await sleep(1500);
      assert.ok(world.writer.said('ack').length <= told + 1);
      await requireOneHistory(world);
    } finally {
      await world.close();
    }
  });

  test('the databases are cut apart: the old writer acknowledges nothing, and the second one goes on', async () => {
    const world = await worldOf({ count: 3, timeoutS: 3 });
    const [first, second] = world.databases as [PostgresServer, PostgresServer];
    try {
      await world.writer.until('ack', 20);
      await second.cut();
      // A slow machine may have stopped it before, for a while.
      const before = world.writer.said('stopped').length;
      const [stopped = ''] = await world.writer.until('stopped', 1, before);
      assert.match(stopped, /guard_unknown/);
      const told = world.writer.said('ack').length;
      // Somebody cancels the wait: the row is on the first database then, and on it alone.
      await first.sql(
        `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
      );
      await sleep(1000);
      await first.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
      );
      assert.equal(world.writer.said('ack').length, told, 'nothing is acknowledged');
      await second.promote();
      const early = await world.promote('--fenced', 'it is not');
      assert.notEqual(early.child.exitCode, 0);
      assert.match(early.errors, /\[guard_unsafe\]/, 'two databases take writes');
      await first.kill();
      const promoted = await world.promote('--fenced', 'db1 was killed');
      assert.equal(promoted.child.exitCode, 0, promoted.errors);
      await world.standby.until('ack', 10);
      await sleep(3000);
      assert.equal(world.writer.said('ack').length, told, 'the old writer has nobody to ask');
      await requireOneHistory(world);
    } finally {
      await world.close();
    }
  });
});
